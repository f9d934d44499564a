/** Runs the engine beside the page, so that no run delays a frame. */

import { Run, algorithms, init, version } from "fairlane-engine";
import engineUrl from "fairlane-engine/fairlane.wasm?url";
import type { Answer, Part, Request, Timed } from "./protocol";

let run: Run | null = null;
let changes: Timed[] = [];

const post = (answer: Answer, transfer: Transferable[] = []) =>
  (self as unknown as Worker).postMessage(answer, transfer);

const ready = init(fetch(engineUrl)).then(
  () => post({ kind: "ready", version: version(), algorithms: algorithms() }),
  (error: unknown) => post({ kind: "failed", run: -1, message: `the engine cannot be loaded: ${text(error)}` }),
);

self.onmessage = async ({ data }: MessageEvent<Request>) => {
  await ready;
  try {
    answer(data);
  } catch (error) {
    post({ kind: "failed", run: data.run, message: text(error) });
  }
};

function answer(request: Request) {
  if (request.kind === "result") {
    const whole = new Run(request.scenario);
    for (const { atNs, changes: moment } of request.changes) {
      whole.advance(atNs);
      for (const change of moment) whole.change(change);
    }
    post({ kind: "result", run: request.run, json: whole.result_json() });
    return;
  }
  if (request.kind === "start") {
    run = new Run(request.scenario, { events: true });
    changes = [...request.changes];
    post({ kind: "started", run: request.run, stations: run.stations });
    if (request.eventsFromNs > 0) advance(request.run, request.eventsFromNs, false, false);
    advance(request.run, request.untilNs, true, true);
    return;
  }
  if (!run) return;
  switch (request.kind) {
    case "advance":
      advance(request.run, request.untilNs, request.events, true);
      break;
    case "step":
      send(request.run, run.step(request.until), true, true);
      break;
    case "change":
      for (const change of request.changes) run.change(change);
      changes = [];
      post({ kind: "changed", run: request.run, atNs: run.time_ns, changes: request.changes });
      break;
  }
}

/** Changes that a run repeats take effect at their times. */
function advance(number: number, untilNs: number, events: boolean, last: boolean) {
  while (run && changes.length && changes[0].atNs <= untilNs) {
    const due = changes.shift() as Timed;
    send(number, run.advance(due.atNs), events, false);
    for (const change of due.changes) run.change(change);
  }
  if (run) send(number, run.advance(untilNs), events, last);
}

function send(number: number, progress: Part, events: boolean, last: boolean) {
  const part: Part = { ...progress, events: events ? progress.events : null };
  // The columns of one answer share a buffer, which is handed over whole.
  const columns = [...part.flows, ...part.links, part.events ?? {}].flatMap((table) => Object.values(table));
  const buffers = new Set(columns.filter((one) => ArrayBuffer.isView(one)).map((one) => one.buffer as ArrayBuffer));
  post({ kind: "progress", run: number, progress: part, last }, [...buffers]);
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

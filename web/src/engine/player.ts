/** Plays a scene: asks the worker for what the screen is about to show, and keeps the samples. */

import type { Algorithm } from "fairlane-engine";
import { type Json, bottlenecks, engineChanges, scenarioOf } from "../scene/engine_scenario";
import { current, fresh } from "../scene/current";
import { type Change, type Scene, isWifi } from "../scene/scene";
import type { Answer, Request, Timed } from "./protocol";
import { Samples } from "./samples";
import { Traffic } from "./traffic";

export const SPEEDS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
export const FIRST_SPEED = 0.25;
/** The engine is ahead of the screen by this much real time: packets are seen on their way to the queue. */
const AHEAD_S = 0.12;
/** Beyond this many packets per real second the screen shows none. */
const MOST_PACKETS_PER_S = 40_000;

/** About the most that a cell carries. */
const WIFI_BPS = 500e6;

export class Player {
  scene: Scene;
  samples: Samples;
  traffic: Traffic;
  playing = true;
  speed = FIRST_SPEED;
  /** Simulated time on the screen. */
  shownNs = 0;
  algorithms: Algorithm[] = [];
  version = "";
  error = "";
  /** Time from the navigation to the first sample, for benchmarks. */
  firstSampleMs = NaN;
  /** Called when something other than the time has changed. */
  onChange: () => void = () => {};
  onSceneChanged: () => void = () => {};

  private worker: Worker;
  private run = 0;
  private reachedNs = 0;
  private waiting = true;
  private ready = false;
  private begun = false;
  private results = new Map<number, { resolve: (json: string) => void; reject: (error: Error) => void }>();
  private resultNumber = 0;
  private queued: Request[] = [];
  /** Changes whose time the engine has yet to tell. */
  private unsettled: Change[] = [];
  private stopAtNs = Infinity;

  constructor(scene: Scene) {
    this.scene = scene;
    this.samples = new Samples(scene);
    this.traffic = new Traffic(scene);
    this.worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }: MessageEvent<Answer>) => this.receive(data);
    this.worker.onerror = (event) => this.fail(event.message || "the worker with the engine cannot be started");
  }

  get durationNs(): number {
    return this.scene.timeS * 1e9;
  }

  /** The scene as it is at the shown time. */
  get now(): Scene {
    const reachedNs = Math.max(this.reachedNs, this.shownNs);
    return current({ ...this.scene, changes: this.scene.changes.filter((one) => one.atNs <= reachedNs) }, this.shownNs);
  }

  get over(): boolean {
    return this.shownNs >= this.durationNs;
  }

  /** Whether packets are drawn one by one. */
  get packetsShown(): boolean {
    const bps = isWifi(this.scene) ? WIFI_BPS : this.scene.rateBps;
    return (bps / 12_000) * this.speed < MOST_PACKETS_PER_S;
  }

  /** Plays another scene from its beginning. */
  load(scene: Scene): void {
    this.scene = scene;
    this.start(0);
    this.onSceneChanged();
  }

  restart(): void {
    this.load(fresh(this.scene));
  }

  toggle(): void {
    if (this.over) this.restart();
    this.playing = !this.playing || this.over;
    this.onChange();
  }

  /** Shows another moment; one in the past is computed anew. */
  seek(toNs: number): void {
    const to = Math.max(0, Math.min(toNs, this.durationNs));
    if (to < this.shownNs || to > this.reachedNs + 1e9) this.start(to);
    else this.shownNs = to;
    this.onChange();
  }

  step(until: "packet" | "ack" | "loss"): void {
    this.playing = false;
    if (this.waiting || !this.ready) return;
    const nearest = this.traffic.nextNs(until, this.shownNs);
    if (nearest !== null) {
      this.shownNs = nearest;
    } else {
      this.shownNs = this.reachedNs;
      this.waiting = true;
      this.stopAtNs = 0;
      this.post({ kind: "step", run: this.run, until });
    }
    this.onChange();
  }

  /** Changes the network, or a parameter, while it runs. Changes that a rerun would have repeated later are dropped. */
  change(key: Change["key"], value: number): void {
    const change: Change = { atNs: this.reachedNs, key, value };
    const before = this.scene.changes.filter((one) => one.atNs <= this.reachedNs && !superseded(one, change));
    this.scene = { ...this.scene, changes: [...before, change] };
    this.unsettled.push(change);
    this.post({ kind: "change", run: this.run, changes: engineChanges(this.scene, change) });
    this.onSceneChanged();
  }

  /** The result of a whole run beside the one on the screen, as natively. */
  result(scenario: Json, changes: Timed[] = []): Promise<ResultJson> {
    const run = -2 - this.resultNumber++;
    return new Promise<string>((resolve, reject) => {
      this.results.set(run, { resolve, reject });
      this.post({ kind: "result", run, scenario: JSON.stringify(scenario), changes });
    }).then((json) => JSON.parse(json) as ResultJson);
  }

  /** Moves on by a frame. */
  tick(frameS: number): void {
    if (this.playing && this.begun) {
      this.shownNs = Math.min(this.shownNs + frameS * 1e9 * this.speed, this.reachedNs, this.durationNs);
      if (this.over) {
        this.playing = false;
        this.onChange();
      }
    }
    // While paused, a moment may be sought that is not computed yet.
    const aheadNs = this.playing ? (AHEAD_S + 2 * frameS) * 1e9 * this.speed : 0;
    const wantedNs = Math.min(this.shownNs + aheadNs, this.durationNs);
    if (this.begun && !this.waiting && wantedNs > this.reachedNs) {
      this.waiting = true;
      this.post({ kind: "advance", run: this.run, untilNs: wantedNs, events: this.packetsShown });
    }
    this.traffic.show(this.shownNs);
  }

  private start(atNs: number): void {
    this.run += 1;
    this.shownNs = atNs;
    this.reachedNs = 0;
    this.error = "";
    this.samples = new Samples(this.scene);
    this.traffic = new Traffic(this.scene);
    this.unsettled = [];
    this.waiting = true;
    this.begun = false;
    const pastNs = 4e6 * Math.max(...this.scene.rows.map((one) => one.rttMs));
    this.post({
      kind: "start",
      run: this.run,
      scenario: JSON.stringify(scenarioOf(this.scene, this.watched())),
      changes: this.scene.changes.map((one) => ({ atNs: one.atNs, changes: engineChanges(this.scene, one) })),
      untilNs: Math.min(atNs + AHEAD_S * 1e9 * this.speed, this.durationNs),
      eventsFromNs: Math.max(0, atNs - pastNs),
    });
  }

  /** Members of the algorithms' memories that the engine can sample. */
  private watched(): string[] {
    const names = new Set<string>();
    for (const { algorithm } of this.scene.rows) {
      for (const name of this.algorithms.find((one) => one.name === algorithm)?.state ?? []) {
        names.add(name.startsWith("state.") ? name : `state.${name}`);
      }
    }
    return [...names].slice(0, 64);
  }

  private post(request: Request): void {
    if (this.ready) this.worker.postMessage(request);
    else this.queued.push(request);
  }

  private receive(answer: Answer): void {
    if (answer.kind === "ready") {
      this.ready = true;
      this.algorithms = answer.algorithms;
      this.version = answer.version;
      for (const request of this.queued.filter((one) => one.kind === "result")) this.worker.postMessage(request);
      this.queued = [];
      this.start(this.shownNs);
      this.onChange();
      return;
    }
    if (answer.run < -1) {
      const asked = this.results.get(answer.run);
      this.results.delete(answer.run);
      if (answer.kind === "result") asked?.resolve(answer.json);
      else if (answer.kind === "failed") asked?.reject(new Error(answer.message));
      return;
    }
    if (answer.kind === "failed" && (answer.run === -1 || answer.run === this.run)) this.fail(answer.message);
    if (answer.run !== this.run) return;
    switch (answer.kind) {
      case "started":
        this.traffic.stations(answer.stations, bottlenecks(this.scene));
        this.samples.stations(answer.stations, bottlenecks(this.scene));
        break;
      case "changed": {
        const change = this.unsettled.shift();
        if (change) change.atNs = answer.atNs;
        break;
      }
      case "progress":
        this.reachedNs = answer.progress.time_ns;
        this.samples.add(answer.progress);
        if (Number.isNaN(this.firstSampleMs) && this.samples.times.length) this.firstSampleMs = performance.now();
        if (answer.progress.events) this.traffic.add(answer.progress.events);
        else this.traffic.forget();
        if (answer.last) {
          this.waiting = false;
          this.begun = true;
          if (this.stopAtNs === 0) this.shownNs = this.reachedNs;
          this.stopAtNs = Infinity;
        }
        break;
    }
  }

  private fail(message: string): void {
    this.error = message;
    this.playing = false;
    this.onChange();
  }
}

/** While a handle is dragged, one change replaces the one before it. */
function superseded(before: Change, next: Change): boolean {
  return before.key === next.key && next.atNs - before.atNs < 2e8;
}

/** The parts of the engine's result that the page reads. */
export interface ResultJson {
  jain_index: number | null;
  flows: Record<string, number | null>[];
  links: (Record<string, number | null> & { name: string })[];
  series: {
    interval_s: number;
    flows: Record<string, (number | null)[]>[];
    links: Record<string, (number | null)[]>[];
  };
}

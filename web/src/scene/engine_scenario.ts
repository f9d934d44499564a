/** The engine's scenario of a scene: the one that `fairlane duel` or `fairlane run` makes of the same words. */

import type { Change as EngineChange } from "fairlane-engine";
import { discipline, engineOption } from "./queues";
import {
  type Change,
  FRAME_BYTES,
  type Row,
  type Scene,
  flowsOf,
  isWifi,
  parameterOf,
  sizeBytes,
  smallestRttMs,
} from "./scene";
import { steps } from "./traces";
import { engineSender, engineWorkload } from "./workloads";

export type Json = Record<string, unknown>;

const NS_PER_MS = 1e6;
/** Hops of a parking lot, each with a flow of its own beside those that cross all. */
export const HOPS = 2;

export function scenarioOf(scene: Scene, watch: string[] = []): Json {
  const durationNs = Math.round(scene.timeS * 1e9);
  const { links, media, paths } = isWifi(scene) ? wifi(scene) : scene.network === "lot" ? lot(scene) : dumbbell(scene);
  const host = { offload: false, ecn: scene.ecn };
  return {
    seed: scene.seed,
    hz: 1000,
    duration_ns: durationNs,
    series_interval_ns: Math.round(scene.intervalMs * NS_PER_MS),
    links,
    ...(media ? { media } : {}),
    flows: flowsOf(scene).map((flow, index) => ({
      algorithm: flow.algorithm,
      parameters: flow.parameters,
      ...paths[index],
      stop_ns: durationNs,
      mtu: 1500,
      workload: engineWorkload(flow.workload),
      sender: { ...host, ...engineSender(flow.workload) },
      receiver: host,
      start_ns: Math.round(flow.startS * 1e9),
    })),
    ...(watch.length ? { watch } : {}),
  };
}

interface Parts {
  links: Json[];
  media?: Json[];
  paths: { forward: string[]; reverse: string[] }[];
}

function wire(name: string, delayNs: number, more: Json = {}): Json {
  return { name, delay_ns: delayNs, ...more };
}

/** Links of their own for flows whose RTT is longer than that of the network. */
function accesses(flows: Row[], rttOf: (index: number) => number): { links: Json[]; of: (string[] | null)[] } {
  const links: Json[] = [];
  const of = flows.map((flow, index) => {
    const extraNs = Math.round(((flow.rttMs - rttOf(index)) * NS_PER_MS) / 2);
    if (extraNs <= 0) return null;
    const names = [`access-${index + 1}`, `access-${index + 1}-return`];
    links.push(...names.map((name) => wire(name, extraNs)));
    return names;
  });
  return { links, of };
}

function dumbbell(scene: Scene): Parts {
  const flows = flowsOf(scene);
  const rttMs = smallestRttMs(scene);
  const delayNs = Math.round((rttMs * NS_PER_MS) / 2);
  const access = accesses(flows, () => rttMs);
  const reverse = scene.reverseBps ? { rate_bps: scene.reverseBps, queue: INTERFACE_QUEUE } : {};
  const bottleneck = {
    ...wire("bottleneck", delayNs),
    loss: independent(scene.lossPct / 100),
    rate_bps: scene.rateBps,
    overhead_bytes: 14,
    queue: queueOf(scene),
    ...(scene.trace ? traced(scene.trace) : {}),
  };
  return {
    links: [bottleneck, wire("return", delayNs, { ...reverse, overhead_bytes: 14 }), ...access.links],
    paths: access.of.map((names) => ({
      forward: [...(names ? [names[0]] : []), "bottleneck"],
      reverse: ["return", ...(names ? [names[1]] : [])],
    })),
  };
}

/** Settings of a link with the rates, and perhaps delays, of a trace. */
function traced(trace: string): Json {
  const [first, ...changes] = steps(trace).map(({ atNs, bps, delayNs }) => ({
    at_ns: atNs,
    rate_bps: bps,
    ...(delayNs === null ? {} : { delay_ns: delayNs }),
  }));
  const { at_ns: _, ...settings } = first;
  return { ...settings, changes };
}

/** The first row crosses all hops; the flows of the others cross one hop each, in turn. */
export function hopsOf(scene: Scene): [number, number][] {
  if (scene.network !== "lot") return flowsOf(scene).map(() => [0, 0]);
  let next = 0;
  return scene.rows.flatMap((one, index) =>
    Array.from({ length: one.count }, (): [number, number] => {
      if (index === 0) return [0, HOPS - 1];
      const hop = next++ % HOPS;
      return [hop, hop];
    }),
  );
}

/** Half of the first row's RTT is shared by the hops, as `hop_delay`. */
export function hopDelayMs(scene: Scene): number {
  return scene.rows[0].rttMs / 2 / HOPS;
}

function lot(scene: Scene): Parts {
  const delayNs = Math.round(hopDelayMs(scene) * NS_PER_MS);
  const numbers = Array.from({ length: HOPS }, (_, index) => index + 1);
  const forward = numbers.map((number) => ({
    ...wire(`hop-${number}`, delayNs, { rate_bps: scene.rateBps, overhead_bytes: 14 }),
    queue: queueOf(scene),
  }));
  return {
    links: [...forward, ...numbers.map((number) => wire(`return-${number}`, delayNs, { overhead_bytes: 14 }))],
    paths: hopsOf(scene).map(([first, last]) => {
      const crossed = numbers.slice(first, last + 1);
      return {
        forward: crossed.map((number) => `hop-${number}`),
        reverse: crossed.toReversed().map((number) => `return-${number}`),
      };
    }),
  };
}

export function queueOf(scene: Scene): Json {
  const kind = discipline(scene.queue);
  const options = kind.options
    .filter((option) => scene.options[option.name])
    .map((option) => engineOption(option, scene.options[option.name]));
  const buffer = scene.buffer ?? (kind.hasDefault ? null : { value: 1, unit: "bdp" as const });
  const limit: Json = {};
  if (buffer) {
    const bytes = sizeBytes(buffer, scene);
    if (buffer.unit === "p" && kind.inBytes !== "memlimit_bytes" && kind.name !== "red")
      limit.limit_packets = buffer.value;
    else if (kind.inBytes) limit[kind.inBytes] = bytes;
    else limit.limit_packets = Math.max(1, Math.floor(bytes / FRAME_BYTES));
  }
  return { kind: kind.name, ...Object.fromEntries(options), ...limit };
}

/** The standards' widest channels with two streams, as `fairlane duel --wifi`. */
const CELLS = {
  n: { mcs: 15, width_mhz: 40, band: "2.4ghz", guard_interval_ns: 400 },
  ac: { mcs: 9, streams: 2, width_mhz: 80, band: "5ghz", guard_interval_ns: 400 },
  ax: { mcs: 11, streams: 2, width_mhz: 80, band: "5ghz", guard_interval_ns: 800 },
};

function wifi(scene: Scene): Parts {
  const flows = flowsOf(scene);
  const standard = scene.network as keyof typeof CELLS;
  const { mcs, streams, ...cell } = { streams: undefined, ...CELLS[standard] };
  const rttMs = smallestRttMs(scene);
  const delayNs = Math.round((rttMs * NS_PER_MS) / 2);
  const access = accesses(flows, () => rttMs);
  const radio = (name: string) => ({ name, mcs, mpdu_loss: 0, ...(streams ? { streams } : {}), queue });
  const queue = scene.buffer || scene.queue !== "fifo" ? queueOf({ ...scene, rateBps: 100e6 }) : INTERFACE_QUEUE;
  return {
    links: [
      wire("wire-up", delayNs, { overhead_bytes: 14 }),
      wire("wire-down", delayNs, { overhead_bytes: 14 }),
      ...access.links,
    ],
    media: [
      {
        ...CELL_DEFAULTS,
        standard,
        ...cell,
        stations: flows.map((_, index) => ({
          name: `station-${index + 1}`,
          uplink: radio(`station-${index + 1}-up`),
          downlink: radio(`station-${index + 1}-down`),
        })),
      },
    ],
    paths: access.of.map((names, index) => ({
      forward: [`station-${index + 1}-up`, "wire-up", ...(names ? [names[0]] : [])],
      reverse: [...(names ? [names[1]] : []), "wire-down", `station-${index + 1}-down`],
    })),
  };
}

/** Of a Linux interface (txqueuelen). */
const INTERFACE_QUEUE = { kind: "fifo", limit_packets: 1000 };
const CELL_DEFAULTS = {
  kind: "wifi",
  name: "wifi",
  max_ampdu_mpdus: 64,
  station_cw_max: 1023,
  access_point_cw_max: 63,
  txop_limit_ns: 0,
  max_ppdu_ns: 5484000,
  mpdu_overhead_bytes: 38,
  block_ack_request: false,
  rts_cts: false,
  access_point_scheduler: "round_robin",
};

/** Links whose queue the drawing shows, in the order of the path. */
export function bottlenecks(scene: Scene): string[] {
  if (isWifi(scene)) return flowsOf(scene).map((_, index) => `station-${index + 1}-up`);
  return scene.network === "lot" ? Array.from({ length: HOPS }, (_, index) => `hop-${index + 1}`) : ["bottleneck"];
}

/** A change as the engine takes it while it runs, link by link. */
export function engineChanges(scene: Scene, change: Change): EngineChange[] {
  const links = bottlenecks(scene);
  const parameter = parameterOf(change);
  if (parameter) {
    // Each flow is an entry of the scenario.
    const first = scene.rows.slice(0, parameter.row).reduce((sum, one) => sum + one.count, 0);
    const parameters = { [parameter.name]: change.value };
    return Array.from({ length: scene.rows[parameter.row]?.count ?? 0 }, (_, at) => ({
      group: first + at,
      parameters,
    }));
  }
  switch (change.key) {
    case "rate_bps":
      return links.map((link) => ({ link, rate_bps: change.value }));
    case "delay_ns": {
      const back = scene.network === "lot" ? links.map((_, index) => `return-${index + 1}`) : ["return"];
      return [...links, ...back].map((link) => ({ link, delay_ns: change.value }));
    }
    case "loss":
      return links.map((link) => ({ link, loss: independent(change.value) }));
    case "queue_limit": {
      // The engine takes a limit in the unit that the queue has.
      const inPackets = "limit_packets" in queueOf(scene);
      return links.map((link) =>
        inPackets
          ? { link, limit_packets: Math.max(1, Math.floor(change.value / FRAME_BYTES)) }
          : { link, limit_bytes: Math.round(change.value) },
      );
    }
  }
  return [];
}

/** Also of no packet, because only a link that has a loss can change it. */
function independent(probability: number): Json {
  return { kind: "independent", correlation: 0, probability };
}

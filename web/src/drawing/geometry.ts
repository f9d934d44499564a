/** Places of the drawing. Along a queue and its link one pixel is always the same time at the link's rate: a full queue
 * that is as long as the link doubles the one-way delay, and thickness times length is the amount of data. */

import { HOPS, bottlenecks, hopsOf, queueOf } from "../scene/engine_scenario";
import { discipline } from "../scene/queues";
import { FRAME_BYTES, type Scene, bdpBytes, flowsOf, isWifi, smallestRttMs } from "../scene/scene";

export interface Hop {
  /** Tail and head of the queue. */
  tailX: number;
  headX: number;
  /** Start and end of the link. */
  startX: number;
  endX: number;
  /** Bytes that the drawn queue holds. */
  limitBytes: number;
  /** The limit is far beyond the drawing. */
  open: boolean;
}

export interface Lane {
  y: number;
  height: number;
}

export interface Host {
  x: number;
  y: number;
  /** Above the bottlenecks: a flow that joins or leaves between them. */
  above: boolean;
}

export interface Geometry {
  width: number;
  height: number;
  narrow: boolean;
  hops: Hop[];
  /** Lanes of the queue: one, or one for each flow. */
  lanes: Lane[];
  perFlow: boolean;
  pipe: Lane;
  ackY: number;
  /** By flow. */
  senders: Host[];
  receivers: Host[];
  hopOf: [number, number][];
  pxPerMs: number;
  delayMs: number;
}

const THINNEST = 26;
const PER_DECADE = 22;
const LEAST_RATE = 1e5;

export function thickness(rateBps: number): number {
  return THINNEST + PER_DECADE * Math.log10(Math.max(rateBps, LEAST_RATE) / LEAST_RATE);
}

export function rateOf(thick: number): number {
  return LEAST_RATE * 10 ** ((thick - THINNEST) / PER_DECADE);
}

/** Of tc's disciplines that have one; more than any drawing shows. */
const DEFAULT_PACKETS = 1000;
/** The rate at which a station's packets leave, roughly, for the length of its queue in the drawing. */
const WIFI_BPS = 200e6;

/** Bytes that the queue of a scene may hold. */
export function limitBytes(scene: Scene): number {
  if (isWifi(scene) && !scene.buffer) return DEFAULT_PACKETS * FRAME_BYTES;
  const queue = queueOf(scene) as Record<string, number>;
  return queue.limit_bytes ?? queue.memlimit_bytes ?? (queue.limit_packets ?? DEFAULT_PACKETS) * FRAME_BYTES;
}

/** `frozen`: px per ms while a handle is dragged, so that nothing but the handle moves. */
export function geometry(
  scene: Scene,
  width: number,
  height: number,
  queuedBytes: number,
  frozen: number | null,
): Geometry {
  const narrow = width < 640;
  const flows = flowsOf(scene);
  const wifi = isWifi(scene);
  const lot = scene.network === "lot";
  const hopOf = wifi ? flows.map((_, index): [number, number] => [index, index]) : hopsOf(scene);
  const perFlow = wifi || discipline(scene.queue).perFlow;
  const count = lot ? HOPS : 1;
  const rateBps = wifi ? WIFI_BPS : scene.rateBps;
  const delayMs = lot ? scene.rows[0].rttMs / 2 / HOPS : smallestRttMs(scene) / 2;

  const limit = limitBytes(scene);
  // In steps, so that the scale does not follow every packet.
  const usual = Math.max(bdpBytes(scene, rateBps) * 1.5, 8 * FRAME_BYTES);
  const visible = usual * 2 ** Math.max(0, Math.ceil(Math.log2((queuedBytes * 1.1) / usual)));
  const open = limit > 4 * visible || (wifi && limit > visible);
  const shownBytes = open ? visible : limit;
  const queueMs = (shownBytes * 8000) / rateBps;

  const left = narrow ? 88 : 150;
  const right = narrow ? 82 : 128;
  const apart = narrow ? 26 : 44;
  const gap = wifi ? 84 : narrow ? 12 : 18;
  const joint = narrow ? 70 : 150; // room for flows that join and leave between two bottlenecks
  const space = (width - left - right - count * gap - (count - 1) * joint) / count;
  const least = Math.min(narrow ? 44 : 70, space / 3);
  const scale = frozen ?? space / (queueMs + delayMs);
  let queuePx = Math.max(queueMs * scale, 10);
  let linkPx = Math.max(delayMs * scale, 10);
  if (frozen === null) {
    // The scale gives way at the ends: both stay long enough to be seen and grasped.
    queuePx = Math.min(Math.max(queuePx, least), space - least);
    linkPx = space - queuePx;
  }

  const thick = thickness(wifi ? 50e6 : scene.rateBps);
  const middle = Math.round(height * (lot ? 0.5 : 0.42));
  const laneCount = perFlow ? Math.min(flows.length, 12) : 1;
  const lane = perFlow ? Math.max(10, Math.min(thick, (height * 0.5) / laneCount - 4)) : thick;
  const lanes = Array.from({ length: laneCount }, (_, index) => ({
    y: middle + (index - (laneCount - 1) / 2) * (lane + 4) - lane / 2,
    height: lane,
  }));

  const hops: Hop[] = [];
  let x = left;
  for (let index = 0; index < count; index++) {
    const headX = x + queuePx;
    hops.push({ tailX: x, headX, startX: headX + gap, endX: headX + gap + linkPx, limitBytes: shownBytes, open });
    x = headX + gap + linkPx + joint;
  }

  const level = (_: unknown, index: number) => index;
  const entering = flows.map(level).filter((index) => !lot || hopOf[index][0] === 0);
  const leaving = flows.map(level).filter((index) => !lot || hopOf[index][1] === count - 1);
  const spread = (list: number[], index: number) =>
    middle + (list.indexOf(index) - (list.length - 1) / 2) * Math.min(46, (height * 0.62) / Math.max(1, list.length));
  const aboveY = 36;
  const senders = flows.map((_, index): Host => {
    if (lot && hopOf[index][0] > 0) return { x: hops[hopOf[index][0]].tailX - joint / 4, y: aboveY, above: true };
    if (perFlow && flows.length <= laneCount) return { x: left - apart, y: lanes[index].y + lane / 2, above: false };
    return { x: left - apart, y: spread(entering, index), above: false };
  });
  const receivers = flows.map((_, index): Host => {
    if (lot && hopOf[index][1] < count - 1)
      return { x: hops[hopOf[index][1]].endX + joint / 4, y: aboveY, above: true };
    return { x: hops[count - 1].endX + apart - 8, y: spread(leaving, index), above: false };
  });
  return {
    width,
    height,
    narrow,
    hops,
    lanes,
    perFlow,
    pipe: { y: middle - thick / 2, height: thick },
    ackY: height - (narrow ? 34 : 38),
    senders,
    receivers,
    hopOf,
    pxPerMs: scale,
    delayMs,
  };
}

/** The bottleneck of a hop, among those of the scene. */
export function queueIndex(scene: Scene, hop: number): number {
  return Math.min(hop, bottlenecks(scene).length - 1);
}

/** Between two geometries of one shape: `share` 0 gives the first. */
export function between(from: Geometry, to: Geometry, share: number): Geometry {
  const same = from.hops.length === to.hops.length && from.lanes.length === to.lanes.length && from.width === to.width;
  if (!same || from.senders.length !== to.senders.length) return to;
  const mix = (a: number, b: number) => a + (b - a) * share;
  const mixed = <T extends object>(a: T, b: T): T =>
    Object.fromEntries(
      Object.entries(b).map(([key, value]) => [
        key,
        typeof value === "number" ? mix(a[key as keyof T] as number, value) : value,
      ]),
    ) as T;
  const list = <T extends object>(a: T[], b: T[]) => b.map((one, index) => mixed(a[index], one));
  return {
    ...to,
    hops: list(from.hops, to.hops),
    lanes: list(from.lanes, to.lanes),
    pipe: mixed(from.pipe, to.pipe),
    senders: list(from.senders, to.senders),
    receivers: list(from.receivers, to.receivers),
  };
}

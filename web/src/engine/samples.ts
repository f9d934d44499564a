/** Time series of a run, as the charts and the text take them. */

import { type Scene, flowsOf } from "../scene/scene";
import type { Part } from "./protocol";

export interface Chart {
  /** Times in s, and a list for each line. */
  data: number[][];
}

/** Columns of a flow that the charts show. */
const OF_FLOWS = [
  "mbps",
  "cwnd_packets",
  "rtt_ms",
  "pacing_mbps",
  "inflight_packets",
  "lost_packets",
  "marked_packets",
] as const;
export type FlowColumn = (typeof OF_FLOWS)[number];

export class Samples {
  times: number[] = [];
  /** By flow, then by column. */
  flows: Record<FlowColumn, number[]>[];
  /** By flow: the columns of `series` that are not drawn, such as watched members. */
  private others: Record<string, number[]>[];
  /** By shown station. */
  queueBytes: number[][] = [];
  queueMs: number[][] = [];
  droppedPackets: number[][] = [];
  linkMbps: number[][] = [];
  private indices: number[] = [];

  constructor(scene: Scene) {
    const empty = () =>
      Object.fromEntries(OF_FLOWS.map((name) => [name, []])) as unknown as Record<FlowColumn, number[]>;
    this.flows = flowsOf(scene).map(empty);
    this.others = this.flows.map(() => ({}));
  }

  stations(names: string[], shown: string[]): void {
    this.indices = shown.map((name) => names.indexOf(name));
    for (const list of ["queueBytes", "queueMs", "droppedPackets", "linkMbps"] as const)
      this[list] = shown.map(() => []);
  }

  add(part: Part): void {
    // Links are sampled from the beginning to the end, flows while they exist.
    const times = part.links[0]?.t_s ?? [];
    const before = this.times.length;
    for (const time of times) this.times.push(time);
    part.flows.forEach((from, index) => {
      const columns = this.flows[index];
      const lists = Object.keys(from).map((name) => {
        const list = name in columns ? columns[name as FlowColumn] : (this.others[index][name] ??= []);
        while (list.length < before) list.push(NaN);
        return { list, values: from[name] };
      });
      let at = 0;
      for (const time of times) {
        const has = from.t_s[at] === time;
        for (const { list, values } of lists) list.push(has ? values[at] : NaN);
        if (has) at += 1;
      }
    });
    this.indices.forEach((station, index) => {
      const from = part.links[station];
      if (!from) return;
      push(this.queueBytes[index], from.queue_bytes);
      push(this.queueMs[index], from.queue_delay_ms);
      push(this.droppedPackets[index], from.dropped_packets);
      push(this.linkMbps[index], from.throughput_mbps);
    });
  }

  /** All values of a flow at a time. */
  stateAt(flow: number, timeS: number): Record<string, number> {
    const at = Math.max(0, this.from(timeS + 1e-9) - 1);
    const values = Object.entries({ ...this.flows[flow], ...this.others[flow] });
    return Object.fromEntries(values.map(([name, list]) => [name, list[at] ?? NaN]));
  }

  /** Index of the first sample at or after a time. */
  from(timeS: number): number {
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] < timeS) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function push(list: number[], values: ArrayLike<number> | undefined): void {
  for (let at = 0; at < (values?.length ?? 0); at++) list.push((values as ArrayLike<number>)[at]);
}

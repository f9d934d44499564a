/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The simulator in WebAssembly: `make web` writes fairlane.wasm, fairlane.js and this file into target/web/.
 * A page, a worker and Node use it alike. Times are simulated nanoseconds; nothing here reads a clock.
 */

/** Compiles the engine; call it once, before everything else. Takes the bytes of fairlane.wasm, its compiled module, or
 * the response of fetch(). */
export function init(engine: BufferSource | WebAssembly.Module | Response | PromiseLike<Response>): Promise<void>;

/** Version of Fairlane, as natively. */
export function version(): string;

/** The linked algorithms: the bundled ones, then the programs of the page (web/labs). */
export function algorithms(): Algorithm[];

export interface Algorithm {
  name: string;
  aliases: string[];
  /** loss-based, delay-based, hybrid, model-based, mark-based */
  class: string;
  summary: string;
  parameters: { name: string; default: number; type: string; unit: string | null; doc: string | null }[];
  /** Members of its own memory, by the names of its C source: put them into `watch` of a scenario. */
  state: string[];
}

export interface Options {
  /** Record packet events for `Progress.events`. Default: false. Results are the same. */
  events?: boolean;
}

/** One run, in memory of its own: a program that fails takes down this run alone. */
export class Run {
  /** `scenario`: JSON as docs/reference/scenario.md describes it. Throws an Error with one line per problem. */
  constructor(scenario: string, options?: Options);
  /** Simulated time that was reached. */
  readonly time_ns: number;
  /** The end of the scenario was reached. */
  readonly over: boolean;
  /** The scenario with the changes of rate, delay and loss that were made while it ran: run anew, here or natively, it gives
   * the same result. Changes of limits and parameters are not in it: make them again at the same times. */
  readonly scenario: string;
  /** Its flows, in the order of all columns `flow`; `group` is the entry of the scenario's `flows`. */
  readonly flows: { group: number; algorithm: string; mss_bytes: number }[];
  /** Names of its links and other stations, in the order of all columns `station`. */
  readonly stations: string[];
  /** Names of the columns, see docs/reference/results.md; `watched`: the scenario's `watch`. */
  readonly columns: { flow: string[]; link: string[]; watched: string[] };

  /** Runs to this time, or to the end of the scenario. Throws an Error if an algorithm fails; its message names it. */
  advance(until_ns: number | bigint): Progress;
  /** Runs until the next event of a kind, at most `at_most_ns` further (default: 10 s): a data packet leaves a sender, an
   * acknowledgement arrives at one, a packet is dropped or lost. Needs `events`. */
  step(until: "packet" | "ack" | "loss", at_most_ns?: number): Progress;
  /** Changes a link, or parameters of flows, from the next nanosecond on. Throws an Error whose message is the problem. */
  change(change: Change): void;

  /** The result: runs to the end first. The same text as natively. */
  result_json(): string;
  /** Hash of `result_json()`: FNV-1a, 64 bits, 16 hexadecimal digits. */
  result_hash(): string;
}

/** A change of a link; what is absent stays. */
export interface LinkChange {
  link: string;
  rate_bps?: number;
  delay_ns?: number;
  /** As in a scenario; `{"kind": "independent", "probability": 0}` ends it. The link must have had one from the start. */
  loss?: unknown;
  /** Of a plain FIFO. */
  limit_bytes?: number;
  limit_packets?: number;
}

/** New parameters of the flows of one entry of the scenario's `flows`, and of others that began with the same algorithm and
 * the same parameters. */
export interface ParameterChange {
  group: number;
  parameters: Record<string, number>;
}

export type Change = LinkChange | ParameterChange;

/** Samples and packet events since the last call. */
export interface Progress {
  time_ns: number;
  over: boolean;
  /** New samples by flow: column by name (those of `Run.columns.flow` and `.watched`). NaN: no value. */
  flows: Record<string, Float64Array>[];
  /** New samples by station: column by name. */
  links: Record<string, Float64Array>[];
  events: Events;
}

/** Packet events in order of time, as columns of equal length. */
export interface Events {
  length: number;
  kind: Uint8Array;
  time_ns: Float64Array;
  /** Of `transmit`: arrival at the far end of the link; NaN if it is not known yet (Wi-Fi, wires that reorder). */
  until_ns: Float64Array;
  flow: Uint16Array;
  /** 65535 at hosts (`send`, `receive`). */
  station: Uint16Array;
  /** Bytes of application data; 0 for an acknowledgement. */
  payload: Uint32Array;
  /** Bytes of the IP packet. */
  bytes: Uint32Array;
  /** Data: offset of its first byte. Acknowledgement: the offset that it acknowledges. */
  number: Float64Array;
}

/** Values of `Events.kind`. */
export const EVENT: {
  /** A packet enters the queue of a station. */
  readonly enqueue: 0;
  /** Its transmission starts: it leaves the queue. */
  readonly transmit: 1;
  /** The queue drops it, on arrival or later. */
  readonly drop: 2;
  /** The queue has marked it (CE); `transmit` follows. */
  readonly mark: 3;
  /** It is lost on the wire. */
  readonly lost: 4;
  /** A host sends it. */
  readonly send: 5;
  /** It arrives at its host. */
  readonly receive: 6;
};

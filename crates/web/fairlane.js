// SPDX-License-Identifier: MIT OR GPL-2.0-only
//
// The functions of fairlane.wasm as the classes that fairlane.d.ts declares.

let compiled;
let instance; // for questions that need no run

/** An instance of the module with typed calls. */
class Instance {
  constructor() {
    if (!compiled) throw new Error("call init() with the bytes of fairlane.wasm first");
    this.exports = new WebAssembly.Instance(compiled, {}).exports;
    this.dead = undefined;
  }

  /** Calls a function; returns the bytes of its answer. */
  call(name, text, ...numbers) {
    if (this.dead) throw new Error(this.dead);
    const { exports } = this;
    let failed;
    try {
      if (text !== undefined) {
        const bytes = new TextEncoder().encode(text);
        const place = exports.fairlane_input(bytes.length);
        new Uint8Array(exports.memory.buffer, place, bytes.length).set(bytes);
      }
      failed = exports[name](...numbers);
    } catch (error) {
      this.dead = this.reason(error);
      throw new Error(this.dead, { cause: error });
    }
    if (failed) throw new Error(this.text());
    return this.output();
  }

  output() {
    const { exports } = this;
    const start = exports.fairlane_output();
    return exports.memory.buffer.slice(start, start + exports.fairlane_output_bytes());
  }

  text() {
    return new TextDecoder().decode(this.output());
  }

  json(name, ...numbers) {
    return JSON.parse(new TextDecoder().decode(this.call(name, undefined, ...numbers)));
  }

  /** Why the machine has stopped the instance. */
  reason(error) {
    const stopped = this.exports.fairlane_stopped();
    if (stopped === 2) return this.text() || `the engine stopped: ${error.message}`;
    const [algorithm, callback] = this.text().split("\n");
    let what = `failed (${error.message})`;
    if (stopped === 1) what = "did not return (infinite loop)";
    else if (/divi/i.test(error.message)) what = "divided by zero";
    else if (/bounds/i.test(error.message)) what = "touched memory that is not its own";
    return `algorithm ${algorithm} ${what} in callback ${callback}`;
  }
}

function shared() {
  instance ??= new Instance();
  return instance;
}

export async function init(engine) {
  const source = await engine;
  if (source instanceof WebAssembly.Module) compiled = source;
  else if (typeof Response !== "undefined" && source instanceof Response)
    compiled = await WebAssembly.compile(await source.arrayBuffer());
  else compiled = await WebAssembly.compile(source);
  instance = undefined;
}

export function version() {
  return new TextDecoder().decode(shared().call("fairlane_version"));
}

export function algorithms() {
  const list = shared().json("fairlane_algorithms");
  return list.map((one) => ({ ...one, state: one.state.map((member) => member.name) }));
}

export const EVENT = Object.freeze({ enqueue: 0, transmit: 1, drop: 2, mark: 3, lost: 4, send: 5, receive: 6 });

const UNTIL = { packet: 0, ack: 1, loss: 2 };

export class Run {
  #instance;
  #json;

  constructor(scenario, options = {}) {
    this.#instance = new Instance();
    const described = this.#instance.call("fairlane_new", scenario, options.events ? 1 : 0);
    Object.assign(this, JSON.parse(new TextDecoder().decode(described)));
    this.time_ns = 0;
    this.over = false;
  }

  get scenario() {
    return new TextDecoder().decode(this.#instance.call("fairlane_scenario"));
  }

  advance(until_ns) {
    return this.#progress(this.#instance.call("fairlane_advance", undefined, Number(until_ns)));
  }

  step(until, at_most_ns = 10e9) {
    if (!(until in UNTIL)) throw new Error(`step(${JSON.stringify(until)}): give packet, ack or loss`);
    return this.#progress(this.#instance.call("fairlane_step", undefined, UNTIL[until], at_most_ns));
  }

  change(change) {
    this.#instance.call("fairlane_change", typeof change === "string" ? change : JSON.stringify(change));
  }

  result_json() {
    this.#json ??= new TextDecoder().decode(this.#instance.call("fairlane_result"));
    this.over = true;
    return this.#json;
  }

  result_hash() {
    this.result_json();
    return new TextDecoder().decode(this.#instance.call("fairlane_result_hash"));
  }

  #progress(buffer) {
    let at = 0;
    const take = (Type, length) => {
      const array = new Type(buffer, at, length);
      at += array.byteLength;
      return array;
    };
    const number = () => take(Float64Array, 1)[0];
    const table = (names) => {
      const rows = number();
      return Object.fromEntries(names.map((name) => [name, take(Float64Array, rows)]));
    };
    this.time_ns = number();
    this.over = number() === 1;
    const flows = this.flows.map(() => table([...this.columns.flow, ...this.columns.watched]));
    const links = this.stations.map(() => table(this.columns.link));
    const length = number();
    const events = {
      length,
      time_ns: take(Float64Array, length),
      until_ns: take(Float64Array, length),
      number: take(Float64Array, length),
      payload: take(Uint32Array, length),
      bytes: take(Uint32Array, length),
      flow: take(Uint16Array, length),
      station: take(Uint16Array, length),
      kind: take(Uint8Array, length),
    };
    return { time_ns: this.time_ns, over: this.over, flows, links, events };
  }
}

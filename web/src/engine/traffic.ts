/** Where every packet is at the shown time, from the engine's packet events. */

import type { Events } from "fairlane-engine";
import { hopsOf } from "../scene/engine_scenario";
import { type Scene, flowsOf } from "../scene/scene";

/** Values of `Events.kind`, as crates/web/fairlane.d.ts declares them; a worker has the engine, the page has not. */
const [ENQUEUE, TRANSMIT, DROP, MARK, LOST, SEND, RECEIVE] = [0, 1, 2, 3, 4, 5, 6];
const HOST = 65535;
/** Packets of the past that the sequence plot keeps, for each flow. */
const KEPT = 6000;

export interface Packet {
  flow: number;
  number: number;
  bytes: number;
  marked: boolean;
  again: boolean;
}

export interface Flying extends Packet {
  fromNs: number;
  untilNs: number;
}

/** An acknowledgement on one link of its way back. */
export interface FlyingAck extends Flying {
  /** The link's bottleneck in a parking lot; `access`: the link next to the sender. */
  leg: number | "access";
}

/** A packet that ended badly, drawn until it has faded. */
export interface Fallen extends Packet {
  atNs: number;
  hop: number;
  onWire: boolean;
}

export interface Point {
  timeNs: number;
  number: number;
  kind: "sent" | "again" | "ack" | "drop";
}

export class Traffic {
  /** By bottleneck, in order. */
  queues: Packet[][];
  /** On the links behind the bottlenecks. */
  links: Flying[][];
  /** On links of their own between sender and bottleneck. */
  accesses: Flying[] = [];
  /** Acknowledgements, by their way back. */
  acks: FlyingAck[] = [];
  /** Flows with a link of their own before the bottleneck. */
  hasAccess = new Set<number>();
  /** On the air of a Wi-Fi cell, by bottleneck. */
  air: Packet[][];
  fallen: Fallen[] = [];
  /** Packets dropped so far, and those marked. */
  dropped = 0;
  marked = 0;
  /** By flow. */
  points: Point[][];
  /** Highest byte sent so far, by flow. */
  highest: number[];
  /** Time at which a packet last left each sender, and reached each receiver. */
  lastSentNs: number[];
  lastReceivedNs: number[];

  private chunks: Events[] = [];
  private cursor = 0;
  private hopOf: number[] = [];
  private role: ("access" | "back" | "wire")[] = [];
  private leg: (number | "access")[] = [];
  private wifi: boolean;

  constructor(scene: Scene) {
    const flows = flowsOf(scene).length;
    this.wifi = scene.network !== "link" && scene.network !== "lot";
    const hops = this.wifi ? flows : Math.max(...hopsOf(scene).map(([, last]) => last)) + 1;
    this.queues = Array.from({ length: hops }, () => []);
    this.links = Array.from({ length: hops }, () => []);
    this.air = Array.from({ length: hops }, () => []);
    this.points = Array.from({ length: flows }, () => []);
    this.highest = Array.from({ length: flows }, () => 0);
    this.lastSentNs = Array.from({ length: flows }, () => -Infinity);
    this.lastReceivedNs = Array.from({ length: flows }, () => -Infinity);
  }

  stations(names: string[], shown: string[]): void {
    this.hopOf = names.map((name) => shown.indexOf(name));
    this.leg = names.map((name) =>
      name.startsWith("access") ? "access" : Number(/^return-(\d+)$/.exec(name)?.[1] ?? 1) - 1,
    );
    this.role = names.map((name) => (name === "wire-up" ? "wire" : /return|down/.test(name) ? "back" : "access"));
  }

  add(events: Events): void {
    if (events.length) this.chunks.push(events);
  }

  /** Nothing is known of the packets before this time. */
  forget(): void {
    this.chunks = [];
    this.cursor = 0;
    for (const list of [...this.queues, ...this.links, ...this.air]) list.length = 0;
    this.accesses.length = this.acks.length = 0;
  }

  /** Moves everything to this time. */
  show(nowNs: number): void {
    while (this.chunks.length) {
      const events = this.chunks[0];
      while (this.cursor < events.length && events.time_ns[this.cursor] <= nowNs) this.apply(events, this.cursor++);
      if (this.cursor < events.length) break;
      this.chunks.shift();
      this.cursor = 0;
    }
    for (const list of this.links) arrived(list, nowNs);
    arrived(this.accesses, nowNs);
    arrived(this.acks, nowNs);
  }

  /** Packets that reach a bottleneck within `aheadNs`, straight from their senders. */
  *approaching(nowNs: number, aheadNs: number): Generator<{ flow: number; hop: number; atNs: number; again: boolean }> {
    let at = this.cursor;
    for (const events of this.chunks) {
      for (; at < events.length; at++) {
        const time = events.time_ns[at];
        if (time > nowNs + aheadNs) return;
        const hop = this.hopOf[events.station[at]];
        if ((events.kind[at] === ENQUEUE || events.kind[at] === DROP) && hop >= 0 && events.payload[at]) {
          const flow = events.flow[at];
          yield { flow, hop, atNs: time, again: events.number[at] < this.highest[flow] };
        }
      }
      at = 0;
    }
  }

  /** Time of the next known event of a kind after this time. */
  nextNs(kind: "packet" | "ack" | "loss", nowNs: number): number | null {
    let at = this.cursor;
    for (const events of this.chunks) {
      for (; at < events.length; at++) {
        if (events.time_ns[at] <= nowNs) continue;
        const what = events.kind[at];
        const data = events.payload[at] > 0;
        const found =
          kind === "packet"
            ? what === SEND && data
            : kind === "ack"
              ? what === RECEIVE && !data
              : what === DROP || what === LOST;
        if (found) return events.time_ns[at];
      }
      at = 0;
    }
    return null;
  }

  private apply(events: Events, at: number): void {
    const timeNs = events.time_ns[at];
    const flow = events.flow[at];
    const number = events.number[at];
    const payload = events.payload[at];
    const station = events.station[at];
    const hop = station === HOST ? -1 : this.hopOf[station];
    const isData = payload > 0;
    switch (events.kind[at]) {
      case SEND:
        if (!isData) return;
        this.lastSentNs[flow] = timeNs;
        this.point(flow, { timeNs, number, kind: number < this.highest[flow] ? "again" : "sent" });
        this.highest[flow] = Math.max(this.highest[flow], number + payload);
        return;
      case RECEIVE:
        if (isData) this.lastReceivedNs[flow] = timeNs;
        else this.point(flow, { timeNs, number, kind: "ack" });
        return;
      case ENQUEUE:
        if (hop >= 0 && isData) {
          const again = number + payload < this.highest[flow];
          this.queues[hop].push({ flow, number, bytes: events.bytes[at], marked: false, again });
        }
        return;
      case MARK: {
        this.marked += 1;
        const packet =
          hop >= 0 ? this.queues[hop].find((one) => one.flow === flow && one.number === number) : undefined;
        if (packet) packet.marked = true;
        return;
      }
      case DROP:
        if (hop >= 0 && isData) {
          const packet = take(this.queues[hop], flow, number, true) ?? this.packet(events, at);
          this.fallen.push({ ...packet, atNs: timeNs, hop, onWire: false });
          this.dropped += 1;
          this.point(flow, { timeNs, number, kind: "drop" });
        }
        return;
      case LOST:
        if (isData) {
          this.fallen.push({ ...this.packet(events, at), atNs: timeNs, hop: Math.max(0, hop), onWire: true });
          this.dropped += 1;
          this.point(flow, { timeNs, number, kind: "drop" });
          const list = this.links[Math.max(0, hop)];
          const gone = list.findIndex((one) => one.flow === flow && one.number === number);
          if (gone >= 0) list.splice(gone, 1);
        }
        return;
      case TRANSMIT: {
        const untilNs = events.until_ns[at];
        const flying = { ...this.packet(events, at), fromNs: timeNs, untilNs };
        if (hop >= 0 && isData) {
          const packet = take(this.queues[hop], flow, number, false);
          const whole = packet ? { ...packet, fromNs: timeNs, untilNs } : flying;
          if (Number.isFinite(untilNs) && !this.wifi) this.links[hop].push(whole);
          else this.air[hop].push(whole);
        } else if (isData && this.role[station] === "wire") {
          const packet = take(this.air[flow] ?? [], flow, number, false);
          this.links[0].push({ ...(packet ?? flying), fromNs: timeNs, untilNs });
        } else if (isData) {
          this.hasAccess.add(flow);
          this.accesses.push(flying);
        } else if (this.role[station] === "back" && Number.isFinite(untilNs)) {
          this.acks.push({ ...flying, leg: this.leg[station] });
        }
      }
    }
  }

  private packet(events: Events, at: number): Packet {
    return { flow: events.flow[at], number: events.number[at], bytes: events.bytes[at], marked: false, again: false };
  }

  private point(flow: number, point: Point): void {
    const list = this.points[flow];
    list.push(point);
    if (list.length > KEPT) list.splice(0, KEPT / 3);
  }
}

/** Removes a packet from a queue; a drop takes the last of two with one number, which is the one that arrived. */
function take(queue: Packet[], flow: number, number: number, last: boolean): Packet | null {
  const matches = (one: Packet) => one.flow === flow && one.number === number;
  const at = last ? queue.findLastIndex(matches) : queue.findIndex(matches);
  return at < 0 ? null : queue.splice(at, 1)[0];
}

function arrived(list: Flying[], nowNs: number): void {
  let kept = 0;
  for (const one of list) if (one.untilNs > nowNs) list[kept++] = one;
  list.length = kept;
}

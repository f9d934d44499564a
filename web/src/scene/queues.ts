/** Queue disciplines that the menu offers, with the parameters that are worth moving. Values are text, as tc reads it. */

export type Kind = "time" | "bytes" | "share" | "flag" | "number";

export interface Option {
  name: string;
  kind: Kind;
  /** Of tc, where it is a number; else the explanation. */
  initial: string;
  meaning: string;
}

export interface Discipline {
  name: string;
  about: string;
  options: Option[];
  /** Counts its limit in bytes when a size in bytes is given; the others round to packets. */
  inBytes: "limit_bytes" | "memlimit_bytes" | null;
  hasDefault: boolean;
  /** Keeps flows apart, so that the drawing shows a queue for each. */
  perFlow: boolean;
}

const target = (initial: string): Option => ({
  name: "target",
  kind: "time",
  initial,
  meaning: "delay that the queue aims at",
});
const interval: Option = { name: "interval", kind: "time", initial: "100ms", meaning: "about the longest RTT" };
const ecn = (initial: string): Option => ({
  name: "ecn",
  kind: "flag",
  initial,
  meaning: "mark packets of ECN-capable senders instead of dropping them",
});

export const DISCIPLINES: Discipline[] = [
  {
    name: "fifo",
    about: "first in, first out; a full queue drops arrivals",
    options: [],
    inBytes: "limit_bytes",
    hasDefault: false,
    perFlow: false,
  },
  {
    name: "red",
    about: "drops early, with a probability that grows with the mean queue",
    options: [
      { name: "min", kind: "bytes", initial: "10kB", meaning: "mean queue at which drops begin" },
      { name: "max", kind: "bytes", initial: "30kB", meaning: "mean queue at which every packet is dropped" },
      { name: "probability", kind: "share", initial: "0.02", meaning: "drop probability at max" },
      ecn("false"),
    ],
    inBytes: "limit_bytes",
    hasDefault: false,
    perFlow: false,
  },
  {
    name: "codel",
    about: "drops from the head while packets wait too long",
    options: [
      target("5ms"),
      interval,
      ecn("false"),
      { name: "ce_threshold", kind: "time", initial: "", meaning: "mark every packet that waited longer (for DCTCP)" },
    ],
    inBytes: null,
    hasDefault: true,
    perFlow: false,
  },
  {
    name: "fq_codel",
    about: "a queue for each flow, served in turn, with CoDel in each",
    options: [target("5ms"), interval, ecn("true")],
    inBytes: null,
    hasDefault: true,
    perFlow: true,
  },
  {
    name: "pie",
    about: "drops arrivals at random, as often as a target delay needs",
    options: [target("15ms"), ecn("false")],
    inBytes: null,
    hasDefault: true,
    perFlow: false,
  },
  {
    name: "fq_pie",
    about: "a queue for each flow, with PIE in each",
    options: [target("15ms"), ecn("false")],
    inBytes: null,
    hasDefault: true,
    perFlow: true,
  },
  {
    name: "fq",
    about: "a queue for each flow, served in turn",
    options: [],
    inBytes: null,
    hasDefault: true,
    perFlow: true,
  },
  {
    name: "cake",
    about: "a queue for each flow, with CoDel's successor in each",
    options: [],
    inBytes: "memlimit_bytes",
    hasDefault: true,
    perFlow: true,
  },
  {
    name: "dualpi2",
    about: "two coupled queues: a shallow one for L4S (Prague), one for the rest",
    options: [target("15ms")],
    inBytes: null,
    hasDefault: true,
    perFlow: false,
  },
];

export function discipline(name: string): Discipline {
  return DISCIPLINES.find((one) => one.name === name) ?? DISCIPLINES[0];
}

/** The value and key by which the engine knows an option. */
export function engineOption(option: Option, text: string): [string, number | boolean] {
  switch (option.kind) {
    case "time":
      return [`${option.name}_ns`, parseTimeNs(text)];
    case "bytes":
      return [`${option.name}_bytes`, parseBytes(text)];
    case "flag":
      return [option.name, text === "true"];
    default:
      return [option.name, Number(text)];
  }
}

export function parseTimeNs(text: string): number {
  const match = /^([\d.]+)\s*(ns|us|ms|s)$/.exec(text.trim());
  if (!match) return NaN;
  const scale = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }[match[2] as "ns" | "us" | "ms" | "s"];
  return Math.round(Number(match[1]) * scale);
}

export function parseBytes(text: string): number {
  const match = /^([\d.]+)\s*(B|kB|MB)$/.exec(text.trim());
  return match ? Math.round(Number(match[1]) * { B: 1, kB: 1e3, MB: 1e6 }[match[2] as "B" | "kB" | "MB"]) : NaN;
}

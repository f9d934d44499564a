/** The rules that a reader may write: parameters of rules.c, which the engine has as `rules`. */

import source from "../../../labs/rules.c?raw";

export interface Rule {
  name: string;
  label: string;
  about: string;
  initial: number;
  least: number;
  most: number;
  step: number;
  /** The value in words. */
  text: (value: number) => string;
}

const share = (value: number) => `× ${(value / 1024).toFixed(2)}`;
const gain = (value: number) => `× ${(value / 256).toFixed(2)}`;

export const RULES: Rule[] = [
  {
    name: "increase",
    label: "Additive increase",
    about: "Growth of the window per round trip. Reno: 1 packet.",
    initial: 100,
    least: 10,
    most: 1000,
    step: 10,
    text: (value) => `${(value / 100).toFixed(1)} packets`,
  },
  {
    name: "keep",
    label: "Multiplicative decrease",
    about: "Remaining share of the window after a loss. Reno: 0.5; CUBIC: 0.7.",
    initial: 512,
    least: 103,
    most: 1014,
    step: 1,
    text: share,
  },
  {
    name: "delay_target_us",
    label: "Delay target",
    about: "Queueing delay above which the window shrinks. 0: only losses count.",
    initial: 0,
    least: 0,
    most: 200_000,
    step: 1000,
    text: (value) => (value ? `${value / 1000} ms` : "none"),
  },
  {
    name: "delay_keep",
    label: "Decrease above the target",
    about: "Remaining share of the window after a round trip above the delay target.",
    initial: 896,
    least: 512,
    most: 1014,
    step: 1,
    text: share,
  },
  {
    name: "slow_start",
    label: "Slow start",
    about: "Whether the window doubles in each round trip at the start.",
    initial: 1,
    least: 0,
    most: 1,
    step: 1,
    text: (value) => (value ? "yes" : "no"),
  },
  {
    name: "gains",
    label: "Pacing cycle",
    about: "Number of round trips in the cycle of pacing gains. 0: no pacing, packets leave when ACKs arrive.",
    initial: 0,
    least: 0,
    most: 8,
    step: 1,
    text: (value) => (value ? `${value} round trips` : "no pacing"),
  },
  ...[320, 192, 256, 256, 256, 256, 256, 256].map((initial, index) => ({
    name: `gain_${index + 1}`,
    label: `Gain ${index + 1}`,
    about: `Pacing gain of round trip ${index + 1} of the cycle, times window over RTT.`,
    initial,
    least: 64,
    most: 768,
    step: 16,
    text: gain,
  })),
];

/** The C file with these values as its defaults: a struct_ops program for `fairlane duel` and for the kernel. */
export function sourceWith(values: Record<string, number>): string {
  return source.replace(/^(const volatile __u32 (\w+) = )\d+;$/gm, (line, start: string, name: string) =>
    name in values ? `${start}${values[name]};` : line,
  );
}

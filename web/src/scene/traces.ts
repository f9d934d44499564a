/** Links whose rate varies as on a mobile network: `--trace lte`, `5g` and `starlink` of `fairlane duel`. */

import { traces } from "fairlane-engine/links.json";

export interface Step {
  atNs: number;
  bps: number;
  /** One-way delay of the link; none: the scene's. */
  delayNs: number | null;
}

/** All steps of a trace, the first at 0. */
export function steps(name: string): Step[] {
  const { period_ns, periods, steps } = traces[name];
  return Array.from({ length: periods }, (_, period) =>
    steps.map(([atNs, bps, delayNs]) => ({ atNs: period * period_ns + atNs, bps, delayNs })),
  ).flat();
}

/** The name, if there is such a trace. */
export function traceOf(word: string | null): string | null {
  return word && word in traces ? word : null;
}

/** By it the size of a buffer in BDPs is computed. */
export function meanBps(name: string): number {
  return traces[name].mean_bps;
}

export function stepAt(name: string, timeNs: number): Step {
  const { period_ns, periods, steps } = traces[name];
  const inPeriod = timeNs < period_ns * periods ? timeNs % period_ns : period_ns;
  const [atNs, bps, delayNs] = steps.findLast(([atNs]) => atNs <= inPeriod) ?? steps[0];
  return { atNs, bps, delayNs };
}

export function delayVaries(name: string): boolean {
  return traces[name].steps[0][2] !== null;
}

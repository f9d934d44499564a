/** Grades the answers of a lab with the figures of python/fairlane/search/labs.py, in the open network. */

import type { Player, ResultJson } from "../engine/player";
import { fromQuery, queryText, toQuery } from "../scene/address";
import { scenarioOf } from "../scene/engine_scenario";
import { FRAME_BYTES } from "../scene/scene";
import type { LabQuestion } from "./labs";

export interface Grade {
  passed: boolean;
  detail: string;
}

type Point = {
  links: {
    name: string;
    rate_bps?: number;
    delay_ns: number;
    queue?: { limit_bytes?: number; limit_packets?: number };
  }[];
  flows: { forward: string[]; reverse: string[]; parameters: Record<string, number> }[];
};

export async function grade(question: LabQuestion, answer: string, player: Player): Promise<Grade> {
  if (question.kind === "file") return { passed: false, detail: "graded by fairlane lab grade" };
  if (question.kind === "number") {
    const value = Number(answer);
    if (!answer.trim() || !Number.isFinite(value)) return { passed: false, detail: "no number" };
    const measured = (await figures(question.scene, player))[question.metric];
    const passed = Math.abs(value - measured) <= (Math.abs(measured) * question.within_pct) / 100;
    return { passed, detail: `${value} ${question.unit}${passed ? "" : ` is more than ${question.within_pct} % off`}` };
  }
  if (!answer) return { passed: false, detail: "no scene" };
  const [given, first] = [words(answer), words(question.start)];
  for (const key of question.keep) {
    if (given.get(key) !== first.get(key)) {
      return { passed: false, detail: `${key} must stay ${first.get(key) ?? "as it is by default"}` };
    }
  }
  const found = await figures(answer, player);
  const details: string[] = [];
  for (const need of question.require) {
    const value = found[need.metric];
    if (!(value >= (need.least ?? -Infinity) && value <= (need.most ?? Infinity))) {
      const bounds = [
        need.least === undefined ? "" : `at least ${need.least}`,
        need.most === undefined ? "" : `at most ${need.most}`,
      ];
      return {
        passed: false,
        detail: `${need.metric} is ${short(value)}; required: ${bounds.filter(Boolean).join(" and ")}`,
      };
    }
    details.push(`${need.metric} ${short(value)}`);
  }
  return { passed: true, detail: details.join(", ") };
}

function short(value: number | undefined): string {
  return value === undefined ? "unknown" : String(Number(value.toPrecision(4)));
}

/** In the form that the page writes, so that one scene has one text. */
function words(query: string): Map<string, string> {
  const scene = toQuery({ ...fromQuery(new URLSearchParams(query)), changes: [] });
  return new Map([["queue", "fifo"], ...new URLSearchParams(queryText(scene))]);
}

async function figures(query: string, player: Player): Promise<Record<string, number>> {
  // As `fairlane lab` runs it: samples every 100 ms unless the scene says otherwise.
  const asked = new URLSearchParams(query);
  const scene = fromQuery(asked);
  const point = scenarioOf({ ...scene, intervalMs: asked.has("interval") ? scene.intervalMs : 100, changes: [] });
  return figuresOf(point as unknown as Point, await player.result(point));
}

export function figuresOf(point: Point, result: ResultJson): Record<string, number> {
  const [link] = result.links;
  const [bottleneck] = point.links;
  const delays = new Map(point.links.map((one) => [one.name, one.delay_ns]));
  const longestNs = Math.max(
    ...point.flows.map((flow) =>
      [...flow.forward, ...flow.reverse].reduce((sum, name) => sum + (delays.get(name) ?? 0), 0),
    ),
  );
  const bdp = ((bottleneck.rate_bps ?? 0) * longestNs) / 8e9;
  const limit = bottleneck.queue?.limit_bytes ?? (bottleneck.queue?.limit_packets ?? 0) * FRAME_BYTES;
  const goodputs = result.flows.map((flow) => flow.goodput_mbps ?? 0);
  const total = goodputs.reduce((a, b) => a + b, 0);
  const losses = result.series.flows.flatMap((one) => one.t_s.filter((_, at) => one.lost_packets[at]));
  const found: Record<string, number> = {
    utilisation_pct: 100 * (link.utilisation ?? NaN),
    p95_queue_ms: link.p95_queue_delay_ms ?? 0,
    dropped_pct: (100 * (link.dropped_packets ?? 0)) / Math.max(1, link.delivered_packets ?? 0),
    jain: result.jain_index ?? 0,
    bdp_packets: bdp / FRAME_BYTES,
    buffer_bdp: bdp ? limit / bdp : NaN,
    lost_packets: result.flows.reduce((sum, flow) => sum + (flow.lost_packets ?? 0), 0),
    first_loss_s: losses.length ? Math.min(...(losses as number[])) : NaN,
  };
  result.flows.forEach((flow, number) => {
    const windows = result.series.flows[number].cwnd_packets as number[];
    const late = windows.slice(Math.floor(windows.length / 2));
    found[`goodput_${number}_mbps`] = goodputs[number];
    found[`share_${number}_pct`] = total ? (100 * goodputs[number]) / total : 0;
    found[`rtt_${number}`] = flow.mean_rtt_ms ?? NaN;
    found[`peak_cwnd_${number}`] = Math.max(...late);
    found[`low_cwnd_${number}`] = Math.min(...late);
    for (const [name, value] of Object.entries(point.flows[number].parameters))
      found[`parameter_${number}_${name}`] = value;
  });
  if (goodputs[1]) found.ratio_0_1 = goodputs[0] / goodputs[1];
  return found;
}

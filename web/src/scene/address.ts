/** A scene as a query: the words of `fairlane duel`, so that an address can be read and typed. */

import { discipline } from "./queues";
import { type Change, type Network, type Row, type Scene, type Size, FIRST, defaultRttMs, isWifi, row } from "./scene";
import { meanBps, traceOf } from "./traces";

export function toQuery(scene: Scene): URLSearchParams {
  const query = new URLSearchParams();
  query.set("flows", scene.rows.map(rowWord).join(" "));
  if (scene.network !== "link") query.set("net", scene.network);
  if (scene.trace) query.set("trace", scene.trace);
  else if (!isWifi(scene)) query.set("rate", rateWord(scene.rateBps));
  if (scene.reverseBps) query.set("reverse", rateWord(scene.reverseBps));
  query.set("rtt", listWord(scene.rows.map((one) => `${number(one.rttMs)}ms`)));
  if (scene.buffer) query.set("buffer", sizeWord(scene.buffer));
  if (scene.queue !== "fifo" || Object.keys(scene.options).length) query.set("queue", queueWord(scene));
  if (scene.lossPct) query.set("loss", `${number(scene.lossPct)}%`);
  if (scene.ecn) query.set("ecn", "1");
  if (scene.rows.some((one) => one.startS))
    query.set("start", listWord(scene.rows.map((one) => `${number(one.startS)}s`)));
  if (scene.rows.some((one) => one.workload !== "bulk"))
    query.set("workload", scene.rows.map((one) => one.workload).join(","));
  query.set("time", `${number(scene.timeS)}s`);
  if (scene.seed !== 1) query.set("seed", String(scene.seed));
  if (scene.intervalMs !== FIRST.intervalMs) query.set("interval", `${number(scene.intervalMs)}ms`);
  if (scene.changes.length) {
    query.set(
      "changes",
      scene.changes.map(({ atNs, key, value }) => `${number(atNs / 1e9)}s:${key}=${value}`).join(","),
    );
  }
  return query;
}

/** A readable query: only characters that would end it are escaped. */
export function queryText(query: URLSearchParams): string {
  return [...query]
    .map(
      ([key, value]) =>
        `${key}=${encodeURIComponent(value)
          .replace(/%(2C|3A|2A|3D|40)/g, (code) => decodeURIComponent(code))
          .replace(/%20/g, "+")}`,
    )
    .join("&");
}

/** The scene of a query; what is absent or cannot be read has its default. */
export function fromQuery(query: URLSearchParams): Scene {
  const network =
    (["link", "lot", "n", "ac", "ax"] as const).find((one) => one === query.get("net")) ?? ("link" as Network);
  const words = (query.get("flows") ?? "").split(/\s+/).filter(Boolean);
  if (!words.length) return structuredClone(FIRST);
  const rows = words.slice(0, 8).map(readRow);
  const spread = (name: string, read: (text: string) => number, initial: number) => {
    const values = (query.get(name) ?? "").split(",").map(read);
    return (index: number) => finite(values.length > 1 ? values[index] : values[0], initial);
  };
  const rtt = spread("rtt", (text) => timeS(text) * 1000, defaultRttMs(network));
  const start = spread("start", timeS, 0);
  const workloads = (query.get("workload") ?? "").split(",");
  const trace = network === "link" ? traceOf(query.get("trace")) : null;
  const [queue, ...options] = (query.get("queue") ?? "fifo").split(/[:,]/);
  const scene: Scene = {
    network,
    rateBps: trace ? meanBps(trace) : clamp(readRate(query.get("rate") ?? ""), 1e5, 1e9, FIRST.rateBps),
    trace,
    reverseBps: Number.isFinite(readRate(query.get("reverse") ?? "")) ? readRate(query.get("reverse") ?? "") : null,
    buffer: readSize(query.get("buffer")),
    queue: discipline(queue).name,
    options: Object.fromEntries(options.map((one) => one.split("=")).filter(([key, value]) => key && value)),
    lossPct: clamp(Number.parseFloat(query.get("loss") ?? ""), 0, 50, 0),
    ecn: query.get("ecn") === "1",
    timeS: clamp(timeS(query.get("time") ?? ""), 1, 600, FIRST.timeS),
    seed: Math.round(clamp(Number(query.get("seed") ?? "1"), 0, 2 ** 32, 1)),
    intervalMs: clamp(timeS(query.get("interval") ?? "") * 1000, 1, 1000, FIRST.intervalMs),
    rows: rows.map((one, index) => ({
      ...one,
      rttMs: clamp(rtt(index), 0.1, 2000, 80),
      startS: clamp(start(index), 0, 600, 0),
      workload: workloads[index] || "bulk",
    })),
    changes: (query.get("changes") ?? "").split(",").flatMap(readChange),
  };
  return scene;
}

function rowWord({ algorithm, parameters, count }: Row): string {
  const given = Object.entries(parameters);
  const options = given.length ? `:${given.map(([key, value]) => `${key}=${value}`).join(",")}` : "";
  return `${algorithm}${options}${count > 1 ? `*${count}` : ""}`;
}

function readRow(word: string): Row {
  const match = /^([a-z0-9_]+)(?::([^*]*))?(?:\*(\d+))?$/.exec(word);
  if (!match) return row("cubic");
  const parameters = (match[2] ?? "")
    .split(",")
    .map((one) => one.split("="))
    .filter(([key, value]) => key && Number.isInteger(Number(value)));
  return row(match[1], {
    parameters: Object.fromEntries(parameters.map(([key, value]) => [key, Number(value)])),
    count: clamp(Number(match[3] ?? 1), 1, 20, 1),
  });
}

/** Words of a scene's rows, as arguments of `fairlane duel`. */
export function rowWords(scene: Scene): string[] {
  return scene.rows.map(rowWord);
}

export function queueWord(scene: Scene): string {
  const options = Object.entries(scene.options).filter(([, value]) => value);
  return scene.queue + (options.length ? `:${options.map(([key, value]) => `${key}=${value}`).join(",")}` : "");
}

function readChange(word: string): Change[] {
  const match = /^([\d.]+)s:(rate_bps|delay_ns|loss|queue_limit|\d+\.\w+)=([\d.]+)$/.exec(word);
  return match ? [{ atNs: Number(match[1]) * 1e9, key: match[2] as Change["key"], value: Number(match[3]) }] : [];
}

/** One value if all are equal. */
export function listWord(words: string[]): string {
  return words.every((one) => one === words[0]) ? words[0] : words.join(",");
}

export function number(value: number): string {
  return String(Number(value.toPrecision(9)));
}

export function rateWord(bps: number): string {
  if (bps >= 1e9) return `${number(bps / 1e9)}gbit`;
  return bps >= 1e6 ? `${number(bps / 1e6)}mbit` : `${number(bps / 1e3)}kbit`;
}

export function readRate(text: string): number {
  const match = /^([\d.]+)\s*(k|m|g)bit$/i.exec(text.trim());
  return match ? Number(match[1]) * { k: 1e3, m: 1e6, g: 1e9 }[match[2].toLowerCase() as "k" | "m" | "g"] : NaN;
}

export function sizeWord({ value, unit }: Size): string {
  return `${number(value)}${unit}`;
}

export function readSize(text: string | null): Size | null {
  const match = /^([\d.]+)\s*(bdp|p|ms|B|kB|MB)$/.exec(text?.trim() ?? "");
  if (!match || !(Number(match[1]) > 0)) return null;
  if (match[2] === "kB") return { value: Number(match[1]) * 1e3, unit: "B" };
  if (match[2] === "MB") return { value: Number(match[1]) * 1e6, unit: "B" };
  return { value: Number(match[1]), unit: match[2] as Size["unit"] };
}

function timeS(text: string): number {
  const match = /^([\d.]+)\s*(us|ms|s)$/.exec(text.trim());
  return match ? Number(match[1]) * { us: 1e-6, ms: 1e-3, s: 1 }[match[2] as "us" | "ms" | "s"] : NaN;
}

function finite(value: number, otherwise: number): number {
  return Number.isFinite(value) ? value : otherwise;
}

export function clamp(value: number, low: number, high: number, otherwise: number): number {
  return Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : otherwise;
}

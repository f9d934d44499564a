/** A scene: one network with its flows, in the words and with the defaults of `fairlane duel`. */

export type Network = "link" | "lot" | "n" | "ac" | "ax";
export type Unit = "bdp" | "p" | "ms" | "B";

export interface Size {
  value: number;
  unit: Unit;
}

/** One or several flows of one kind. */
export interface Row {
  algorithm: string;
  parameters: Record<string, number>;
  count: number;
  rttMs: number;
  startS: number;
  workload: string;
}

/** A change while the scene runs. */
export interface Change {
  atNs: number;
  /** `0.beta`: that parameter of the first row's algorithm. */
  key: "rate_bps" | "delay_ns" | "loss" | "queue_limit" | `${number}.${string}`;
  value: number;
}

/** Row and name of a change of a parameter. */
export function parameterOf({ key }: Change): { row: number; name: string } | null {
  const [row, name] = key.split(".");
  return name ? { row: Number(row), name } : null;
}

export interface Scene {
  network: Network;
  /** Of a trace its mean. */
  rateBps: number;
  /** A link whose rate varies (`traces.ts`); none: the rate is constant. */
  trace: string | null;
  /** Of the link of the ACKs; none: infinitely fast. */
  reverseBps: number | null;
  /** None: tc's default limit of the discipline, and 1 BDP where tc has none. */
  buffer: Size | null;
  queue: string;
  options: Record<string, string>;
  lossPct: number;
  ecn: boolean;
  timeS: number;
  seed: number;
  intervalMs: number;
  rows: Row[];
  changes: Change[];
}

export const PACKET_BYTES = 1500;
/** An Ethernet header, which queues and links count. */
export const FRAME_BYTES = PACKET_BYTES + 14;
/** One way across the wire of a Wi-Fi cell when a scene gives no RTT (`fairlane duel --wifi`). */
const WIRE_RTT_MS = 0.2;

export function row(algorithm: string, more: Partial<Row> = {}): Row {
  return { algorithm, parameters: {}, count: 1, rttMs: 80, startS: 0, workload: "bulk", ...more };
}

export const FIRST: Scene = {
  network: "link",
  rateBps: 4e6,
  trace: null,
  reverseBps: null,
  buffer: { value: 1, unit: "bdp" },
  queue: "fifo",
  options: {},
  lossPct: 0,
  ecn: false,
  timeS: 60,
  seed: 1,
  intervalMs: 50,
  rows: [row("cubic"), row("bbr", { startS: 4 })],
  changes: [],
};

/** One row per flow. */
export function flowsOf(scene: Scene): Row[] {
  return scene.rows.flatMap((one) => Array.from({ length: one.count }, () => one));
}

export function isWifi(scene: Scene): boolean {
  return scene.network !== "link" && scene.network !== "lot";
}

export function smallestRttMs(scene: Scene): number {
  return Math.min(...scene.rows.map((one) => one.rttMs));
}

export function longestRttMs(scene: Scene): number {
  return Math.max(...scene.rows.map((one) => one.rttMs));
}

export function bdpBytes(scene: Scene, rateBps = scene.rateBps, rttMs = longestRttMs(scene)): number {
  return Math.round((rateBps * rttMs) / 8000);
}

/** A buffer size in bytes. */
export function sizeBytes(size: Size, scene: Scene): number {
  switch (size.unit) {
    case "bdp":
      return Math.round(size.value * bdpBytes(scene));
    case "ms":
      return Math.round((size.value * scene.rateBps) / 8000);
    case "p":
      return size.value * FRAME_BYTES;
    case "B":
      return size.value;
  }
}

export function defaultRttMs(network: Network): number {
  return network === "link" || network === "lot" ? 80 : WIRE_RTT_MS;
}

/** A short name for each flow, with a number where several have the same. */
export function flowNames(scene: Scene): string[] {
  const flows = flowsOf(scene);
  const total = new Map<string, number>();
  for (const flow of flows) total.set(flow.algorithm, (total.get(flow.algorithm) ?? 0) + 1);
  const seen = new Map<string, number>();
  return flows.map(({ algorithm }) => {
    const number = (seen.get(algorithm) ?? 0) + 1;
    seen.set(algorithm, number);
    return displayName(algorithm) + ((total.get(algorithm) ?? 0) > 1 ? ` ${number}` : "");
  });
}

const NAMES: Record<string, string> = {
  bbr: "BBR",
  bbr2: "BBRv2",
  bbr3: "BBRv3",
  bic: "BIC",
  cubic: "CUBIC",
  dctcp: "DCTCP",
  highspeed: "HighSpeed",
  htcp: "H-TCP",
  lola: "TCP LoLa",
  modest_bbr: "Modest BBR",
  rules: "your rules",
  yeah: "YeAH",
};

export function displayName(algorithm: string): string {
  return NAMES[algorithm] ?? algorithm.charAt(0).toUpperCase() + algorithm.slice(1);
}

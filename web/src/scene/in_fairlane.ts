/** A scene for the command line: the command, the experiment file, the lines of Python. */

import { listWord, number, queueWord, rateWord, rowWords, sizeWord } from "./address";
import { hopDelayMs, hopsOf } from "./engine_scenario";
import { discipline } from "./queues";
import { type Scene, flowsOf, isWifi, smallestRttMs } from "./scene";
import { tomlWorkload } from "./workloads";

/** Whether one line of `fairlane duel` says all of it. */
export function isDuel(scene: Scene): boolean {
  return scene.network !== "lot" && !scene.changes.length && scene.rows.every((one) => one.workload === "bulk");
}

/** The rules editor's algorithm is a file that the reader has saved. */
function fileOf(algorithm: string): string {
  return algorithm === "rules" ? "./rules.c" : algorithm;
}

function fileWords(scene: Scene): string[] {
  return rowWords(scene).map((word) => word.replace(/^rules\b/, fileOf("rules")));
}

/** Settings by the names of `fairlane.duel`, as text. */
function settings(scene: Scene): Record<string, string | string[]> {
  const of: Record<string, string | string[]> = {};
  const list = (words: string[]) => (listWord(words).includes(",") ? words : words[0]);
  if (isWifi(scene)) of.wifi = scene.network;
  else if (scene.trace) of.trace = scene.trace;
  else of.rate = rateWord(scene.rateBps);
  of.rtt = list(scene.rows.map((one) => `${number(one.rttMs)}ms`));
  if (scene.buffer) of.buffer = sizeWord(scene.buffer);
  if (!isWifi(scene) && queueWord(scene) !== "fifo") of.queue = queueWord(scene);
  if (scene.lossPct && !isWifi(scene)) of.loss = `${number(scene.lossPct)}%`;
  if (scene.reverseBps && scene.network === "link") of.reverse_rate = rateWord(scene.reverseBps);
  if (scene.rows.some((one) => one.startS)) of.start = list(scene.rows.map((one) => `${number(one.startS)}s`));
  of.duration = `${number(scene.timeS)}s`;
  of.interval = `${number(scene.intervalMs)}ms`;
  return of;
}

export function command(scene: Scene): string {
  if (!isDuel(scene)) return "fairlane run scene.toml";
  const words = fileWords(scene).map((word) => (/[*:]/.test(word) ? `'${word}'` : word));
  const options = Object.entries(settings(scene)).map(
    ([name, value]) =>
      `--${name === "duration" ? "time" : name.replace("_", "-")} ${Array.isArray(value) ? value.join(",") : value}`,
  );
  if (scene.ecn) options.push("--ecn");
  if (scene.seed !== 1) options.push(`--seed ${scene.seed}`);
  return ["fairlane duel", ...words, ...options].join(" ");
}

export function python(scene: Scene): string {
  if (!isDuel(scene)) return 'import fairlane\n\nresults = fairlane.run("scene.toml")\nprint(results)\n';
  const names = fileWords(scene).map((word) => JSON.stringify(word));
  const given = Object.entries(settings(scene)).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  if (scene.ecn) given.push("ecn=True");
  if (scene.seed !== 1) given.push(`seed=${scene.seed}`);
  return `import fairlane\n\nresult = fairlane.duel(\n    ${[...names, ...given].join(",\n    ")},\n)\nprint(result)\n`;
}

export function toml(scene: Scene): string {
  const lines = [
    "# scene.toml",
    `duration = "${number(scene.timeS)}s"`,
    ...(scene.seed === 1 ? [] : [`seed = ${scene.seed}`]),
    `metrics = { interval = "${number(scene.intervalMs)}ms" }`,
    `hosts = { offload = false, ecn = ${scene.ecn} }`,
    "",
    ...network(scene),
    "",
  ];
  const hops = hopsOf(scene);
  flowsOf(scene).forEach((flow, index) => {
    lines.push("[[flows]]", `algorithm = "${fileOf(flow.algorithm)}"`);
    const parameters = Object.entries(flow.parameters);
    if (parameters.length)
      lines.push(`parameters = { ${parameters.map(([key, value]) => `${key} = ${value}`).join(", ")} }`);
    if (scene.network === "lot") lines.push(`hops = [${hops[index].map((hop) => hop + 1).join(", ")}]`);
    else lines.push(`rtt = "${number(flow.rttMs)}ms"`);
    if (flow.startS) lines.push(`start = "${number(flow.startS)}s"`);
    if (flow.workload !== "bulk") lines.push(`workload = ${tomlWorkload(flow.workload)}`);
    lines.push("");
  });
  return lines.join("\n");
}

function network(scene: Scene): string[] {
  if (isWifi(scene)) {
    const lines = ["[network]", 'kind = "wifi"', `standard = "${scene.network}"`];
    lines.push(`wire = { delay = "${number(smallestRttMs(scene) / 2)}ms" }`);
    if (scene.buffer) lines.push(`buffer = "${sizeWord(scene.buffer)}"`);
    return lines;
  }
  const lines = ["[network]", scene.trace ? `trace = "${scene.trace}"` : `rate = "${rateWord(scene.rateBps)}"`];
  if (scene.network === "lot")
    lines.push('topology = "parking_lot"', "hops = 2", `hop_delay = "${number(hopDelayMs(scene))}ms"`);
  else lines.push(`rtt = "${number(smallestRttMs(scene))}ms"`);
  lines.push(`queue = ${queueToml(scene)}`);
  if (scene.buffer) lines.push(`buffer = "${sizeWord(scene.buffer)}"`);
  if (scene.lossPct) lines.push(`loss = "${number(scene.lossPct)}%"`);
  if (scene.reverseBps && scene.network === "link")
    lines.push(`reverse = { rate = "${rateWord(scene.reverseBps)}", buffer = "1000p" }`);
  const changes = scene.changes.filter((one) => ["rate_bps", "delay_ns", "loss"].includes(one.key));
  if (changes.length) lines.push("changes = [", ...changes.map((one) => `    { ${changeToml(one)} },`), "]");
  if (changes.length < scene.changes.length)
    lines.push("# Changes of buffer and parameters during the run are not in this file.");
  return lines;
}

function changeToml({ atNs, key, value }: Scene["changes"][number]): string {
  const at = `at = "${number(atNs / 1e9)}s"`;
  if (key === "rate_bps") return `${at}, rate = "${rateWord(value)}"`;
  return key === "delay_ns" ? `${at}, delay = "${number(value / 1e6)}ms"` : `${at}, loss = "${number(value * 100)}%"`;
}

function queueToml(scene: Scene): string {
  const given = Object.entries(scene.options).filter(([, value]) => value);
  if (!given.length) return `"${scene.queue}"`;
  const kinds = new Map(discipline(scene.queue).options.map((one) => [one.name, one.kind]));
  const options = given.map(([key, value]) => {
    const plain = kinds.get(key) === "flag" || kinds.get(key) === "share" || kinds.get(key) === "number";
    return `${key} = ${plain ? value : `"${value}"`}`;
  });
  return `{ kind = "${scene.queue}", ${options.join(", ")} }`;
}

// Runs scenarios, one per line of standard input, and prints the hash of each result: node run.mjs FOLDER [TIMES].
// With TIMES it runs each so often, and also prints the CPU seconds of the quickest run.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, times] = process.argv.slice(2);
const { init, Run } = await import(pathToFileURL(`${folder}/fairlane.js`).href);
await init(readFileSync(`${folder}/fairlane.wasm`));
for (const scenario of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  try {
    let result;
    let quickest = Infinity;
    for (let count = 0; count < Number(times ?? 1); count++) {
      const before = process.cpuUsage();
      result = new Run(scenario).result_json();
      const { user, system } = process.cpuUsage(before);
      quickest = Math.min(quickest, (user + system) / 1e6);
    }
    const hash = createHash("sha256").update(result).digest("hex");
    console.log(times ? `${hash} ${quickest}` : hash);
  } catch (error) {
    console.log(error.message);
  }
}

// Runs scenarios, one per line of standard input, and prints the hash of each result: node run.mjs FOLDER.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const { init, Run } = await import(pathToFileURL(`${folder}/fairlane.js`).href);
await init(readFileSync(`${folder}/fairlane.wasm`));
for (const scenario of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  try {
    console.log(createHash("sha256").update(new Run(scenario).result_json()).digest("hex"));
  } catch (error) {
    console.log(error.message);
  }
}

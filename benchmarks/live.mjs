// Size, first paint and times of frames of Fairlane Live in Chromium: `node benchmarks/live.mjs [--write]`, after `make web`.

import { execSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import { gzipSync } from "node:zlib";
import { BUILT, open } from "../web/tests/browser.mjs";

const SECONDS = 4;
const SCENES = {
  "2 flows, 4 Mbit/s, 1/4 of real time": "",
  "5 flows, 20 Mbit/s, real time": "#flows=cubic*3+bbr*2&rate=20mbit&rtt=40ms&buffer=1bdp&time=60s",
  "2 flows, 100 Mbit/s, 1/10 of real time": "#flows=cubic+bbr&rate=100mbit&rtt=40ms&buffer=1bdp&time=60s",
};
const SPEEDS = [0.25, 1, 0.1];

const files = readdirSync(BUILT, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
const sizes = files.map((one) => {
  const content = readFileSync(`${one.parentPath}/${one.name}`);
  return { wasm: one.name.endsWith(".wasm"), whole: content.length, packed: gzipSync(content, { level: 9 }).length };
});
const total = (key, list = sizes) => (list.reduce((sum, one) => sum + one[key], 0) / 1e6).toFixed(2);

const live = await open();
const rows = [
  ["whole page", `${total("whole")} MB, ${total("packed")} MB gzipped`],
  [
    "of it the engine with all algorithms",
    `${total(
      "packed",
      sizes.filter((one) => one.wasm),
    )} MB gzipped`,
  ],
];
const page = await live.page();
const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
const moving = await page.evaluate(() => window.fairlane.player.firstSampleMs);
rows.push(["first contentful paint, static server on this machine", `${Math.round(paint)} ms`]);
rows.push(["first sample of the simulation", `${Math.round(moving)} ms`]);
await page.context().close();
for (const [index, [name, hash]] of Object.entries(SCENES).entries()) {
  const other = await live.page(hash);
  await other.evaluate((speed) => (window.fairlane.player.speed = speed), SPEEDS[index]);
  await other.waitForTimeout(2000);
  // CPU time of the page's thread, which the machine's load does not change; frames per second do suffer from it.
  const session = await other.context().newCDPSession(other);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const cpu = async () =>
    (await session.send("Performance.getMetrics")).metrics.find((one) => one.name === "TaskDuration").value;
  const before = await cpu();
  const frames = await other.evaluate(
    (seconds) =>
      new Promise((resolve) => {
        const times = [];
        const next = (now) => {
          times.push(now);
          if (now - times[0] < seconds * 1000) requestAnimationFrame(next);
          else resolve(times.slice(1).map((time, index) => time - times[index]));
        };
        requestAnimationFrame(next);
      }),
    SECONDS,
  );
  const used = ((await cpu()) - before) * 1000;
  const at = (share) => frames.toSorted((a, b) => a - b)[Math.floor(share * (frames.length - 1))].toFixed(1);
  rows.push([
    name,
    `${(used / frames.length).toFixed(1)} ms of the page's thread per frame; every ${at(0.5)} ms a frame, 95 % within ${at(0.95)} ms`,
  ]);
  await other.context().close();
}
await live.close();

const commit = execSync("git rev-parse --short HEAD").toString().trim();
const date = new Date().toISOString().slice(0, 10);
const [{ model }] = os.cpus();
const head = `${date}, ${model}, ${os.cpus().length} cores, load average ${os.loadavg()[0].toFixed(1)}, commit ${commit}, drawn without a graphics card:`;
const table = [head, "", "| value | |", "|---|--:|", ...rows.map((row) => `| ${row.join(" | ")} |`)].join("\n");
console.log(table);
if (process.argv.includes("--write")) {
  const place = new URL("README.md", import.meta.url);
  const text = readFileSync(place, "utf8");
  writeFileSync(place, text.replace(/(<!-- live -->\n\n)[\s\S]*?(\n\n<!-- end of live -->)/, `$1${table}$2`));
}

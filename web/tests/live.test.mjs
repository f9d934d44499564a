/** The built page in Chromium. `npm test` runs this; it needs the page (`make web`) and Debian's chromium. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { open, playTo } from "./browser.mjs";

const ROOT = new URL("../../", import.meta.url);
const AXE = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const SOLUTIONS = JSON.parse(readFileSync(new URL("tests/labs/solutions.json", ROOT), "utf8"));

let live;
let page;
before(async () => {
  live = await open();
  page = await live.page();
});
after(() => live.close());

test("it moves before anyone clicks", async () => {
  const first = await page.evaluate(() => window.fairlane.player.shownNs);
  await page.waitForFunction((first) => window.fairlane.player.shownNs > first + 1e8, first);
  await page.waitForFunction(() => /CUBIC/.test(document.querySelector(".answer").textContent));
});

test("handles change what they are on, while it runs", async () => {
  await playTo(page, "flows=cubic&rate=10mbit&rtt=40ms&buffer=1bdp&time=60s", 5);
  for (const [name, key, change] of [
    ["buffer", "ArrowLeft", "queue_limit"],
    ["rate", "ArrowUp", "rate_bps"],
    ["delay", "ArrowRight", "delay_ns"],
  ]) {
    await page.focus(`.grip.${name}`);
    await page.keyboard.press(key);
    const last = await page.evaluate(() => window.fairlane.player.scene.changes.at(-1));
    assert.equal(last.key, change);
    assert.ok(last.atNs >= 5e9);
  }
  const values = await page.evaluate(() => window.fairlane.player.scene.changes.map((one) => one.value));
  assert.deepEqual(values, [32 * 1514, 11e6, 21e6]);
  // Half the rate after 6 s: the goodput follows.
  await playTo(page, "flows=cubic&rate=10mbit&rtt=40ms&buffer=1bdp&time=60s&changes=6s:rate_bps=5000000", 12);
  const goodputs = await page.evaluate(() => [5.5, 11.5].map((s) => window.fairlane.player.samples.stateAt(0, s).mbps));
  assert.ok(goodputs[0] > 9 && goodputs[1] < 5.1, String(goodputs));
});

test("a drawing of the past has the network of that time, and of a mobile link the present rate", async () => {
  await playTo(page, "flows=cubic&rate=10mbit&rtt=40ms&buffer=1bdp&time=60s&changes=6s:rate_bps=5000000", 8);
  const rateAt = (s) =>
    page.evaluate((s) => {
      window.fairlane.player.seek(s * 1e9);
      return window.fairlane.player.now.rateBps;
    }, s);
  assert.deepEqual([await rateAt(8), await rateAt(5)], [5e6, 10e6]);
  await playTo(page, "flows=cubic&trace=starlink&rtt=50ms&buffer=1bdp&time=60s", 1);
  const [first, second] = [await rateAt(1), await rateAt(16)];
  assert.ok(first !== second && first > 20e6 && second > 20e6, `${first}, ${second} bit/s`);
  assert.equal(await page.evaluate(() => document.querySelector(".grip.rate")), null);
});

test("stepping shows one event after the other, and scrubbing back shows the same", async () => {
  await playTo(page, "flows=reno&rate=4mbit&rtt=80ms&buffer=1bdp&time=20s", 8);
  const before = await page.evaluate(() => window.fairlane.player.samples.flows[0].cwnd_packets.slice(0, 100));
  for (const kind of ["packet", "ack", "loss"]) {
    const from = await page.evaluate((kind) => {
      const { player } = window.fairlane;
      const from = player.shownNs;
      player.step(kind);
      return from;
    }, kind);
    await page.waitForFunction((from) => window.fairlane.player.shownNs > from, from);
  }
  await playTo(page, "flows=reno&rate=4mbit&rtt=80ms&buffer=1bdp&time=20s", 5.5);
  assert.deepEqual(
    await page.evaluate(() => window.fairlane.player.samples.flows[0].cwnd_packets.slice(0, 100)),
    before,
  );
});

test("an address gives the scene from which it was made", async () => {
  const scenes = [
    "flows=cubic:beta=600*2+bbr&rate=20mbit&rtt=20ms,80ms&buffer=50p&queue=codel:target=8ms,ecn=true&loss=1%25&ecn=1&start=0s,5s&time=30s&seed=7",
    "flows=bbr&net=ac&rtt=0.2ms&time=10s",
    "flows=bbr&trace=lte&rtt=50ms&buffer=8bdp&time=10s",
    "flows=reno+reno*2&net=lot&rate=4mbit&rtt=80ms&workload=bulk,on_off&time=20s&changes=3s:rate_bps=2000000,4s:loss=0.02",
  ];
  for (const query of scenes) {
    const [once, twice] = await page.evaluate((query) => {
      const { fromQuery, toQuery, queryText } = window.fairlane;
      const once = queryText(toQuery(fromQuery(new URLSearchParams(query))));
      return [once, queryText(toQuery(fromQuery(new URLSearchParams(once))))];
    }, query);
    assert.equal(once, twice);
    assert.deepEqual(new URLSearchParams(once), new URLSearchParams(query));
  }
});

test("links of the documentation are scenes, lessons, labs or views", async () => {
  const docs = new URL("docs/", ROOT);
  const texts = readdirSync(docs, { recursive: true })
    .filter((name) => name.endsWith(".md"))
    .map((name) => readFileSync(new URL(name, docs), "utf8"));
  const queries = texts.flatMap((text) => [...text.matchAll(/live\.md\?([^)]*)\)/g)].map((match) => match[1]));
  const unread = await page.evaluate(
    (queries) =>
      queries.filter((text) => {
        const { fromQuery, toQuery, LESSONS, LABS } = window.fairlane;
        const query = new URLSearchParams(text);
        if (query.has("lesson")) return !LESSONS.some((one) => one.id === query.get("lesson"));
        if (query.has("lab")) return !LABS.some((one) => one.name === query.get("lab"));
        if (!query.has("flows")) return !["lessons", "labs", "rules"].includes(text);
        const read = toQuery(fromQuery(query));
        return [...query].some(([key, value]) => read.get(key) !== value);
      }),
    queries,
  );
  assert.deepEqual(unread, []);
  assert.ok(queries.length > 20);
});

test("command and file give the scenario that the page runs", async () => {
  const queries = [
    "flows=cubic+bbr&rate=4mbit&rtt=80ms&buffer=1bdp&start=0s,4s&time=60s",
    "flows=cubic:beta=600*2+bbr&rate=20mbit&rtt=20ms,80ms&buffer=50p&queue=codel:target=8ms,ecn=true&loss=1%25&ecn=1&time=30s&seed=7",
    "flows=reno&rate=3mbit&rtt=70ms&buffer=1.3bdp&queue=red:min=10kB,max=30kB&time=30s&interval=100ms",
    "flows=cubic&rate=13mbit&reverse=6mbit&rtt=50ms&buffer=8bdp&time=30s",
    "flows=cubic+bbr&trace=lte&reverse=6mbit&rtt=50ms&buffer=8bdp&time=30s",
    "flows=bbr&trace=starlink&reverse=13.5mbit&rtt=50ms&buffer=1bdp&loss=0.1%25&time=120s",
    "flows=cubic+bbr&net=n&rtt=0.2ms&time=10s",
    "flows=cubic+bbr&net=ac&rtt=20ms&buffer=100p&time=10s",
    "flows=reno&net=ax&rtt=0.2ms&time=10s",
    "flows=reno+reno*2&net=lot&rate=4mbit&rtt=80ms&queue=fq&time=20s",
    "flows=cubic+cubic&rate=10mbit&rtt=20ms&queue=fq_codel&workload=video,call&time=20s",
    "flows=cubic+cubic+reno+reno&rate=10mbit&rtt=20ms&workload=bytes,on_off,ping,web&time=20s",
  ];
  const scenes = await page.evaluate(
    (queries) =>
      queries.map((query) => {
        const { fromQuery, scenarioOf, command, toml } = window.fairlane;
        const scene = fromQuery(new URLSearchParams(query));
        return { command: command(scene), toml: toml(scene), scenario: scenarioOf(scene) };
      }),
    queries,
  );
  const { stdout, stderr } = spawnSync(process.env.PYTHON ?? "python3", ["tests/same_scenarios.py"], {
    input: JSON.stringify(scenes),
  });
  assert.equal(String(stdout), "", String(stderr));
  assert.equal(String(stderr), "");
});

test("each lesson begins unanswered and has an answer", async () => {
  const lessons = await page.evaluate(() =>
    window.fairlane.LESSONS.map(({ id, scene, solution, windowS }) => ({ id, scene, solution, windowS })),
  );
  assert.equal(lessons.length, 12);
  const verdict = (id) =>
    page.evaluate(
      (id) =>
        window.fairlane.judge(
          window.fairlane.LESSONS.find((one) => one.id === id),
          window.fairlane.player,
        ),
      id,
    );
  for (const { id, scene, solution, windowS } of lessons) {
    const seconds =
      { "slow-start": 1.6, cubic: 60, "bbr-cubic": 60, "bbr-phases": 10.2, wifi: 2.5 }[id] ??
      Math.max(20, windowS + 10);
    if (id !== "bbr-phases") {
      await playTo(page, scene, seconds);
      assert.equal((await verdict(id)).verdict, "open", `${id} at its beginning`);
    }
    await playTo(page, solution, seconds);
    if (id === "bbr-phases") {
      // The smallest RTT is not measured anew for 10 s; the moment of PROBE_RTT is looked for, as a reader would.
      for (let at = 10; at < 11 && (await verdict(id)).verdict !== "right"; at += 0.05)
        await playTo(page, solution, at);
    }
    const found = await verdict(id);
    assert.equal(found.verdict, "right", `${id}: ${found.measured}`);
  }
});

test("the page grades the labs as `fairlane lab grade` does", async () => {
  for (const [name, answers] of Object.entries(SOLUTIONS)) {
    const grades = await page.evaluate(
      async ([name, answers]) => {
        const { LABS, grade, player } = window.fairlane;
        const lab = LABS.find((one) => one.name === name);
        const found = [];
        for (const question of lab.questions) {
          if (question.kind !== "file")
            found.push([question.id, await grade(question, String(answers[question.id]), player)]);
        }
        return found;
      },
      [name, answers],
    );
    for (const [id, grade] of grades) assert.ok(grade.passed, `${name}, ${id}: ${grade.detail}`);
  }
});

test("nobody is kept out: axe-core finds nothing, on any page, light and dark", async () => {
  for (const [hash, colorScheme, width] of [
    ["", "light", 1280],
    ["#lesson=ecn", "dark", 390],
    ["#lab=bufferbloat", "light", 390],
    ["#rules", "dark", 1280],
    ["#lessons", "light", 1280],
    ["#labs", "dark", 1280],
    ["#embed", "light", 640],
  ]) {
    const other = await live.page(hash, { colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
    await other.evaluate(() => window.fairlane.player.playing && window.fairlane.player.toggle());
    await other.evaluate(AXE);
    const { violations } = await other.evaluate(() => window.axe.run());
    const found = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`,
    );
    assert.deepEqual(found, [], `${hash} ${colorScheme}`);
    const wide = await other.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${hash} at ${width} px scrolls sideways by ${wide} px`);
    await other.context().close();
  }
});

test("it works without a network once it was loaded", async () => {
  const other = await live.page("");
  await other.evaluate(async () => {
    await navigator.serviceWorker.ready;
    while (!(await caches.has("fairlane-live")) || (await (await caches.open("fairlane-live")).keys()).length < 6)
      await new Promise((next) => setTimeout(next, 50));
  });
  await other.context().setOffline(true);
  await other.reload();
  await other.waitForFunction(() => window.fairlane?.player.samples.times.length > 3);
  await other.context().close();
});

test("nothing is wrong: no message, no request to another place", () => {
  assert.deepEqual(live.complaints, []);
});

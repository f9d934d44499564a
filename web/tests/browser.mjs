/** A browser with the built page, which a server on this machine has; everything that it complains about is kept. */

import { readFile } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { chromium } from "playwright-core";

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
};
export const BUILT = new URL("../../target/live", import.meta.url).pathname;

export async function open() {
  const server = http.createServer(async (request, response) => {
    const name = new URL(request.url, "http://page").pathname.replace(/\/$/, "/index.html");
    try {
      const content = await readFile(path.join(BUILT, path.normalize(name)));
      response.writeHead(200, { "content-type": TYPES[path.extname(name)] ?? "text/plain" }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const address = `http://127.0.0.1:${server.address().port}/`;
  const complaints = [];
  return {
    address,
    complaints,
    async page(hash = "", options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on(
        "request",
        (request) =>
          request.url().startsWith(address) || /^(blob|data):/.test(request.url()) || complaints.push(request.url()),
      );
      await page.goto(address + hash);
      await page.waitForFunction(() => window.fairlane?.player.samples.times.length > 3);
      return page;
    },
    async close() {
      await browser.close();
      server.close();
    },
  };
}

/** Plays a scene up to a time at once; nothing of it is drawn. */
export function playTo(page, query, seconds) {
  return page.evaluate(
    async ([query, seconds]) => {
      const { player, fromQuery } = window.fairlane;
      player.load(fromQuery(new URLSearchParams(query)));
      player.playing = false;
      player.seek(seconds * 1e9);
      while (!player.error && (player.samples.times.at(-1) ?? 0) < seconds - 0.2)
        await new Promise((next) => setTimeout(next, 20));
      if (player.error) throw new Error(player.error);
    },
    [query, seconds],
  );
}

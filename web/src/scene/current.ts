/** A scene with the changes that it has seen so far. */

import { type Scene, isWifi, parameterOf, sizeBytes, smallestRttMs } from "./scene";
import { stepAt } from "./traces";

/** With a time also the rate, and perhaps the delay, that its trace has then. */
export function current(scene: Scene, timeNs?: number): Scene {
  const step = scene.trace && timeNs !== undefined ? stepAt(scene.trace, timeNs) : null;
  if (!scene.changes.length && !step) return scene;
  // The limit stays what it was in bytes when rate or delay change, whichever unit it was given in.
  const now: Scene = { ...scene, changes: [] };
  const isRelative = scene.buffer?.unit === "bdp" || scene.buffer?.unit === "ms";
  if (scene.buffer && isRelative) now.buffer = { value: sizeBytes(scene.buffer, scene), unit: "B" };
  for (const change of scene.changes) {
    const { key, value } = change;
    const parameter = parameterOf(change);
    if (parameter) {
      const { row, name } = parameter;
      now.rows = now.rows.map((one, at) =>
        at === row ? { ...one, parameters: { ...one.parameters, [name]: value } } : one,
      );
      continue;
    }
    switch (key) {
      case "rate_bps":
        now.rateBps = value;
        break;
      case "delay_ns": {
        const perHop = scene.network === "lot" ? 4 : 2;
        const further = (value / 1e6) * perHop - (scene.network === "lot" ? now.rows[0].rttMs : smallestRttMs(now));
        now.rows = now.rows.map((one) => ({ ...one, rttMs: one.rttMs + further }));
        break;
      }
      case "loss":
        now.lossPct = value * 100;
        break;
      case "queue_limit":
        now.buffer = { value, unit: "B" };
    }
  }
  if (step) {
    now.rateBps = step.bps;
    const { delayNs } = step;
    if (delayNs !== null) {
      const further = (2 * delayNs) / 1e6 - smallestRttMs(now);
      now.rows = now.rows.map((one) => ({ ...one, rttMs: one.rttMs + further }));
    }
  }
  return now;
}

/** The same as a scene of its own: a limit in bytes as a number of packets. */
export function fresh(scene: Scene): Scene {
  const now = current(scene);
  if (now.buffer?.unit === "B" && scene.changes.length && !isWifi(scene)) {
    return { ...now, buffer: { value: Math.max(1, Math.round(now.buffer.value / 1514)), unit: "p" } };
  }
  return now;
}

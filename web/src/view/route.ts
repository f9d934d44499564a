/** Addresses: a view, and the scene that it plays. */

import { fromQuery, queryText, toQuery } from "../scene/address";
import type { Scene } from "../scene/scene";

export type View = { name: "play" | "embed" | "lessons" | "labs" | "rules" } | { name: "lesson" | "lab"; id: string };

export function readAddress(hash: string): { view: View; scene: Scene; hasScene: boolean } {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  const scene = fromQuery(query);
  const hasScene = query.has("flows");
  for (const name of ["lesson", "lab"] as const) {
    const id = query.get(name);
    if (id) return { view: { name, id }, scene, hasScene };
  }
  for (const name of ["embed", "lessons", "labs", "rules"] as const) {
    if (query.has(name)) return { view: { name }, scene, hasScene };
  }
  return { view: { name: "play" }, scene, hasScene };
}

export function addressOf(view: View, scene: Scene | null): string {
  const words = "id" in view ? [`${view.name}=${view.id}`] : view.name === "play" ? [] : [view.name];
  if (scene) words.push(queryText(toQuery(scene)));
  return `#${words.join("&")}`;
}

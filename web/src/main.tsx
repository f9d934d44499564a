/** Fairlane Live: the simulator in a browser tab. */

import { render } from "preact";
import { Player } from "./engine/player";
import { grade } from "./learn/grading";
import { LABS } from "./learn/labs";
import { LESSONS, judge } from "./learn/lessons";
import { fromQuery, queryText, toQuery } from "./scene/address";
import { scenarioOf } from "./scene/engine_scenario";
import { command, toml } from "./scene/in_fairlane";
import { readAddress } from "./view/route";
import { App } from "./view/App";

const first = readAddress(location.hash);
const player = new Player(first.scene);
if (matchMedia("(prefers-reduced-motion: reduce)").matches) player.playing = false;
const root = document.getElementById("app") as HTMLElement;
root.replaceChildren();
render(<App player={player} first={first.view} />, root);
// For tests, and for the console of a browser.
Object.assign(window, {
  fairlane: { player, LESSONS, judge, LABS, grade, fromQuery, toQuery, queryText, scenarioOf, command, toml },
});

if ("serviceWorker" in navigator && location.protocol.startsWith("http") && import.meta.env.PROD) {
  void navigator.serviceWorker.register("./offline.js").catch(() => undefined);
}

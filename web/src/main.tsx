/** Fairlane Live: the simulator in a browser tab. */

import { render } from "preact";
import { Player } from "./engine/player";
import { readAddress } from "./view/route";
import { App } from "./view/App";

const first = readAddress(location.hash);
const player = new Player(first.scene);
if (matchMedia("(prefers-reduced-motion: reduce)").matches) player.playing = false;
const root = document.getElementById("app") as HTMLElement;
root.replaceChildren();
render(<App player={player} first={first.view} />, root);
Object.assign(window, { fairlanePlayer: player }); // for tests, and for the curious

if ("serviceWorker" in navigator && location.protocol.startsWith("http") && import.meta.env.PROD) {
  void navigator.serviceWorker.register("./offline.js").catch(() => undefined);
}

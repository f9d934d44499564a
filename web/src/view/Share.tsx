/** The scene elsewhere: on the command line, in a file, in Python, in another page; its picture and its data. */

import { useState } from "preact/hooks";
import { queryText, toQuery } from "../scene/address";
import { command, isDuel, python, toml } from "../scene/in_fairlane";
import { download, seriesCsv, stagePicture } from "./download";
import { usePlayer } from "./use";

export function Share() {
  const player = usePlayer();
  const { scene } = player;
  const address = () => `${location.origin}${location.pathname}#${queryText(toQuery(scene))}`;
  const frame = () =>
    `<iframe src="${location.origin}${location.pathname}#embed&${queryText(toQuery(scene))}" width="900" height="640" title="Fairlane Live"></iframe>`;
  return (
    <section class="share" aria-label="Take it with you">
      <h2>Take it with you</h2>
      <p>The same scene, bit for bit, outside of this page:</p>
      <Copy label="Command" text={command(scene)} />
      <details open={!isDuel(scene)}>
        <summary>Experiment file</summary>
        <Copy label="scene.toml" text={toml(scene)} />
        <button onClick={() => download("scene.toml", toml(scene))}>Download scene.toml</button>
      </details>
      <details>
        <summary>Python</summary>
        <Copy label="Python" text={python(scene)} />
      </details>
      <details>
        <summary>Link and embed</summary>
        <Copy label="Link" text={address()} />
        <Copy label="Embed" text={frame()} />
      </details>
      <p class="buttons">
        <button onClick={() => stagePicture("fairlane.png")}>Save picture</button>
        <button onClick={() => download("fairlane.csv", seriesCsv(player))}>Save data (CSV)</button>
      </p>
    </section>
  );
}

export function Copy({ label, text }: { label: string; text: string }) {
  const [done, setDone] = useState(false);
  return (
    <div class="copy">
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <button
        aria-label={`Copy ${label}`}
        onClick={() => {
          void navigator.clipboard?.writeText(text).then(() => {
            setDone(true);
            setTimeout(() => setDone(false), 1500);
          });
        }}
      >
        {done ? "Copied" : "Copy"}
      </button>
    </div>
  );
}

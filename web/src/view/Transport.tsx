/** Play, pause, step, slow motion, scrub. */

import { SPEEDS } from "../engine/player";
import { speedText } from "./format";
import { usePlayer, useTicks } from "./use";

interface Props {
  spanS: number;
  onSpan: (seconds: number) => void;
}

export function Transport({ spanS, onSpan }: Props) {
  const player = usePlayer();
  useTicks(100);
  const now = player.shownNs / 1e9;
  return (
    <div class="transport" role="group" aria-label="Playback">
      <button class="play" onClick={() => player.toggle()} aria-label={player.playing ? "Pause" : "Play"} title="Space">
        <svg viewBox="0 0 16 16" aria-hidden="true">
          {player.playing ? <path d="M4 2h3v12H4zM9 2h3v12H9z" /> : <path d="M4 2l10 6-10 6z" />}
        </svg>
      </button>
      <button onClick={() => player.restart()} title="From 0 s, with these settings">
        Restart
      </button>
      <span class="steps">
        <button onClick={() => player.step("packet")} title="Until the next packet leaves a sender (.)">
          Next packet
        </button>
        <button onClick={() => player.step("ack")} title="Until the next acknowledgement arrives (,)">
          Next ACK
        </button>
        <button onClick={() => player.step("loss")} title="Until the next packet is dropped or lost (l)">
          Next loss
        </button>
      </span>
      <label class="speed">
        <span>{speedText(player.speed)}</span>
        <input
          type="range"
          min={0}
          max={SPEEDS.length - 1}
          value={SPEEDS.indexOf(player.speed)}
          aria-label="Speed"
          aria-valuetext={speedText(player.speed)}
          onInput={(event) => {
            player.speed = SPEEDS[Number(event.currentTarget.value)];
            player.onChange();
          }}
        />
      </label>
      <label class="scrub">
        <span>
          {now.toFixed(2)} s <span class="muted">of {player.scene.timeS} s</span>
        </span>
        <input
          type="range"
          min={0}
          max={player.scene.timeS}
          step={0.05}
          value={now}
          aria-label="Time"
          aria-valuetext={`${now.toFixed(1)} seconds`}
          onChange={(event) => player.seek(Number(event.currentTarget.value) * 1e9)}
        />
      </label>
      <button
        aria-pressed={spanS === 0}
        onClick={() => onSpan(spanS ? 0 : 10)}
        title="Charts of the whole run, or of the last 10 s"
      >
        {spanS ? "Whole run" : "Last 10 s"}
      </button>
    </div>
  );
}

/** Keys of the whole page; fields and handles keep theirs. */
export function onKey(
  event: KeyboardEvent,
  player: { toggle(): void; step(until: "packet" | "ack" | "loss"): void },
): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea, [contenteditable]"))
    return;
  if (event.key === " " && !target.closest("button, summary, a")) player.toggle();
  else if (event.key === ".") player.step("packet");
  else if (event.key === ",") player.step("ack");
  else if (event.key === "l") player.step("loss");
  else return;
  event.preventDefault();
}

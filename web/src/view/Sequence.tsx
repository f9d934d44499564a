/** Time against sequence number, of one flow. */

import { useEffect, useRef, useState } from "preact/hooks";
import { colours as readColours, flowColour } from "../drawing/colours";
import { font } from "../drawing/frame";
import type { Player } from "../engine/player";
import { flowNames, longestRttMs } from "../scene/scene";
import { usePlayer } from "./use";

/** Round trips across. */
const ROUNDS = 6;

export function Sequence() {
  const player = usePlayer();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [flow, setFlow] = useState(0);
  const names = flowNames(player.scene);
  const chosen = Math.min(flow, names.length - 1);
  useEffect(() => {
    const element = canvas.current as HTMLCanvasElement;
    const pen = element.getContext("2d") as CanvasRenderingContext2D;
    const paint = () => {
      const { clientWidth: width, clientHeight: height } = element;
      const pixels = Math.min(devicePixelRatio, 2);
      if (element.width !== Math.round(width * pixels)) {
        element.width = Math.round(width * pixels);
        element.height = Math.round(height * pixels);
      }
      pen.setTransform(pixels, 0, 0, pixels, 0, 0);
      sequence(pen, player, chosen, width, height);
    };
    const timer = setInterval(paint, 50);
    return () => clearInterval(timer);
  }, [player, chosen]);
  return (
    <section class="sequence" aria-label="Time and sequence">
      <h2>
        Time and sequence number{" "}
        <select aria-label="Flow" value={chosen} onChange={(event) => setFlow(Number(event.currentTarget.value))}>
          {names.map((name, index) => (
            <option key={index} value={index}>
              {name}
            </option>
          ))}
        </select>
      </h2>
      <canvas ref={canvas} role="img" aria-label={`Sequence numbers of ${names[chosen]} over the last round trips`} />
      <p class="note">
        Dots are packets as they leave, rings retransmissions, crosses drops; the line is what is acknowledged. Between
        dots and line lies the data in flight.
      </p>
    </section>
  );
}

function sequence(pen: CanvasRenderingContext2D, player: Player, flow: number, width: number, height: number): void {
  const colours = readColours();
  pen.clearRect(0, 0, width, height);
  const spanNs = ROUNDS * longestRttMs(player.scene) * 1e6;
  const toNs = player.shownNs;
  const fromNs = toNs - spanNs;
  const points = (player.traffic.points[flow] ?? []).filter((one) => one.timeNs >= fromNs);
  pen.font = font(12);
  pen.fillStyle = colours.muted;
  if (points.length < 2) {
    pen.fillText(
      player.packetsShown ? "No packets of this flow yet." : "Too fast to follow packets; choose a lower speed.",
      8,
      20,
    );
    return;
  }
  let low = Infinity;
  let high = -Infinity;
  for (const { number } of points) {
    low = Math.min(low, number);
    high = Math.max(high, number);
  }
  const [left, right, top, bottom] = [56, 8, 8, 22];
  const x = (timeNs: number) => left + ((timeNs - fromNs) / spanNs) * (width - left - right);
  const y = (number: number) => height - bottom - ((number - low) / Math.max(1, high - low)) * (height - top - bottom);
  pen.strokeStyle = colours.grid;
  pen.lineWidth = 1;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (let part = 0; part <= 4; part++) {
    const number = low + ((high - low) * part) / 4;
    pen.beginPath();
    pen.moveTo(left, y(number));
    pen.lineTo(width - right, y(number));
    pen.stroke();
    pen.fillText(`${(number / 1e3).toFixed(0)} kB`, left - 6, y(number));
  }
  pen.textBaseline = "top";
  pen.textAlign = "center";
  const digits = Math.max(2, Math.ceil(-Math.log10(spanNs / ROUNDS / 1e9)));
  for (let round = 1; round < ROUNDS; round++) {
    const timeNs = fromNs + (spanNs * round) / ROUNDS;
    if (timeNs > 0) pen.fillText(`${(timeNs / 1e9).toFixed(digits)} s`, x(timeNs), height - bottom + 5);
  }
  const colour = flowColour(colours, flow);
  pen.strokeStyle = colours.muted;
  pen.lineWidth = 1.25;
  pen.beginPath();
  let last = NaN;
  for (const { kind, timeNs, number } of points) {
    if (kind !== "ack") continue;
    if (Number.isNaN(last)) pen.moveTo(x(timeNs), y(number));
    else pen.lineTo(x(timeNs), y(last));
    pen.lineTo(x(timeNs), y(number));
    last = number;
  }
  pen.stroke();
  pen.fillStyle = colour;
  pen.strokeStyle = colour;
  for (const { kind, timeNs, number } of points) {
    const [px, py] = [x(timeNs), y(number)];
    if (kind === "sent") {
      pen.fillRect(px - 1.25, py - 1.25, 2.5, 2.5);
    } else if (kind === "again") {
      pen.beginPath();
      pen.arc(px, py, 3, 0, 2 * Math.PI);
      pen.stroke();
    } else if (kind === "drop") {
      pen.beginPath();
      pen.moveTo(px - 3, py - 3);
      pen.lineTo(px + 3, py + 3);
      pen.moveTo(px + 3, py - 3);
      pen.lineTo(px - 3, py + 3);
      pen.stroke();
    }
  }
}

/** Draws the network at one moment. */

import type { Player } from "../engine/player";
import { flowNames, isWifi } from "../scene/scene";
import { flowColour } from "./colours";
import { type Frame, type Pen, entry, font, path, rateText } from "./frame";
import { drawLevels, drawPackets } from "./packets";

export function draw(pen: Pen, frame: Frame): void {
  const { geometry, player } = frame;
  pen.clearRect(0, 0, geometry.width, geometry.height);
  drawWires(pen, frame);
  drawWalls(pen, frame);
  if (player.packetsShown) drawPackets(pen, frame);
  else drawLevels(pen, frame);
  drawHosts(pen, frame);
}

function drawWires(pen: Pen, { geometry, colours, player }: Frame): void {
  const { hops, senders, receivers, pipe, ackY, hopOf } = geometry;
  pen.lineWidth = 1;
  pen.strokeStyle = colours.line;
  pen.beginPath();
  senders.forEach((sender, flow) => {
    const { x, y } = entry(geometry, player.scene, flow);
    path(pen, sender.x + (sender.above ? 0 : 10), sender.y, x, y);
  });
  receivers.forEach((receiver, flow) => {
    const hop = hops[player.scene.network === "lot" ? hopOf[flow][1] : 0];
    path(pen, hop.endX, pipe.y + pipe.height / 2, receiver.x - (receiver.above ? 0 : 10), receiver.y);
  });
  for (let index = 1; index < hops.length; index++) {
    path(pen, hops[index - 1].endX, pipe.y + pipe.height / 2, hops[index].tailX, pipe.y + pipe.height / 2);
  }
  pen.stroke();
  // The way of the acknowledgements.
  const left = Math.min(...senders.map((one) => one.x));
  const right = Math.max(...receivers.map((one) => one.x));
  pen.setLineDash([2, 4]);
  pen.beginPath();
  pen.moveTo(right, ackY);
  pen.lineTo(left, ackY);
  pen.stroke();
  pen.setLineDash([]);
  pen.fillStyle = colours.muted;
  pen.font = font(12);
  pen.textAlign = "center";
  pen.textBaseline = "top";
  pen.fillText("← acknowledgements", (left + right) / 2, ackY + 9);
}

/** Queues, links and the gates between them. */
function drawWalls(pen: Pen, { geometry, colours, player }: Frame): void {
  const { pipe } = geometry;
  pen.lineWidth = 1.25;
  for (const { tailX, headX, startX, endX, open } of geometry.hops) {
    for (const lane of geometry.lanes) {
      walls(pen, colours.raised, colours.muted, tailX, headX, lane.y, lane.height);
      if (!open) continue;
      // The walls go on beyond the drawing.
      pen.setLineDash([3, 4]);
      walls(pen, null, colours.muted, tailX - 14, tailX, lane.y, lane.height);
      pen.setLineDash([]);
    }
    walls(pen, colours.raised, colours.ink, startX, endX, pipe.y, pipe.height);
    if (isWifi(player.scene)) continue;
    // The opening of the gate is the rate.
    pen.fillStyle = colours.ink;
    const x = (headX + startX) / 2;
    pen.fillRect(x - 1.5, pipe.y - 9, 3, 9);
    pen.fillRect(x - 1.5, pipe.y + pipe.height, 3, 9);
  }
}

function walls(
  pen: Pen,
  fill: string | null,
  stroke: string,
  fromX: number,
  toX: number,
  y: number,
  height: number,
): void {
  if (fill) {
    pen.fillStyle = fill;
    pen.fillRect(fromX, y, toX - fromX, height);
  }
  pen.strokeStyle = stroke;
  pen.beginPath();
  pen.moveTo(fromX, y - 0.5);
  pen.lineTo(toX, y - 0.5);
  pen.moveTo(fromX, y + height + 0.5);
  pen.lineTo(toX, y + height + 0.5);
  pen.stroke();
}

function drawHosts(pen: Pen, { geometry, colours, player, windows, rates }: Frame): void {
  const names = flowNames(player.scene);
  const { narrow } = geometry;
  const crowded = geometry.senders.length > (narrow ? 6 : 9);
  const radius = crowded ? 5 : 9;
  pen.textBaseline = "middle";
  geometry.senders.forEach((sender, flow) => {
    const colour = flowColour(colours, flow);
    const receiver = geometry.receivers[flow];
    const started = player.shownNs >= startNs(player, flow);
    pen.globalAlpha = started ? 1 : 0.45;
    host(pen, sender.x, sender.y, colour, colours.paper, radius);
    host(pen, receiver.x, receiver.y, colour, colours.paper, radius);
    if (!crowded) {
      const label = (text: string, x: number, y: number, size: number, colour: string, weight = 400) => {
        pen.font = font(narrow ? size - 2 : size, weight);
        pen.fillStyle = colour;
        pen.fillText(text, x, y, narrow ? 50 : 100);
      };
      const window = Number.isFinite(windows[flow]) ? `${narrow ? "" : "cwnd "}${Math.round(windows[flow])}` : "";
      const [value, unit] = Number.isFinite(rates[flow]) && started ? rateText(rates[flow]) : ["", ""];
      pen.textAlign = sender.above ? "center" : "right";
      if (sender.above) {
        label(names[flow], sender.x, sender.y - 20, 13, colour, 600);
      } else {
        label(names[flow], sender.x - 15, sender.y - 7, 13, colour, 600);
        label(started ? window : "waits", sender.x - 15, sender.y + 9, 12, colours.muted);
      }
      pen.textAlign = receiver.above ? "center" : "left";
      if (receiver.above) {
        label(`${value} ${unit}`, receiver.x, receiver.y - 20, 13, colours.ink);
      } else {
        label(value, receiver.x + 15, receiver.y - 7, 13, colours.ink, 600);
        label(unit, receiver.x + 15, receiver.y + 9, 12, colours.muted);
      }
    }
    pen.globalAlpha = 1;
  });
}

function startNs({ scene }: Player, flow: number): number {
  let index = flow;
  for (const row of scene.rows) {
    if (index < row.count) return row.startS * 1e9;
    index -= row.count;
  }
  return 0;
}

function host(pen: Pen, x: number, y: number, colour: string, paper: string, radius: number): void {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fillStyle = paper;
  pen.fill();
  pen.lineWidth = 2.5;
  pen.strokeStyle = colour;
  pen.stroke();
  pen.beginPath();
  pen.arc(x, y, radius * 0.38, 0, 2 * Math.PI);
  pen.fillStyle = colour;
  pen.fill();
}

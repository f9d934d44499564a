/** The layer of packets: in queues, on links, on their way to and fro, and falling. */

import type { Packet } from "../engine/traffic";
import { isWifi } from "../scene/scene";
import { flowColour } from "./colours";
import { type Frame, type Pen, along, entry, font, laneOf } from "./frame";
import { queueIndex } from "./geometry";

/** Real time for which a dropped packet is seen to fall. */
const FALL_S = 0.9;
/** Real time for which a packet is seen on its way to a queue that it reaches at once. */
const APPROACH_S = 0.1;

export function drawPackets(pen: Pen, frame: Frame): void {
  drawApproaching(pen, frame);
  frame.geometry.hops.forEach((_, hop) => {
    drawQueue(pen, frame, hop);
    drawLink(pen, frame, hop);
  });
  drawAcks(pen, frame);
  drawFallen(pen, frame);
  if (isWifi(frame.player.scene)) drawAir(pen, frame);
}

/** The queue's bytes alone, when packets pass too fast to be seen. */
export function drawLevels(pen: Pen, { geometry, colours, player }: Frame): void {
  geometry.hops.forEach(({ tailX, headX, limitBytes, startX, endX }, hop) => {
    const bytes = player.samples.queueBytes[queueIndex(player.scene, hop)]?.at(-1) ?? 0;
    const width = Math.min(1, bytes / limitBytes) * (headX - tailX);
    pen.fillStyle = colours.muted;
    pen.globalAlpha = 0.55;
    for (const lane of geometry.lanes) pen.fillRect(headX - width, lane.y + 1.5, width, lane.height - 3);
    pen.globalAlpha = 0.25;
    pen.fillRect(startX, geometry.pipe.y + 1.5, endX - startX, geometry.pipe.height - 3);
    pen.globalAlpha = 1;
  });
}

/** One packet as a slice across queue or link. */
function slice(
  pen: Pen,
  { colours }: Frame,
  packet: Packet,
  x: number,
  y: number,
  width: number,
  height: number,
): void {
  const gap = width > 5 ? 1 : width > 2.5 ? 0.5 : 0;
  pen.fillStyle = flowColour(colours, packet.flow);
  pen.fillRect(x, y + 1.5, Math.max(width - gap, 0.75), height - 3);
  if (packet.again && width > 3) {
    // A retransmission is hollow.
    pen.fillStyle = colours.raised;
    pen.fillRect(x + 1.2, y + 4, Math.max(width - gap - 2.4, 0.5), height - 8);
  }
  if (packet.marked) {
    pen.fillStyle = colours.ink;
    pen.fillRect(x, y + height / 2 - 2, Math.max(width - gap, 0.75), 4);
  }
}

function drawQueue(pen: Pen, frame: Frame, hop: number): void {
  const { geometry, player } = frame;
  const { tailX, headX, limitBytes, open } = geometry.hops[hop];
  const perByte = (headX - tailX) / limitBytes;
  const queues = isWifi(player.scene) ? player.traffic.queues : [player.traffic.queues[queueIndex(player.scene, hop)]];
  const end = tailX - (open ? 14 : 0);
  pen.save();
  pen.beginPath();
  pen.rect(end, 0, headX - end, geometry.height);
  pen.clip();
  const filled = geometry.lanes.map(() => headX);
  for (const queue of queues) {
    for (const packet of queue) {
      const lane = laneOf(geometry, packet.flow);
      const width = (packet.bytes + 14) * perByte;
      filled[lane] -= width;
      if (filled[lane] > end - 30)
        slice(pen, frame, packet, filled[lane], geometry.lanes[lane].y, width, geometry.lanes[lane].height);
    }
  }
  pen.restore();
}

function drawLink(pen: Pen, frame: Frame, hop: number): void {
  const { geometry, player } = frame;
  const { startX, endX } = geometry.hops[hop];
  const { rateBps } = player.now;
  pen.save();
  pen.beginPath();
  pen.rect(startX, 0, endX - startX, geometry.height);
  pen.clip();
  for (const packet of player.traffic.links[hop]) {
    // The head moves at the speed of the wire; the tail leaves the gate when the whole packet is sent.
    const sendingNs = isWifi(player.scene) ? 0 : ((packet.bytes + 14) * 8e9) / rateBps;
    const perNs = (endX - startX) / Math.max(1, packet.untilNs - packet.fromNs - sendingNs);
    const width = Math.max(2, sendingNs * perNs);
    const head = (player.shownNs - packet.fromNs) * perNs;
    slice(pen, frame, packet, startX + head - width, geometry.pipe.y, width, geometry.pipe.height);
  }
  pen.restore();
}

function drawApproaching(pen: Pen, frame: Frame): void {
  const { geometry, colours, player } = frame;
  const now = player.shownNs;
  const aheadNs = APPROACH_S * 1e9 * player.speed;
  const at = (flow: number, share: number, again: boolean) => {
    const sender = geometry.senders[flow];
    const to = entry(geometry, player.scene, flow);
    const [x, y] = along(share, sender.x + (sender.above ? 0 : 10), sender.y, to.x, to.y);
    dot(pen, x, y, 3.2, flowColour(colours, flow), again ? colours.raised : null);
  };
  for (const packet of player.traffic.accesses) {
    at(packet.flow, (now - packet.fromNs) / (packet.untilNs - packet.fromNs), packet.again);
  }
  for (const { flow, hop, atNs, again } of player.traffic.approaching(now, aheadNs)) {
    if (player.traffic.hasAccess.has(flow)) continue;
    if (isWifi(player.scene) || hop === geometry.hopOf[flow][0]) at(flow, 1 - (atNs - now) / aheadNs, again);
  }
}

function dot(pen: Pen, x: number, y: number, radius: number, colour: string, inside: string | null): void {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fillStyle = colour;
  pen.fill();
  if (!inside) return;
  pen.beginPath();
  pen.arc(x, y, radius / 2, 0, 2 * Math.PI);
  pen.fillStyle = inside;
  pen.fill();
}

function drawAcks(pen: Pen, { geometry, colours, player }: Frame): void {
  const { hops, receivers, senders } = geometry;
  const { acks, hasAccess } = player.traffic;
  const lot = player.scene.network === "lot";
  for (const { flow, leg, fromNs, untilNs } of acks) {
    const share = (player.shownNs - fromNs) / (untilNs - fromNs);
    let [from, to] = [receivers[flow].x, senders[flow].x];
    if (leg === "access") from = hops[0].tailX;
    else if (hasAccess.has(flow)) to = hops[0].tailX;
    else if (lot) [from, to] = [Math.min(from, hops[leg].endX + 34), Math.max(to, hops[leg].tailX - 34)];
    pen.fillStyle = flowColour(colours, flow);
    pen.fillRect(from + (to - from) * share - 1.5, geometry.ackY - 4 + (flow % 3) * 2, 3, 6);
  }
}

/** Real time at which a fallen packet was first drawn. */
const firstSeen = new WeakMap<object, number>();

function drawFallen(pen: Pen, { geometry, colours, player, clockS }: Frame): void {
  const { fallen } = player.traffic;
  let kept = 0;
  for (const packet of fallen) {
    if (!firstSeen.has(packet)) firstSeen.set(packet, clockS);
    const since = clockS - (firstSeen.get(packet) as number);
    if (since > FALL_S) continue;
    fallen[kept++] = packet;
    const hop = geometry.hops[Math.min(packet.hop, geometry.hops.length - 1)];
    const lane = geometry.lanes[laneOf(geometry, packet.flow)];
    const fromY = packet.onWire ? geometry.pipe.y + geometry.pipe.height : lane.y + lane.height / 2;
    pen.save();
    pen.globalAlpha = 1 - since / FALL_S;
    // Packets that are dropped together fall apart.
    const aside = ((packet.number / 1448) * 7) % 13;
    pen.translate(
      (packet.onWire ? hop.endX - 10 : hop.tailX - 9) - (16 + 2 * aside) * since,
      fromY + 150 * since * since + 10 * since,
    );
    pen.rotate(-2.4 * since);
    pen.fillStyle = flowColour(colours, packet.flow);
    pen.fillRect(-4, -5, 8, 10);
    pen.strokeStyle = colours.ink;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(-6, -6);
    pen.lineTo(6, 6);
    pen.moveTo(6, -6);
    pen.lineTo(-6, 6);
    pen.stroke();
    pen.restore();
  }
  fallen.length = kept;
}

/** Frames on the air, between the stations and the wire. */
function drawAir(pen: Pen, { geometry, colours, player }: Frame): void {
  const { headX, startX } = geometry.hops[0];
  const x = (headX + startX) / 2;
  const y = geometry.pipe.y + geometry.pipe.height / 2;
  pen.strokeStyle = colours.line;
  pen.lineWidth = 1.5;
  for (const radius of [12, 20, 28]) {
    pen.beginPath();
    pen.arc(headX + 4, y, radius, -0.6, 0.6);
    pen.stroke();
  }
  pen.textAlign = "center";
  player.traffic.air.forEach((packets, flow) => {
    if (!packets.length) return;
    const height = Math.min(8 + packets.length, 80);
    pen.fillStyle = flowColour(colours, flow);
    pen.fillRect(x + 2, y - height / 2, 12, height);
    pen.font = font(11);
    pen.textBaseline = "bottom";
    pen.fillText(`${packets.length}`, x + 8, y - height / 2 - 2);
  });
  pen.fillStyle = colours.muted;
  pen.font = font(12);
  pen.textBaseline = "top";
  pen.fillText("on the air", x, Math.max(geometry.pipe.y + geometry.pipe.height, y + 44) + 4);
}

/** The parts of one picture, and the pens that several of its layers share. */

import type { Player } from "../engine/player";
import { type Scene, isWifi } from "../scene/scene";
import type { Colours } from "./colours";
import type { Geometry } from "./geometry";

export type Pen = CanvasRenderingContext2D;

export interface Frame {
  player: Player;
  geometry: Geometry;
  colours: Colours;
  /** Window and goodput of each flow, for the labels. */
  windows: number[];
  rates: number[];
  /** Real seconds, for what fades. */
  clockS: number;
}

const SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif";

export function font(size: number, weight = 400): string {
  return `${weight} ${size}px ${SANS}`;
}

/** A curve that leaves and arrives level. */
export function path(pen: Pen, fromX: number, fromY: number, toX: number, toY: number): void {
  const bend = (toX - fromX) / 2;
  pen.moveTo(fromX, fromY);
  pen.bezierCurveTo(fromX + bend, fromY, toX - bend, toY, toX, toY);
}

/** A point of that curve. */
export function along(share: number, fromX: number, fromY: number, toX: number, toY: number): [number, number] {
  const bend = (toX - fromX) / 2;
  const rest = 1 - share;
  const weights = [rest ** 3, 3 * rest ** 2 * share, 3 * rest * share ** 2, share ** 3];
  const sum = (points: number[]) => weights.reduce((total, weight, at) => total + weight * points[at], 0);
  return [sum([fromX, fromX + bend, toX - bend, toX]), sum([fromY, fromY, toY, toY])];
}

export function laneOf(geometry: Geometry, flow: number): number {
  return geometry.perFlow ? flow % geometry.lanes.length : 0;
}

/** Where the packets of a flow enter their first queue. */
export function entry(geometry: Geometry, scene: Scene, flow: number): { x: number; y: number } {
  const hop = geometry.hops[isWifi(scene) ? 0 : geometry.hopOf[flow][0]];
  const lane = geometry.lanes[laneOf(geometry, flow)];
  return { x: hop.tailX, y: lane.y + lane.height / 2 };
}

/** Value and unit of a rate. */
export function rateText(mbps: number): [string, string] {
  const digits = (value: number) =>
    value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
  return mbps >= 1000 ? [digits(mbps / 1000), "Gbit/s"] : [digits(mbps), "Mbit/s"];
}

/** Numbers for labels. */

import { type Scene, bdpBytes } from "../scene/scene";
import { rateText } from "../drawing/frame";

export function bufferText(scene: Scene, bytes: number): string {
  const bdp = bytes / bdpBytes(scene);
  return `${bdp < 10 ? bdp.toFixed(bdp < 0.995 ? 2 : 1) : Math.round(bdp)} BDP · ${sizeText(bytes)}`;
}

export function sizeText(bytes: number): string {
  if (bytes >= 1e6) return `${(bytes / 1e6).toFixed(1)} MB`;
  return bytes >= 1e4 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e3).toFixed(1)} kB`;
}

export function bpsText(bps: number): string {
  const [value, unit] = rateText(bps / 1e6);
  return `${value.includes(".") ? value.replace(/\.?0+$/, "") : value} ${unit}`;
}

export function msText(ms: number): string {
  return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
}

export function speedText(speed: number): string {
  if (speed === 1) return "real time";
  return speed > 1 ? `${speed} × real time` : `1/${Math.round(1 / speed)} of real time`;
}

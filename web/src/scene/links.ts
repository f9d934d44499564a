/** Typical links, with the values that `fairlane duel --link` takes for them. */

import { links } from "virtual:links";
import { readRate, readSize } from "./address";
import type { Size } from "./scene";

export interface Link {
  name: string;
  label: string;
  rateBps: number;
  reverseBps: number | null;
  rttMs: number;
  buffer: Size | null;
  lossPct: number;
}

export const LINKS: Link[] = links.map(({ name, about, settings }) => ({
  name,
  label: `${name.replace("-constant", "")}: ${settings.rate.replace("mbit", " Mbit/s").replace("gbit", " Gbit/s")}, ${settings.rtt.replace("ms", " ms")}`,
  about,
  rateBps: readRate(settings.rate),
  reverseBps: settings.reverse_rate ? readRate(settings.reverse_rate) : null,
  rttMs: settings.rtt.endsWith("us") ? Number.parseFloat(settings.rtt) / 1000 : Number.parseFloat(settings.rtt),
  buffer: readSize(settings.buffer ?? null),
  lossPct: Number.parseFloat(settings.loss ?? "0"),
}));

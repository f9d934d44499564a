/** Typical links, with the values that `fairlane duel --link` takes for them. */

import { links } from "fairlane-engine/links.json";
import { bpsText } from "../view/format";
import { readRate, readSize } from "./address";
import type { Size } from "./scene";
import { meanBps, traceOf } from "./traces";

export interface Link {
  name: string;
  label: string;
  about: string;
  rateBps: number;
  trace: string | null;
  reverseBps: number | null;
  rttMs: number;
  buffer: Size | null;
  lossPct: number;
}

/** Those of one link; the menu offers Wi-Fi by its standards. */
export const LINKS: Link[] = links
  .filter(({ settings }) => !settings.wifi)
  .map(({ name, about, settings }) => {
    const trace = traceOf(settings.trace ?? null);
    const rateBps = trace ? meanBps(trace) : readRate(settings.rate);
    const rtt = `${settings.rtt.replace("ms", " ms").replace("us", " µs")}`;
    return {
      name,
      label: `${name}: ${trace ? "about " : ""}${bpsText(rateBps)}, ${rtt}`,
      about,
      rateBps,
      trace,
      reverseBps: settings.reverse_rate ? readRate(settings.reverse_rate) : null,
      rttMs: settings.rtt.endsWith("us") ? Number.parseFloat(settings.rtt) / 1000 : Number.parseFloat(settings.rtt),
      buffer: readSize(settings.buffer ?? null),
      lossPct: Number.parseFloat(settings.loss ?? "0"),
    };
  });

/** The state of the last seconds in words: who has how much of the link, at which delay and which loss. */

import { rateText } from "../drawing/frame";
import type { Player } from "../engine/player";
import { flowNames, isWifi, smallestRttMs } from "../scene/scene";
import { stepAt } from "../scene/traces";

export interface Word {
  text: string;
  flow?: number;
}

const WINDOW_S = 10;

export interface Figures {
  /** Mbit/s by flow. */
  rates: number[];
  shares: number[];
  jain: number;
  p95RttMs: number;
  lost: number;
  marked: number;
  sinceS: number;
  utilisation: number;
}

/** Means of the last seconds. */
export function figures(player: Player, windowS = WINDOW_S): Figures {
  const { samples } = player;
  const now = player.shownNs / 1e9;
  const until = samples.from(now + 1e-9);
  const from = samples.from(now - windowS);
  const mean = (list: number[]) => {
    let sum = 0;
    let count = 0;
    for (let at = from; at < until; at++) {
      if (!Number.isFinite(list[at])) continue;
      sum += list[at];
      count += 1;
    }
    return count ? sum / count : 0;
  };
  const total = (list: number[]) => {
    let sum = 0;
    for (let at = from; at < until; at++) sum += list[at] || 0;
    return sum;
  };
  const { trace } = player.scene;
  const capacityBps = trace
    ? samples.times.slice(from, until).reduce((sum, timeS) => sum + stepAt(trace, timeS * 1e9).bps, 0) / (until - from)
    : player.now.rateBps;
  const rates = samples.flows.map((one) => mean(one.mbps));
  const sum = rates.reduce((a, b) => a + b, 0);
  const squares = rates.reduce((a, b) => a + b * b, 0);
  const rtts = samples.flows
    .flatMap((one) => one.rtt_ms.slice(from, until).filter(Number.isFinite))
    .toSorted((a, b) => a - b);
  return {
    rates,
    shares: rates.map((rate) => (sum ? rate / sum : 0)),
    jain: squares ? (sum * sum) / (rates.length * squares) : 1,
    p95RttMs: rtts.length ? rtts[Math.min(rtts.length - 1, Math.floor(rtts.length * 0.95))] : NaN,
    lost: samples.flows.reduce((all, one) => all + total(one.lost_packets), 0),
    marked: samples.flows.reduce((all, one) => all + total(one.marked_packets), 0),
    sinceS: Math.max(0, now - windowS),
    utilisation: mean(samples.linkMbps[0] ?? []) / (capacityBps / 1e6),
  };
}

export function words(player: Player): Word[] {
  const scene = player.now;
  const names = flowNames(scene);
  const now = player.shownNs / 1e9;
  if (player.error) return [{ text: `The run ended: ${player.error}` }];
  if (now < 0.3 || !player.samples.times.length) return [{ text: "The first packets are on their way." }];
  const of = figures(player);
  const active = of.rates.map((_, flow) => flow).filter((flow) => of.rates[flow] > 0);
  const order = active.toSorted((a, b) => of.rates[b] - of.rates[a]);
  const list: Word[] = [];
  if (order.length === 1) {
    const [value, unit] = rateText(of.rates[order[0]]);
    list.push({ text: names[order[0]], flow: order[0] });
    const ofLink = isWifi(scene) ? "" : `, ${percent(of.utilisation)} of the link`;
    list.push({ text: ` has ${value} ${unit}${ofLink}. ` });
  } else if (order.length <= 4) {
    order.forEach((flow, place) => {
      if (place) list.push({ text: place === order.length - 1 ? " and " : ", " });
      list.push({ text: names[flow], flow });
      list.push({ text: place ? ` ${percent(of.shares[flow])}` : ` gets ${percent(of.shares[flow])} of the traffic` });
    });
    list.push({ text: ". " });
  } else {
    const [first, last] = [order[0], order[order.length - 1]];
    list.push({ text: names[first], flow: first }, { text: ` has the largest share, ${percent(of.shares[first])}; ` });
    list.push({ text: names[last], flow: last }, { text: ` the smallest, ${percent(of.shares[last])}. ` });
  }
  if (Number.isFinite(of.p95RttMs)) {
    const base = smallestRttMs(scene);
    list.push({ text: `95 % of round trips take less than ${ms(of.p95RttMs)}; the empty path takes ${ms(base)}. ` });
  }
  const losses = of.lost
    ? `${Math.round(of.lost).toLocaleString("en")} packet${of.lost === 1 ? " was" : "s were"} lost`
    : "No packet was lost";
  const marks = of.marked ? `, ${Math.round(of.marked).toLocaleString("en")} marked` : "";
  list.push({ text: `${losses}${marks}${order.length > 1 ? `; Jain's index is ${of.jain.toFixed(2)}` : ""}.` });
  return list;
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function ms(value: number): string {
  return value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`;
}

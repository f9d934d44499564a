/** The memory of each algorithm, by the names of its source. */

import { useState } from "preact/hooks";
import { members, modes } from "virtual:explanations";
import { flowNames, flowsOf } from "../scene/scene";
import { usePlayer, useTicks } from "./use";

/** Members that tell what an algorithm is about to do; the others are shown on demand. */
const FIRST: Record<string, string[]> = {
  cubic: ["w_max", "k", "origin", "count", "reno_cwnd", "delay_min_us", "slow_start_left"],
  bbr: ["mode", "phase", "pacing_gain", "window_gain", "min_rtt_us", "full_bw_reached", "round"],
  dctcp: ["alpha", "delivered_ce", "loss_cwnd"],
};
/** Where the source leaves the meaning to the name. */
const MEANINGS: Record<string, string> = {
  mode: "state of the algorithm's machine",
  min_rtt_us: "smallest RTT of the last 10 s: the path without queues",
  pacing_gain: "pacing rate over the estimated bandwidth",
  window_gain: "window over the bandwidth-delay product",
  full_bw_reached: "whether the bandwidth has stopped growing, which ends STARTUP",
};
const COMMON: [string, string, string][] = [
  ["cwnd_packets", "snd_cwnd", "packets, congestion window"],
  ["inflight_packets", "in flight", "packets sent and neither acknowledged nor lost"],
  ["rtt_ms", "srtt", "ms, smoothed round-trip time"],
  ["pacing_mbps", "pacing rate", "Mbit/s, at most sent"],
];
const MOST_FLOWS = 6;

export function Inside() {
  const player = usePlayer();
  const [all, setAll] = useState(false);
  useTicks(120);
  const names = flowNames(player.scene);
  const rows = flowsOf(player.scene);
  return (
    <section class="inside" aria-label="Inside the algorithms">
      <h2>
        Inside the algorithms{" "}
        <button class="quiet" aria-pressed={all} onClick={() => setAll(!all)}>
          {all ? "main members" : "all members"}
        </button>
      </h2>
      <div class="tables">
        {rows.slice(0, MOST_FLOWS).map(({ algorithm }, flow) => {
          const state = player.samples.stateAt(flow, player.shownNs / 1e9);
          const known = members[algorithm] ?? {};
          const own = Object.keys(state).filter((name) => name.startsWith("state."));
          const main = own.filter((name) => (FIRST[algorithm] ?? FIRST[family(algorithm)])?.includes(last(name)));
          const shown = all || !main.length ? own : main;
          return (
            <table key={flow}>
              <caption class={`flow-${flow % 8}`}>{names[flow]}</caption>
              <tbody>
                {COMMON.map(([column, name, about]) => (
                  <Member key={name} name={name} about={about} value={number(state[column])} />
                ))}
                {shown
                  .filter((name) => Number.isFinite(state[name]))
                  .map((name) => (
                    <Member
                      key={name}
                      name={last(name)}
                      about={MEANINGS[last(name)] ?? known[last(name)] ?? ""}
                      value={text(algorithm, last(name), state[name])}
                    />
                  ))}
              </tbody>
            </table>
          );
        })}
      </div>
    </section>
  );
}

function Member({ name, about, value }: { name: string; about: string; value: string }) {
  return (
    <tr>
      <th scope="row">{about ? <Term name={name} about={about} /> : <code>{name}</code>}</th>
      <td>{value}</td>
    </tr>
  );
}

/** A name whose meaning shows under the pointer or with the focus. */
function Term({ name, about }: { name: string; about: string }) {
  return (
    <button type="button" class="term" aria-label={`${name}: ${about}`} data-about={about}>
      <code>{name}</code>
    </button>
  );
}

function last(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

function family(algorithm: string): string {
  return algorithm === "modest_bbr" ? "bbr" : algorithm;
}

function text(algorithm: string, name: string, value: number): string {
  if (name === "mode") return modes[algorithm]?.[value] ?? String(value);
  const about = members[algorithm]?.[name] ?? "";
  const parts = /^1\/(\d+)\b/.exec(about);
  if (parts) return (value / Number(parts[1])).toFixed(2);
  if (name.endsWith("_us")) return value >= 0xffffffff ? "–" : `${(value / 1000).toFixed(1)} ms`;
  return number(value);
}

function number(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return "–";
  return Number.isInteger(value) ? value.toLocaleString("en") : value.toFixed(1);
}

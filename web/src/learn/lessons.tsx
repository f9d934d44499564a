/** Twelve lessons of a minute: some sentences, a scene, and a question that is answered by moving something. */

import type { ComponentChildren } from "preact";
import type { Player } from "../engine/player";
import { current } from "../scene/current";
import { type Scene, bdpBytes, smallestRttMs } from "../scene/scene";
import { limitBytes } from "../drawing/geometry";
import { type Figures, figures, percent } from "../view/words";

export interface Lesson {
  id: string;
  title: string;
  /** Query of the scene that it begins with. */
  scene: string;
  speed: number;
  text: ComponentChildren;
  question: string;
  hint: string;
  answer: string;
  /** Simulated seconds that a state must have lasted before it is judged. */
  windowS: number;
  /** `now` is the scene as it is, `of` the figures of the last `windowS`. */
  holds: (now: Scene, of: Figures, player: Player) => boolean;
  /** The measured value that decides, in words. */
  measured: (of: Figures, now: Scene, player: Player) => string;
  /** A scene that answers it, for the tests. */
  solution: string;
}

const used = (of: Figures) => `${percent(of.utilisation)} of the link used`;
const shares = (of: Figures) => `shares ${of.shares.map(percent).join(" and ")}`;

export const LESSONS: Lesson[] = [
  {
    id: "slow-start",
    title: "Slow start",
    scene: "flows=reno&rate=4mbit&rtt=80ms&buffer=1bdp&time=10s",
    speed: 0.1,
    text: (
      <>
        <p>
          A new connection knows nothing of its path. It sends ten packets and waits; each acknowledgement allows two
          more, so that the window doubles in every round trip. Watch the first half second: bursts of 10, 20, 40
          packets, with the link idle in between.
        </p>
        <p>
          The link is full when the window is one <em>bandwidth-delay product</em>, BDP: what fits into the drawn link,
          there and back. Until then time is lost, the more the longer and the wider the link.
        </p>
      </>
    ),
    question: "Change the link so that the very first ten packets fill it: a BDP of ten packets or less.",
    hint: "Drag the right end of the link to make it shorter, or its lower edge to make it narrower. Then restart.",
    answer: "Ten packets of 1,500 bytes are 15 kB. Short transfers on long fat links are over before they were fast.",
    windowS: 1,
    holds: (now, of) => bdpBytes(now) <= 15_200 && of.utilisation > 0.85,
    measured: (of, now) => `BDP ${(bdpBytes(now) / 1514).toFixed(1)} packets, ${used(of)}`,
    solution: "flows=reno&rate=4mbit&rtt=24ms&buffer=1bdp&time=10s",
  },
  {
    id: "sawtooth",
    title: "The sawtooth of AIMD",
    scene: "flows=reno&rate=10mbit&rtt=40ms&buffer=1bdp&time=120s",
    speed: 2,
    text: (
      <>
        <p>
          After slow start Reno adds one packet per round trip, and halves its window after a loss: additive increase,
          multiplicative decrease. It finds the limit of the path by exceeding it, again and again.
        </p>
        <p>
          The window swings between a half and a whole of link plus buffer. With a buffer of one BDP, the half still
          fills the link, which is why this rule of thumb exists. With less, the link idles after each loss.
        </p>
      </>
    ),
    question: "Shrink the buffer until only 80 to 90 % of the link are used.",
    hint: "Drag the left edge of the queue to the right, and wait for two teeth of the saw.",
    answer:
      "At a quarter of a BDP about 87 % are left: the window falls to 0.63 BDP and grows back in a straight line.",
    windowS: 12,
    holds: (now, of) => of.utilisation >= 0.79 && of.utilisation <= 0.9 && limitBytes(now) < bdpBytes(now),
    measured: used,
    solution: "flows=reno&rate=10mbit&rtt=40ms&buffer=0.25bdp&time=120s",
  },
  {
    id: "cubic",
    title: "CUBIC against Reno",
    scene: "flows=cubic reno&rate=10mbit&rtt=20ms&buffer=1bdp&time=120s",
    speed: 5,
    text: (
      <>
        <p>
          One packet per round trip is slow when round trips are long: at 100 Mbit/s and 100 ms Reno needs 40 s to come
          back after a loss. CUBIC's window grows with the cube of the <em>time</em> since the last loss, whatever the
          round trip, and it keeps 70 % instead of half.
        </p>
        <p>
          On short paths that would be slower than Reno, and CUBIC then behaves as Reno does. Here the two are nearly
          equal.
        </p>
      </>
    ),
    question: "Change the path so that CUBIC gets at least 70 % of the traffic.",
    hint: "Make the link longer: drag its right end, several times if need be.",
    answer: "The longer the round trip, the further CUBIC is ahead. At 160 ms it has about four fifths.",
    windowS: 15,
    holds: (_, of) => of.shares[0] >= 0.7 && of.utilisation > 0.8,
    measured: shares,
    solution: "flows=cubic reno&rate=10mbit&rtt=160ms&buffer=1bdp&time=120s",
  },
  {
    id: "bufferbloat",
    title: "Bufferbloat",
    scene: "flows=cubic&rate=10mbit&rtt=20ms&buffer=500ms&time=60s",
    speed: 1,
    text: (
      <>
        <p>
          A large buffer loses few packets, and a sender that slows down only after losses fills it. Then every packet
          waits behind half a second of others: the download does not care, a call or a game does.
        </p>
        <p>
          There are two cures. Buffers can be smaller. Or the queue manages itself: CoDel drops a packet early when all
          of them wait too long, and fq_codel also gives every flow a queue of its own.
        </p>
      </>
    ),
    question: "Bring 95 % of round trips below 35 ms, and keep 90 % of the link used.",
    hint: "Choose fq_codel or codel as the queue under “Network”, or drag the edge of the buffer.",
    answer: "fq_codel costs one percent of the rate here, and shortens the round trip from 520 to 29 ms.",
    windowS: 8,
    holds: (_, of) => of.p95RttMs < 35 && of.utilisation > 0.9,
    measured: (of) => `95 % below ${Math.round(of.p95RttMs)} ms, ${used(of)}`,
    solution: "flows=cubic&rate=10mbit&rtt=20ms&queue=fq_codel&time=60s",
  },
  {
    id: "rtt-unfairness",
    title: "Unfair round trips",
    scene: "flows=reno reno&rate=10mbit&rtt=20ms,120ms&buffer=20p&time=120s",
    speed: 2,
    text: (
      <>
        <p>
          Both flows run the same algorithm on the same bottleneck. But the first has a round trip of 20 ms, the second
          one of 120 ms: the first adds its packet six times while the second adds one.
        </p>
        <p>No sender breaks a rule here. The rule itself favours whoever is near.</p>
      </>
    ),
    question: "Give both at least 45 % without making their paths alike.",
    hint: "The senders cannot know of each other. Which queue serves flows in turn, and has room for a window of both?",
    answer:
      "fq divides the link by itself, whatever senders do. fq_codel comes close; its early drops hurt the long path more.",
    windowS: 12,
    holds: (now, of) =>
      Math.min(...of.shares) >= 0.45 && Math.max(...now.rows.map((one) => one.rttMs)) >= 4 * smallestRttMs(now),
    measured: shares,
    solution: "flows=reno reno&rate=10mbit&rtt=20ms,120ms&queue=fq&time=120s",
  },
  {
    id: "bbr-phases",
    title: "The phases of BBR",
    scene: "flows=bbr&rate=10mbit&rtt=40ms&buffer=2bdp&time=40s",
    speed: 0.5,
    text: (
      <>
        <p>
          BBR does not wait for losses. It measures the largest delivery rate and the smallest round-trip time, and
          sends at that rate with about two BDPs in flight. Because one of the two can only be seen while the other is
          disturbed, it takes turns: <code>STARTUP</code>, <code>DRAIN</code>, then <code>PROBE_BW</code>, where it
          sends 25 % faster for one round trip and 25 % slower for the next.
        </p>
        <p>
          Every ten seconds without a new smallest RTT it lets the queue run empty, to look at the path itself:{" "}
          <code>PROBE_RTT</code>. Its memory is shown below the charts.
        </p>
      </>
    ),
    question: "Stop the time while BBR is in PROBE_RTT.",
    hint: "The window falls to four packets for 200 ms, a little after 10 s. Use slow motion, and the space bar; a click into a chart goes to that time.",
    answer: "In these 200 ms almost nothing is sent. It is the price for knowing the path's own delay.",
    windowS: 1,
    holds: (_, __, player) => !player.playing && bbrMode(player) === PROBE_RTT,
    measured: (_, __, player) =>
      player.playing
        ? "the time runs"
        : `mode ${["STARTUP", "DRAIN", "PROBE_BW", "PROBE_RTT"][bbrMode(player)] ?? "unknown"}`,
    solution: "flows=bbr&rate=10mbit&rtt=40ms&buffer=2bdp&time=40s",
  },
  {
    id: "bbr-cubic",
    title: "BBR against CUBIC: the buffer decides",
    scene: "flows=bbr cubic&rate=10mbit&rtt=40ms&buffer=1bdp&time=120s",
    speed: 5,
    text: (
      <>
        <p>
          With a small buffer, CUBIC backs off after losses that BBR does not answer: BBR keeps its two BDPs in flight
          and takes four fifths of the link.
        </p>
        <p>
          With a large one, CUBIC fills it, and the round-trip time grows far beyond BBR's measured minimum; two BDPs of
          the empty path are then little.
        </p>
      </>
    ),
    question: "Find a buffer at which each gets at least 42 %.",
    hint: "Drag the left edge of the queue: try three to eight BDPs, and give them ten seconds.",
    answer: "From about three BDPs on they meet. Which of the two is “fair” is a property of the buffer.",
    windowS: 20,
    holds: (_, of) => Math.min(...of.shares) >= 0.42,
    measured: shares,
    solution: "flows=bbr cubic&rate=10mbit&rtt=40ms&buffer=4bdp&time=120s",
  },
  {
    id: "modest-bbr",
    title: "Modest BBR",
    scene: "flows=bbr cubic&rate=10mbit&rtt=40ms&buffer=0.5bdp&time=120s",
    speed: 5,
    text: (
      <>
        <p>
          In a shallow buffer BBR leaves CUBIC a sixth of the link. Must a sender that measures its rate be so rude?
          Modest BBR sends a little less than it measured while packets are lost, and so lets others grow.
        </p>
        <p>Both are menus away: every flow's algorithm can be exchanged below.</p>
      </>
    ),
    question: "Give CUBIC at least 40 % without touching CUBIC or the buffer.",
    hint: "Choose Modest BBR in place of BBR under “Flows”.",
    answer:
      "The same place, the same rival: 46 % instead of 15 %. The design of one sender decides about the other's share.",
    windowS: 20,
    holds: (now, of) =>
      now.rows[1]?.algorithm === "cubic" &&
      limitBytes(now) <= 0.6 * bdpBytes(now) &&
      now.rows[0].algorithm !== "cubic" &&
      of.shares[1] >= 0.4,
    measured: shares,
    solution: "flows=modest_bbr cubic&rate=10mbit&rtt=40ms&buffer=0.5bdp&time=120s",
  },
  {
    id: "random-loss",
    title: "Random loss",
    scene: "flows=cubic&rate=10mbit&rtt=40ms&buffer=1bdp&loss=1%&time=60s",
    speed: 1,
    text: (
      <>
        <p>
          A radio link loses one packet in a hundred by chance. CUBIC takes each loss for a full buffer and slows down:
          a third of an empty link is used, while the queue stays empty.
        </p>
        <p>
          Mathis's formula says as much: the rate of such a sender is about a packet per round trip, divided by the
          square root of the loss rate. Not by the link's rate.
        </p>
      </>
    ),
    question: "Use at least 80 % of the link, and leave the loss where it is.",
    hint: "Choose an algorithm that measures instead of counting losses.",
    answer: "BBR reads the rate of deliveries, which random losses hardly change.",
    windowS: 8,
    holds: (now, of) => now.lossPct >= 1 && of.utilisation >= 0.8,
    measured: used,
    solution: "flows=bbr&rate=10mbit&rtt=40ms&buffer=1bdp&loss=1%&time=60s",
  },
  {
    id: "ecn",
    title: "ECN and DCTCP",
    scene: "flows=cubic*2&rate=20mbit&rtt=20ms&queue=codel&time=60s",
    speed: 1,
    text: (
      <>
        <p>
          A queue can say that it fills without dropping anything: it marks packets (
          <em>explicit congestion notification</em>
          ), and the receiver echoes the mark. Marked packets have a dark stripe here. To CUBIC a mark is as bad as a
          loss.
        </p>
        <p>
          DCTCP counts the <em>share</em> of marked packets instead, and reduces its window in proportion. A queue that
          marks every packet above 2 ms then stays at 2 ms.
        </p>
      </>
    ),
    question: "Let marks replace all losses, and bring 95 % of round trips below 26 ms, with 90 % of the link used.",
    hint: "DCTCP under “Flows”; under “Network” the queue marks (ECN), with a ce_threshold of 2ms.",
    answer:
      "No loss, and a queue of 2 ms. Its price: every queue on the path must mark, which is why DCTCP lives in data centres.",
    windowS: 8,
    holds: (_, of) => of.lost === 0 && of.marked > 20 && of.utilisation > 0.9 && of.p95RttMs < 26,
    measured: (of) =>
      `${Math.round(of.lost)} lost, ${Math.round(of.marked)} marked, 95 % below ${Math.round(of.p95RttMs)} ms`,
    solution: "flows=dctcp*2&rate=20mbit&rtt=20ms&queue=codel:ce_threshold=2ms,ecn=true&ecn=1&time=60s",
  },
  {
    id: "parking-lot",
    title: "A parking lot",
    scene: "flows=reno reno*2&net=lot&rate=4mbit&rtt=80ms&buffer=1bdp&time=120s",
    speed: 5,
    text: (
      <>
        <p>
          The first flow crosses two bottlenecks, each of the others only one. It has the longer path, it can be hit at
          either queue, and it pays with its share.
        </p>
        <p>
          Is a third for each fair, because all should have the same? Or less for the long flow, because it uses twice
          as much of the network? Max-min and proportional fairness differ here. TCP's answer is neither.
        </p>
      </>
    ),
    question: "Give the long flow at least 30 % of the traffic: max-min fairness.",
    hint: "As with unequal round trips: a queue that serves flows in turn.",
    answer: "With fair queues at both links each flow has half of its bottleneck, and so a third of the traffic.",
    windowS: 15,
    holds: (_, of) => of.shares[0] >= 0.3,
    measured: shares,
    solution: "flows=reno reno*2&net=lot&rate=4mbit&rtt=80ms&queue=fq&time=120s",
  },
  {
    id: "wifi",
    title: "Aggregation on Wi-Fi",
    scene: "flows=bbr&net=n&rtt=0.2ms&time=10s",
    speed: 0.02,
    text: (
      <>
        <p>
          A Wi-Fi station waits for its turn, then sends dozens of packets as one frame. Acknowledgements come back in
          bunches, too, and between two bunches a sender learns nothing.
        </p>
        <p>
          BBR's two BDPs would be too little for such gaps. It therefore measures by how much ACKs come in bunches, and
          adds that to its window: the parameter <code>extra_acked_gain</code>, 256 for once the measured amount.
        </p>
      </>
    ),
    question: "Switch the allowance off, and see 95 % of round trips fall below 8 ms.",
    hint: "“more” beside BBR under “Flows”: extra_acked_gain is 0.",
    answer:
      "The round trip falls from 12 to 5 ms, and the goodput by a few percent: the allowance buys rate with delay.",
    windowS: 1,
    holds: (now, of) => now.rows[0].parameters.extra_acked_gain === 0 && of.p95RttMs < 8,
    measured: (of) => `95 % below ${of.p95RttMs.toFixed(1)} ms`,
    solution: "flows=bbr:extra_acked_gain=0&net=n&rtt=0.2ms&time=10s",
  },
];

const PROBE_RTT = 3;

function bbrMode(player: Player): number {
  const state = player.samples.stateAt(0, player.shownNs / 1e9);
  return Object.entries(state).find(([name]) => /\bmode$/.test(name))?.[1] ?? -1;
}

export type Verdict = "waits" | "open" | "right";

/** Judges the last seconds, once the scene has been as it is for that long. */
export function judge(lesson: Lesson, player: Player): { verdict: Verdict; measured: string; waitS: number } {
  const nowS = player.shownNs / 1e9;
  const lastChangeS = Math.max(0, ...player.scene.changes.map((one) => one.atNs / 1e9));
  const waitS = Math.max(0, lastChangeS + lesson.windowS + 0.5 - nowS);
  const now = current(player.scene);
  const of = figures(player, Math.min(lesson.windowS, Math.max(0.2, nowS - lastChangeS)));
  const measured = player.samples.times.length ? lesson.measured(of, now, player) : "";
  if (waitS > 0 && lesson.id !== "bbr-phases") return { verdict: "waits", measured, waitS };
  return { verdict: lesson.holds(now, of, player) ? "right" : "open", measured, waitS: 0 };
}

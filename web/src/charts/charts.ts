/** Goodput, window, RTT and queue over time, with one line for each flow. */

import uPlot from "uplot";
import "uplot/uPlot.min.css";
import { type Colours, flowColour } from "../drawing/colours";
import type { Player } from "../engine/player";
import type { FlowColumn, Samples } from "../engine/samples";
import { bottlenecks } from "../scene/engine_scenario";
import { flowsOf, isWifi } from "../scene/scene";

interface Kind {
  title: string;
  unit: string;
  /** Lines by flow, or by bottleneck. */
  lines: (samples: Samples) => number[][];
  ofFlows: boolean;
  scale: number;
}

const flow = (column: FlowColumn) => (samples: Samples) => samples.flows.map((one) => one[column]);

export const KINDS: Kind[] = [
  { title: "Goodput", unit: "Mbit/s", lines: flow("mbps"), ofFlows: true, scale: 1 },
  { title: "Congestion window", unit: "packets", lines: flow("cwnd_packets"), ofFlows: true, scale: 1 },
  { title: "Round-trip time", unit: "ms", lines: flow("rtt_ms"), ofFlows: true, scale: 1 },
  {
    title: "Queue, and drops below it",
    unit: "kB",
    lines: (samples) => samples.queueBytes,
    ofFlows: false,
    scale: 1e-3,
  },
];

export class Charts {
  private plots: uPlot[] = [];
  private lines = 0;
  private seconds = -1;
  /** Simulated time across; 0 is the whole run. */
  spanS = 10;

  constructor(
    private hosts: HTMLElement[],
    private player: Player,
    private onSeek: (timeNs: number) => void,
  ) {}

  build(colours: Colours): void {
    this.destroy();
    const { player } = this;
    this.lines = flowsOf(player.scene).length;
    this.plots = KINDS.map((kind, index) => {
      const host = this.hosts[index];
      const count = kind.ofFlows ? this.lines : bottlenecks(player.scene).length;
      const isPerFlow = kind.ofFlows || isWifi(player.scene); // a station of a cell has one flow
      const axis = {
        stroke: colours.muted,
        grid: { stroke: colours.grid, width: 1 },
        ticks: { show: false },
        font: "12px system-ui, sans-serif",
      };
      const plot = new uPlot(
        {
          width: host.clientWidth,
          height: host.clientHeight,
          legend: { show: false },
          cursor: { drag: { x: false, y: false }, points: { show: false }, sync: { key: "fairlane" }, y: false },
          scales: {
            x: { time: false, range: () => this.range() },
            y: { range: (_: uPlot, __: number, high: number) => [0, ceiling(high)] },
          },
          axes: [
            {
              ...axis,
              size: 30,
              gap: 7,
              values: (_: uPlot, ticks: number[]) => ticks.map((tick) => `${tick} s`),
              space: 70,
            },
            { ...axis, size: 46, gap: 4, space: 34 },
          ],
          series: [
            {},
            ...Array.from({ length: count }, (_, line) => ({
              stroke: isPerFlow ? flowColour(colours, line) : line ? colours.muted : colours.ink,
              width: 1.6,
              points: { show: false },
              spanGaps: false,
            })),
          ],
          hooks: kind.ofFlows ? {} : { draw: [(drawn: uPlot) => this.drawDrops(drawn, colours)] },
        },
        [[], ...Array.from({ length: count }, () => [])],
        host,
      );
      plot.over.addEventListener("click", () => {
        const left = plot.cursor.left ?? -1;
        if (left >= 0) this.onSeek(plot.posToVal(left, "x") * 1e9);
      });
      return plot;
    });
    this.seconds = -1;
  }

  /** Draws anew if there is something new to see. */
  update(colours: Colours): void {
    const { samples, scene } = this.player;
    const now = Math.round((this.player.shownNs / 1e9) * 20) / 20;
    if (flowsOf(scene).length !== this.lines || !this.plots.length) this.build(colours);
    if (now === this.seconds) return;
    this.seconds = now;
    const [low] = this.range();
    const from = Math.max(0, samples.from(low) - 1);
    const until = samples.from(this.player.shownNs / 1e9 + 1e-9);
    const times = samples.times.slice(from, until);
    KINDS.forEach((kind, index) => {
      const lines = kind
        .lines(samples)
        .map((line) => line.slice(from, until).map((value) => (Number.isFinite(value) ? value * kind.scale : null)));
      if (lines.length) this.plots[index].setData([times, ...lines]);
    });
  }

  resize(): void {
    this.plots.forEach((plot, index) =>
      plot.setSize({ width: this.hosts[index].clientWidth, height: this.hosts[index].clientHeight }),
    );
    this.seconds = -1;
  }

  destroy(): void {
    for (const plot of this.plots) plot.destroy();
    this.plots = [];
  }

  private range(): [number, number] {
    if (!this.spanS) return [0, this.player.scene.timeS];
    const now = this.player.shownNs / 1e9;
    return [Math.max(0, now - this.spanS), Math.max(this.spanS, now)];
  }

  private drawDrops(plot: uPlot, colours: Colours): void {
    const { samples } = this.player;
    const [low, high] = this.range();
    const { ctx, bbox } = plot;
    const pixels = devicePixelRatio;
    ctx.save();
    ctx.fillStyle = colours.ink;
    for (
      let at = samples.from(low);
      at < samples.times.length && samples.times[at] <= Math.min(high, this.player.shownNs / 1e9);
      at++
    ) {
      if (!samples.droppedPackets.some((list) => list[at] > 0)) continue;
      const x = plot.valToPos(samples.times[at], "x", true);
      ctx.fillRect(x - pixels, bbox.top + bbox.height - 5 * pixels, 2 * pixels, 5 * pixels);
    }
    ctx.restore();
  }
}

/** The next round number, so that the axis does not change with each sample. */
function ceiling(high: number): number {
  if (!(high > 0)) return 1;
  const step = 10 ** Math.floor(Math.log10(high * 1.05)) / 4;
  return Math.ceil((high * 1.05) / step) * step;
}

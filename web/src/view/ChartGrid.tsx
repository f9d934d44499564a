/** The four charts. */

import { useEffect, useRef } from "preact/hooks";
import { Charts, KINDS } from "../charts/charts";
import { type Colours, colours as readColours } from "../drawing/colours";
import { usePlayer } from "./use";

export function ChartGrid({ spanS }: { spanS: number }) {
  const player = usePlayer();
  const grid = useRef<HTMLDivElement>(null);
  const charts = useRef<Charts | null>(null);
  useEffect(() => {
    const hosts = [...(grid.current as HTMLElement).querySelectorAll<HTMLElement>(".plot")];
    const made = new Charts(hosts, player, (timeNs) => player.seek(timeNs));
    charts.current = made;
    let colours: Colours = readColours();
    const renew = () => {
      colours = readColours();
      made.build(colours);
    };
    addEventListener("fairlane-theme", renew);
    addEventListener("fairlane-scene", renew);
    const observer = new ResizeObserver(() => made.resize());
    observer.observe(grid.current as HTMLElement);
    let frame = 0;
    const paint = () => {
      frame = requestAnimationFrame(paint);
      made.update(colours);
    };
    paint();
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      removeEventListener("fairlane-theme", renew);
      removeEventListener("fairlane-scene", renew);
      made.destroy();
    };
  }, [player]);
  useEffect(() => {
    if (charts.current) {
      charts.current.spanS = spanS;
      charts.current.resize();
    }
  }, [spanS]);
  return (
    <div class="charts" ref={grid}>
      {KINDS.map((kind) => (
        <figure key={kind.title}>
          <figcaption>
            {kind.title}, <span class="muted">{kind.unit}</span>
          </figcaption>
          <div class="plot" />
        </figure>
      ))}
    </div>
  );
}

/** Files that the page hands out. */

import type { Player } from "../engine/player";
import { flowNames } from "../scene/scene";

export function download(name: string, content: string | Blob): void {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** The drawing on the colour of the page. */
export function stagePicture(name: string): void {
  const canvas = document.querySelector<HTMLCanvasElement>(".stage canvas");
  if (!canvas) return;
  const copy = document.createElement("canvas");
  copy.width = canvas.width;
  copy.height = canvas.height;
  const pen = copy.getContext("2d") as CanvasRenderingContext2D;
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--paper");
  pen.fillRect(0, 0, copy.width, copy.height);
  pen.drawImage(canvas, 0, 0);
  copy.toBlob((blob) => blob && download(name, blob));
}

/** The samples so far, a row for each time and flow. */
export function seriesCsv({ samples, scene }: Player): string {
  const names = flowNames(scene);
  const columns = Object.keys(samples.flows[0] ?? {}) as (keyof (typeof samples.flows)[0])[];
  const rows = [["t_s", "flow", ...columns, "queue_bytes"].join(",")];
  samples.times.forEach((time, at) => {
    samples.flows.forEach((flow, index) => {
      const values = columns.map((column) => (Number.isFinite(flow[column][at]) ? flow[column][at] : ""));
      rows.push([time, names[index], ...values, samples.queueBytes[0]?.[at] ?? ""].join(","));
    });
  });
  return `${rows.join("\n")}\n`;
}

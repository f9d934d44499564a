/** The part of uPlot that the charts use. */
declare module "uplot" {
  interface Options {
    width: number;
    height: number;
    series: Record<string, unknown>[];
    [option: string]: unknown;
  }
  export default class uPlot {
    constructor(options: Options, data: (number | null)[][], target: HTMLElement);
    setData(data: (number | null)[][], resetScales?: boolean): void;
    setScale(key: string, range: { min: number; max: number }): void;
    setSize(size: { width: number; height: number }): void;
    destroy(): void;
    redraw(): void;
    posToVal(position: number, scale: string): number;
    valToPos(value: number, scale: string, canvasPixels?: boolean): number;
    root: HTMLElement;
    over: HTMLElement;
    ctx: CanvasRenderingContext2D;
    bbox: { left: number; top: number; width: number; height: number };
    cursor: { left?: number; idx?: number | null };
  }
}

declare module "fairlane-engine/fairlane.wasm?url" {
  const address: string;
  export default address;
}

/** Comments of the algorithms' sources, which vite.config.ts reads. */
declare module "virtual:explanations" {
  export const members: Record<string, Record<string, string>>;
  /** Names of the values of `mode`. */
  export const modes: Record<string, string[]>;
}

/** Typical links of Fairlane, and traces of rates: `tools/web/build.py` writes the file. */
declare module "fairlane-engine/links.json" {
  /** Time in ns, rate in bit/s, and the link's one-way delay in ns, if it has one of its own. */
  type Step = [number, number, number | null];
  export const links: { name: string; about: string; settings: Record<string, string> }[];
  /** The steps of one period, and how often they are repeated. */
  export const traces: Record<string, { mean_bps: number; period_ns: number; periods: number; steps: Step[] }>;
}

declare module "*.c?raw" {
  const text: string;
  export default text;
}

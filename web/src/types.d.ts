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

/** docs/reference/links.md, which the code writes. */
declare module "virtual:links" {
  export const links: { name: string; about: string; settings: Record<string, string> }[];
}

declare module "*.c?raw" {
  const text: string;
  export default text;
}

/** Colours of the page, as the style sheet has them now. */

import { DARK, LIGHT } from "../scene/scene";

export interface Colours {
  paper: string;
  raised: string;
  ink: string;
  muted: string;
  line: string;
  grid: string;
  flows: string[];
  dark: boolean;
}

export function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function colours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const dark = isDark();
  const [paper, raised, ink] = [of("paper"), of("raised"), of("ink")];
  return {
    paper,
    raised,
    ink,
    muted: of("muted"),
    line: of("line"),
    grid: of("grid"),
    flows: dark ? DARK : LIGHT,
    dark,
  };
}

export function flowColour({ flows }: Colours, flow: number): string {
  return flows[flow % flows.length];
}

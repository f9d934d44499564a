/** Colours of the page, as the style sheet has them now. */

const FLOWS = 8;

export interface Colours {
  paper: string;
  raised: string;
  ink: string;
  muted: string;
  line: string;
  grid: string;
  flows: string[];
}

export function colours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    paper: of("paper"),
    raised: of("raised"),
    ink: of("ink"),
    muted: of("muted"),
    line: of("line"),
    grid: of("grid"),
    flows: Array.from({ length: FLOWS }, (_, flow) => of(`flow-${flow}`)),
  };
}

export function flowColour({ flows }: Colours, flow: number): string {
  return flows[flow % flows.length];
}

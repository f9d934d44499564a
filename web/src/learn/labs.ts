/** The labs of a course, from the folder `labs/` that `fairlane lab` reads, too. */

export interface Need {
  metric: string;
  least?: number;
  most?: number;
}

export type LabQuestion =
  | { kind: "number"; id: string; text: string; unit: string; scene: string; metric: string; within_pct: number }
  | { kind: "scene"; id: string; text: string; start: string; keep: string[]; require: Need[] }
  | { kind: "file"; id: string; text: string; file: string; scenes: string[]; require: Need[] };

export interface Lab {
  name: string;
  number: number;
  title: string;
  minutes: number;
  questions: LabQuestion[];
  sheet: string;
}

const forms = import.meta.glob<Omit<Lab, "name" | "sheet">>("../../../labs/*/lab.json", {
  eager: true,
  import: "default",
});
const sheets = import.meta.glob<string>("../../../labs/*/README.md", { eager: true, query: "?raw", import: "default" });

const folderOf = (path: string) => path.split("/").at(-2) as string;
const sheetOf = Object.fromEntries(Object.entries(sheets).map(([path, text]) => [folderOf(path), text]));

export const LABS: Lab[] = Object.entries(forms)
  .map(([path, form]) => ({ ...form, name: folderOf(path), sheet: sheetOf[folderOf(path)] }))
  .toSorted((a, b) => a.number - b.number);

export function labOf(name: string): Lab {
  return LABS.find((one) => one.name === name) ?? LABS[0];
}

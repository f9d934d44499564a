/** Messages between the page and the worker that runs the engine. */

import type { Algorithm, Change, Events, Progress } from "fairlane-engine";

/** Changes of one moment, in order. */
export interface Timed {
  atNs: number;
  changes: Change[];
}

/** A request names the run for which it is meant: answers of a run that was replaced are dropped. */
export type Request =
  | { kind: "start"; run: number; scenario: string; changes: Timed[]; untilNs: number; eventsFromNs: number }
  | { kind: "advance"; run: number; untilNs: number; events: boolean }
  | { kind: "step"; run: number; until: "packet" | "ack" | "loss" }
  | { kind: "change"; run: number; changes: Change[] }
  | { kind: "result"; run: number; scenario: string; changes: Timed[] };

export type Answer =
  | { kind: "ready"; version: string; algorithms: Algorithm[] }
  | { kind: "started"; run: number; stations: string[] }
  /** `last`: nothing of this request follows. */
  | { kind: "progress"; run: number; progress: Part; last: boolean }
  | { kind: "changed"; run: number; atNs: number; changes: Change[] }
  | { kind: "result"; run: number; json: string }
  | { kind: "failed"; run: number; message: string };

/** A `Progress` whose events may have been left out. */
export type Part = Omit<Progress, "events"> & { events: Events | null };

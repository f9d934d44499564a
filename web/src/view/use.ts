/** Hooks: the one player, and a clock for what is shown in numbers. */

import { createContext } from "preact";
import { useContext, useEffect, useReducer } from "preact/hooks";
import type { Player } from "../engine/player";

export const PlayerContext = createContext<Player>(null as unknown as Player);

export function usePlayer(): Player {
  return useContext(PlayerContext);
}

/** Renders again every so many milliseconds. */
export function useTicks(everyMs: number): void {
  const [, again] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => again(0), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}

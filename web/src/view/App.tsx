/** The whole page: head, view, foot. */

import { useEffect, useReducer, useState } from "preact/hooks";
import type { Player } from "../engine/player";
import { LabList, LabQuestions, LabText } from "../learn/LabView";
import { labOf } from "../learn/labs";
import { LessonList, LessonText, Question, lessonOf } from "../learn/LessonView";
import { RulesEditor, RulesText } from "../rules/RulesView";
import { fromQuery } from "../scene/address";
import { Answer } from "./Answer";
import { ChartGrid } from "./ChartGrid";
import { Inside } from "./Inside";
import { Sequence } from "./Sequence";
import { Settings } from "./Settings";
import { Share } from "./Share";
import { Stage } from "./Stage";
import { Transport, onKey } from "./Transport";
import { type View, addressOf, readAddress } from "./route";
import { toggleTheme } from "./theme";
import { PlayerContext } from "./use";

export function App({ player, first }: { player: Player; first: View }) {
  const [view, setView] = useState(first);
  const [spanS, setSpan] = useState(10);
  const [, again] = useReducer((count: number) => count + 1, 0);

  useEffect(() => {
    player.onChange = () => again(0);
    let timer = 0;
    player.onSceneChanged = () => {
      again(0);
      dispatchEvent(new Event("fairlane-scene"));
      clearTimeout(timer);
      timer = window.setTimeout(
        () => history.replaceState(null, "", addressOf(readAddress(location.hash).view, player.scene)),
        250,
      );
    };
    const navigated = () => {
      const next = readAddress(location.hash);
      setView(next.view);
      open(player, next);
      scrollTo(0, 0);
      document.querySelector("main")?.focus({ preventScroll: true });
    };
    open(player, readAddress(location.hash));
    const key = (event: KeyboardEvent) => onKey(event, player);
    addEventListener("hashchange", navigated);
    addEventListener("keydown", key);
    return () => {
      removeEventListener("hashchange", navigated);
      removeEventListener("keydown", key);
    };
  }, [player]);

  const lesson = view.name === "lesson" ? lessonOf(view.id) : null;
  const lab = view.name === "lab" ? labOf(view.id) : null;
  const laboratory = (
    <>
      <Answer />
      <Stage onScene={() => again(0)} />
      <Transport spanS={spanS} onSpan={setSpan} />
    </>
  );
  return (
    <PlayerContext.Provider value={player}>
      {view.name !== "embed" && <Head view={view} />}
      <main class={`view-${view.name}`} tabIndex={-1}>
        {(view.name === "play" || view.name === "embed") && (
          <h1 class="vh">Fairlane Live: watch congestion controls compete</h1>
        )}
        {view.name === "lessons" && <LessonList />}
        {view.name === "rules" && <RulesText />}
        {view.name === "labs" && <LabList />}
        {lesson && <LessonText lesson={lesson} />}
        {lab && <LabText lab={lab} />}
        {laboratory}
        {lesson && <Question lesson={lesson} />}
        {lab && <LabQuestions lab={lab} />}
        {(view.name === "rules" ||
          lab?.questions.some((one) => one.kind === "scene" && one.start.includes("rules"))) && <RulesEditor />}
        <ChartGrid spanS={spanS} />
        {view.name === "embed" ? (
          <p class="note">
            <a href={addressOf({ name: "play" }, player.scene)} target="_blank" rel="noopener">
              Open in Fairlane Live
            </a>
          </p>
        ) : (
          <>
            <div class="lower">
              <Settings />
              <div>
                <Inside />
                <Sequence />
              </div>
            </div>
            <Share />
          </>
        )}
      </main>
      {view.name !== "embed" && <Foot version={player.version} />}
    </PlayerContext.Provider>
  );
}

const PAGES: [View["name"], string, string][] = [
  ["play", "Play", "#"],
  ["lessons", "Lessons", "#lessons"],
  ["labs", "Labs", "#labs"],
  ["rules", "Your own rules", "#rules"],
];

const OF_RULES = "flows=rules reno&rate=10mbit&rtt=40ms&buffer=1bdp&time=120s";

function sceneOf(view: View): string | null {
  if (view.name === "lesson") return lessonOf(view.id).scene;
  if (view.name === "rules") return OF_RULES;
  if (view.name !== "lab") return null;
  const [first] = labOf(view.id).questions;
  return first.kind === "number" ? first.scene : first.kind === "scene" ? first.start : first.scenes[0];
}

/** Plays what an address asks for: its scene, or that of its view. */
function open(player: Player, { view, scene, hasScene }: ReturnType<typeof readAddress>): void {
  const own = sceneOf(view);
  if (view.name === "lesson") player.speed = lessonOf(view.id).speed;
  if (view.name === "lab" || view.name === "rules") player.speed = 0.5;
  player.playing = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  player.load(hasScene || !own ? scene : fromQuery(new URLSearchParams(own)));
}

function Head({ view }: { view: View }) {
  return (
    <header class="masthead">
      <a class="name" href="#">
        Fairlane <span>Live</span>
      </a>
      <nav aria-label="Pages">
        {PAGES.map(([name, label, href]) => (
          <a key={name} href={href} aria-current={view.name.startsWith(name.replace(/s$/, "")) ? "page" : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <button class="quiet theme" onClick={toggleTheme}>
        Light or dark
      </button>
    </header>
  );
}

function Foot({ version }: { version: string }) {
  return (
    <footer>
      <p>
        Every packet here is computed by the simulator of Fairlane{version && ` ${version}`}, compiled to WebAssembly:
        the TCP and the algorithms are those of the command line, and a scene gives the same result in both. Nothing
        leaves this page.
      </p>
      <p>
        Keys: <kbd>Space</kbd> play or pause, <kbd>.</kbd> next packet, <kbd>,</kbd> next ACK, <kbd>l</kbd> next loss;
        arrows move a handle that has the focus.
      </p>
    </footer>
  );
}

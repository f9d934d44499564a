/** One lesson: text above the drawing, the question below it. */

import { useEffect, useState } from "preact/hooks";
import { fromQuery } from "../scene/address";
import { addressOf } from "../view/route";
import { usePlayer, useTicks } from "../view/use";
import { LESSONS, type Lesson, judge } from "./lessons";
import { keep, kept } from "./progress";

export function lessonOf(id: string): Lesson {
  return LESSONS.find((one) => one.id === id) ?? LESSONS[0];
}

export function LessonText({ lesson }: { lesson: Lesson }) {
  return (
    <article class="text">
      <h1>
        <span class="place">
          Lesson {LESSONS.indexOf(lesson) + 1} of {LESSONS.length}
        </span>
        {lesson.title}
      </h1>
      {lesson.text}
    </article>
  );
}

export function Question({ lesson }: { lesson: Lesson }) {
  const player = usePlayer();
  const [right, setRight] = useState(false);
  const [hint, setHint] = useState(false);
  useTicks(250);
  useEffect(() => {
    setRight(false);
    setHint(false);
  }, [lesson]);
  const { verdict, measured, waitS } = judge(lesson, player);
  useEffect(() => {
    if (verdict !== "right" || right) return;
    setRight(true);
    keep(`lesson-${lesson.id}`, "done");
  }, [verdict, right, lesson]);
  const next = LESSONS[LESSONS.indexOf(lesson) + 1];
  return (
    <section class={`question ${right ? "right" : ""}`} aria-label="Question">
      <p class="ask">{lesson.question}</p>
      <p class="measured" role="status">
        {right
          ? `✓ ${lesson.answer}`
          : verdict === "waits" && player.playing
            ? `Measuring for ${Math.ceil(waitS)} s more … now ${measured}`
            : `Not yet: ${measured}`}
      </p>
      <p class="buttons">
        {!right && <button onClick={() => setHint(!hint)}>{hint ? "Hide the hint" : "Hint"}</button>}
        <button onClick={() => player.load(fromQuery(new URLSearchParams(lesson.scene)))}>Start over</button>
        {next && (
          <a class={right ? "button strong" : "button"} href={addressOf({ name: "lesson", id: next.id }, null)}>
            Next: {next.title}
          </a>
        )}
      </p>
      {hint && !right && <p class="note">{lesson.hint}</p>}
    </section>
  );
}

export function LessonList() {
  const done = kept();
  return (
    <div class="text">
      <h1>Twelve lessons</h1>
      <p>
        A minute each: some sentences, a running network, and a question that you answer by moving something. The page
        checks the answer by measuring; nothing you do leaves it.
      </p>
      <ol class="list">
        {LESSONS.map((lesson) => (
          <li key={lesson.id}>
            <a href={addressOf({ name: "lesson", id: lesson.id }, null)}>{lesson.title}</a>
            {done[`lesson-${lesson.id}`] && <span class="done"> ✓ done</span>}
            <p class="note">{lesson.question}</p>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** One lab: its sheet, its questions beside the running network, and its grades. */

import { useEffect, useState } from "preact/hooks";
import { fromQuery, queryText, toQuery } from "../scene/address";
import { fresh } from "../scene/current";
import { download } from "../view/download";
import { addressOf } from "../view/route";
import { usePlayer } from "../view/use";
import { type Grade, grade } from "./grading";
import { LABS, type Lab, type LabQuestion } from "./labs";
import { Markdown, inline } from "./markdown";
import { keep, kept } from "./progress";

export function LabText({ lab }: { lab: Lab }) {
  return (
    <article class="text">
      <h1>
        <span class="place">
          Lab {lab.number} of {LABS.length}, {lab.minutes} min
        </span>
        {lab.title}
      </h1>
      <Markdown text={lab.sheet} />
    </article>
  );
}

export function LabQuestions({ lab }: { lab: Lab }) {
  const player = usePlayer();
  const [answers, setAnswers] = useState<Record<string, string>>({});
  const [grades, setGrades] = useState<Record<string, Grade | "runs">>({});
  useEffect(() => {
    const all = kept();
    setAnswers(Object.fromEntries(lab.questions.map(({ id }) => [id, all[`lab-${lab.name}-${id}`] ?? ""])));
    setGrades({});
  }, [lab]);
  const set = (id: string, value: string) => {
    setAnswers((before) => ({ ...before, [id]: value }));
    keep(`lab-${lab.name}-${id}`, value);
  };
  const check = async (question: LabQuestion) => {
    setGrades((before) => ({ ...before, [question.id]: "runs" }));
    const found = await grade(question, answers[question.id] ?? "", player).catch((error: Error) => ({
      passed: false,
      detail: error.message,
    }));
    setGrades((before) => ({ ...before, [question.id]: found }));
  };
  const form = () => {
    const of = lab.questions
      .filter((one) => one.kind !== "file")
      .map((one) => [
        one.id,
        one.kind === "number" ? (answers[one.id]?.trim() ? Number(answers[one.id]) : null) : answers[one.id] || null,
      ]);
    return `${JSON.stringify({ lab: lab.name, answers: Object.fromEntries(of) }, null, 2)}\n`;
  };
  return (
    <section class="question" aria-label="Questions">
      <ol class="lab">
        {lab.questions.map((question) => {
          const given = grades[question.id];
          return (
            <li key={question.id}>
              <p class="ask">{inline(question.text)}</p>
              <p class="buttons">
                {question.kind === "number" && (
                  <>
                    <button onClick={() => player.load(fromQuery(new URLSearchParams(question.scene)))}>
                      Show its scene
                    </button>
                    <label class="narrow">
                      <span class="vh">{question.text}</span>
                      <span class="input">
                        <input
                          type="text"
                          inputMode="decimal"
                          value={answers[question.id] ?? ""}
                          onInput={(event) => set(question.id, event.currentTarget.value)}
                        />
                        {question.unit}
                      </span>
                    </label>
                  </>
                )}
                {question.kind === "scene" && (
                  <>
                    <button onClick={() => player.load(fromQuery(new URLSearchParams(question.start)))}>
                      Start from its scene
                    </button>
                    <button onClick={() => set(question.id, queryText(toQuery(fresh(player.scene))))}>
                      Take what is on the screen
                    </button>
                  </>
                )}
                {question.kind === "file" ? (
                  <span class="note">
                    {question.file}: <code>fairlane lab grade</code> compiles and grades it
                  </span>
                ) : (
                  <button class="strong" disabled={given === "runs"} onClick={() => void check(question)}>
                    {given === "runs" ? "Runs …" : "Check"}
                  </button>
                )}
              </p>
              {question.kind === "scene" && answers[question.id] && (
                <p class="note">
                  Your scene: <code>{answers[question.id]}</code>
                </p>
              )}
              <p class={`measured ${given && given !== "runs" && given.passed ? "passed" : ""}`} role="status">
                {given && given !== "runs" ? `${given.passed ? "✓" : "Not yet:"} ${given.detail}` : ""}
              </p>
            </li>
          );
        })}
      </ol>
      <p class="buttons">
        <button onClick={() => download("answers.json", form())}>Save answers.json</button>
        <span class="note">
          to hand in: <code>fairlane lab start {lab.name}</code>, put the file there,{" "}
          <code>fairlane lab grade {lab.name}</code>
        </span>
      </p>
    </section>
  );
}

export function LabList() {
  return (
    <div class="text">
      <h1>Eight labs</h1>
      <p>
        For a course: measure, repair, design. The page grades all but the C files, always with the same result;{" "}
        <code>fairlane lab grade</code> grades everything, also in networks that you have not seen. Your answers stay in
        this browser.
      </p>
      <ol class="list">
        {LABS.map((lab) => (
          <li key={lab.name}>
            <a href={addressOf({ name: "lab", id: lab.name }, null)}>{lab.title}</a>
            <p class="note">{lab.minutes} min</p>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The rules editor: parameters of a congestion control that change while it competes. */

import { current } from "../scene/current";
import { row } from "../scene/scene";
import { Copy } from "../view/Share";
import { download } from "../view/download";
import { usePlayer } from "../view/use";
import { RULES, sourceWith } from "./rules";

export function RulesText() {
  return (
    <div class="text">
      <h1>Write your own rules</h1>
      <p>
        A congestion control answers three questions: how fast may the window grow, what stays of it after a loss, and
        is a growing delay a reason to slow down? Move the numbers while your rules compete with another algorithm; each
        takes effect at once. Then take the C file: <code>fairlane duel</code> runs it, and the Linux kernel loads it.
      </p>
    </div>
  );
}

export function RulesEditor() {
  const player = usePlayer();
  const scene = current(player.scene);
  const at = scene.rows.findIndex((one) => one.algorithm === "rules");
  const values: Record<string, number> = Object.fromEntries(
    RULES.map((rule) => [rule.name, scene.rows[at]?.parameters[rule.name] ?? rule.initial]),
  );
  const set = (name: string, value: number) => {
    if (at < 0)
      player.load({
        ...scene,
        rows: [row("rules", { rttMs: scene.rows[0].rttMs, parameters: { [name]: value } }), ...scene.rows],
      });
    else player.change(`${at}.${name}`, value);
  };
  const gains = values.gains;
  const file = sourceWith(values);
  return (
    <section class="rules" aria-label="Rules">
      <div class="sliders">
        {RULES.filter(({ name }) => !name.startsWith("gain_") || Number(name.slice(5)) <= gains).map((rule) => (
          <label key={rule.name} title={rule.about}>
            <span>
              {rule.label} <b>{rule.text(values[rule.name])}</b>
            </span>
            <input
              type="range"
              min={rule.least}
              max={rule.most}
              step={rule.step}
              value={values[rule.name]}
              aria-valuetext={rule.text(values[rule.name])}
              onInput={(event) => set(rule.name, Number(event.currentTarget.value))}
            />
            {!rule.name.startsWith("gain_") && <span class="note">{rule.about}</span>}
          </label>
        ))}
      </div>
      <p class="buttons">
        <button class="strong" onClick={() => download("rules.c", file)}>
          Save rules.c
        </button>
      </p>
      <details>
        <summary>The C file</summary>
        <Copy label="rules.c" text={file} />
      </details>
    </section>
  );
}

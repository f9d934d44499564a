/** Menus for what cannot be grasped in the drawing. */

import type { Algorithm } from "fairlane-engine";
import { useState } from "preact/hooks";
import { number, rateWord, readRate, readSize, sizeWord } from "../scene/address";
import { fresh } from "../scene/current";
import { LINKS } from "../scene/links";
import { DISCIPLINES, discipline } from "../scene/queues";
import { type Network, type Row, type Scene, defaultRttMs, displayName, isWifi, row } from "../scene/scene";
import { WORKLOADS } from "../scene/workloads";
import { usePlayer } from "./use";

export function Settings() {
  const player = usePlayer();
  const scene = fresh(player.scene);
  const set = (more: Partial<Scene>) => player.load({ ...scene, changes: [], ...more });
  return (
    <section class="settings" aria-label="Settings">
      <Flows scene={scene} set={set} algorithms={player.algorithms} />
      <NetworkForm scene={scene} set={set} onLoss={(share) => player.change("loss", share)} />
    </section>
  );
}

interface FormProps {
  scene: Scene;
  set: (more: Partial<Scene>) => void;
}

function Flows({ scene, set, algorithms }: FormProps & { algorithms: Algorithm[] }) {
  const [open, setOpen] = useState(-1);
  const change = (index: number, more: Partial<Row>) =>
    set({ rows: scene.rows.map((one, at) => (at === index ? { ...one, ...more } : one)) });
  let flow = 0;
  return (
    <div class="form">
      <h2>Flows</h2>
      {scene.rows.map((one, index) => {
        const first = flow;
        flow += one.count;
        const known = algorithms.find((algorithm) => algorithm.name === one.algorithm);
        return (
          <fieldset key={index}>
            <legend class="vh">Flow {index + 1}</legend>
            <div class="row">
              <span class={`spot flow-${first % 8}`} aria-hidden="true" />
              <select
                aria-label="Algorithm"
                value={one.algorithm}
                onChange={(event) => change(index, { algorithm: event.currentTarget.value, parameters: {} })}
              >
                <Algorithms algorithms={algorithms} chosen={one.algorithm} />
              </select>
              <Field
                label="Number of flows"
                value={String(one.count)}
                prefix="×"
                onValue={(text) => change(index, { count: whole(text, 1, 20) })}
                narrow
              />
              <button class="quiet" aria-expanded={open === index} onClick={() => setOpen(open === index ? -1 : index)}>
                {open === index ? "less" : "more"}
              </button>
              {scene.rows.length > 1 && (
                <button
                  class="quiet"
                  aria-label={`Remove ${displayName(one.algorithm)}`}
                  onClick={() => set({ rows: scene.rows.filter((_, at) => at !== index) })}
                >
                  ×
                </button>
              )}
            </div>
            {known && <p class="note">{known.summary}</p>}
            {open === index && (
              <div class="more">
                <Field
                  label="RTT"
                  value={number(one.rttMs)}
                  suffix="ms"
                  onValue={(text) => change(index, { rttMs: bounded(text, 0.1, 2000, one.rttMs) })}
                />
                <Field
                  label="Starts at"
                  value={number(one.startS)}
                  suffix="s"
                  onValue={(text) => change(index, { startS: bounded(text, 0, 600, one.startS) })}
                />
                <label>
                  <span>Sends</span>
                  <select
                    value={one.workload}
                    onChange={(event) => change(index, { workload: event.currentTarget.value })}
                  >
                    {WORKLOADS.map((offer) => (
                      <option key={offer.name} value={offer.name}>
                        {offer.label}
                      </option>
                    ))}
                  </select>
                </label>
                {known?.parameters.map((parameter) => (
                  <Field
                    key={parameter.name}
                    label={parameter.name}
                    mono
                    title={[parameter.unit, parameter.doc].filter(Boolean).join(": ")}
                    value={String(one.parameters[parameter.name] ?? parameter.default)}
                    onValue={(text) => {
                      const value = whole(text, 0, 2 ** 31, parameter.default);
                      const { [parameter.name]: _, ...others } = one.parameters;
                      change(index, {
                        parameters: value === parameter.default ? others : { ...others, [parameter.name]: value },
                      });
                    }}
                  />
                ))}
              </div>
            )}
          </fieldset>
        );
      })}
      {scene.rows.length < 8 && (
        <button onClick={() => set({ rows: [...scene.rows, row("cubic", { rttMs: scene.rows[0].rttMs })] })}>
          Add a flow
        </button>
      )}
    </div>
  );
}

function Algorithms({ algorithms, chosen }: { algorithms: Algorithm[]; chosen: string }) {
  if (!algorithms.length) return <option value={chosen}>{displayName(chosen)}</option>;
  const classes = [...new Set(algorithms.map((one) => one.class))];
  return (
    <>
      {classes.map((name) => (
        <optgroup key={name} label={name || "your own"}>
          {algorithms
            .filter((one) => one.class === name)
            .map((one) => (
              <option key={one.name} value={one.name} selected={one.name === chosen}>
                {displayName(one.name)}
              </option>
            ))}
        </optgroup>
      ))}
    </>
  );
}

function NetworkForm({ scene, set, onLoss }: FormProps & { onLoss: (share: number) => void }) {
  const kind = discipline(scene.queue);
  const wifi = isWifi(scene);
  const network = (value: string) => {
    const preset = LINKS.find((one) => one.name === value);
    if (preset) {
      const { rateBps, trace, reverseBps, buffer, lossPct } = preset;
      set({
        network: "link",
        rateBps,
        trace,
        reverseBps,
        buffer,
        lossPct,
        queue: "fifo",
        options: {},
        rows: scene.rows.map((one) => ({ ...one, rttMs: preset.rttMs })),
      });
      return;
    }
    const next = value as Network;
    const changes = wifi !== isWifi({ ...scene, network: next });
    const rows = changes ? scene.rows.map((one) => ({ ...one, rttMs: defaultRttMs(next) })) : scene.rows;
    const lot = next === "lot" && rows.length < 3 ? [rows[0], row("cubic", { rttMs: rows[0].rttMs, count: 2 })] : rows;
    set({
      network: next,
      trace: null,
      rows: lot,
      buffer: changes ? null : scene.buffer,
      ...(isWifi({ ...scene, network: next }) ? { queue: "fifo", options: {}, lossPct: 0 } : {}),
    });
  };
  return (
    <div class="form">
      <h2>Network</h2>
      <div class="more">
        <label class="wide">
          <span>Kind</span>
          <select value={scene.trace ?? scene.network} onChange={(event) => network(event.currentTarget.value)}>
            <option value="link">one link</option>
            <option value="lot">two links in a row (parking lot)</option>
            <optgroup label="Wi-Fi, flows from stations">
              <option value="n">802.11n</option>
              <option value="ac">802.11ac</option>
              <option value="ax">802.11ax</option>
            </optgroup>
            <optgroup label="a typical link">
              {LINKS.map((one) => (
                <option key={one.name} value={one.name} title={one.about}>
                  {one.label}
                </option>
              ))}
            </optgroup>
          </select>
        </label>
        {!wifi && (
          <Field
            label="Rate"
            title={scene.trace ? "Varies; enter a rate to keep it constant" : undefined}
            value={scene.trace ? "varies" : rateWord(scene.rateBps)}
            onValue={(text) =>
              Number.isFinite(readRate(text)) &&
              set({ rateBps: Math.min(1e9, Math.max(1e5, readRate(text))), trace: null })
            }
          />
        )}
        <Field
          label="Buffer"
          title="In BDPs (1bdp), packets (50p), time (100ms) or bytes (64kB); empty: the default of the discipline"
          value={scene.buffer ? sizeWord(scene.buffer) : ""}
          onValue={(text) => set({ buffer: readSize(text) })}
        />
        {!wifi && (
          <label>
            <span>Queue</span>
            <select
              value={scene.queue}
              title={kind.about}
              onChange={(event) =>
                set({
                  queue: event.currentTarget.value,
                  options: {},
                  buffer: discipline(event.currentTarget.value).hasDefault ? null : { value: 1, unit: "bdp" },
                })
              }
            >
              {DISCIPLINES.map((one) => (
                <option key={one.name} value={one.name} title={one.about}>
                  {one.name}
                </option>
              ))}
            </select>
          </label>
        )}
        {!wifi &&
          kind.options.map((option) =>
            option.kind === "flag" ? (
              <label key={option.name} class="check" title={option.meaning}>
                <input
                  type="checkbox"
                  checked={(scene.options[option.name] ?? option.initial) === "true"}
                  onChange={(event) =>
                    set({ options: { ...scene.options, [option.name]: String(event.currentTarget.checked) } })
                  }
                />
                <span>marks (ECN)</span>
              </label>
            ) : (
              <Field
                key={option.name}
                label={option.name}
                mono
                title={option.meaning}
                value={scene.options[option.name] ?? option.initial}
                onValue={(text) => set({ options: { ...scene.options, [option.name]: text } })}
              />
            ),
          )}
        {!wifi && (
          <Field
            label="Random loss"
            value={number(scene.lossPct)}
            suffix="%"
            onValue={(text) => onLoss(bounded(text, 0, 50, 0) / 100)}
          />
        )}
        <label
          class="check"
          title="Senders and receivers negotiate ECN; DCTCP and Prague do so without it, as in Linux"
        >
          <input type="checkbox" checked={scene.ecn} onChange={(event) => set({ ecn: event.currentTarget.checked })} />
          <span>flows use ECN</span>
        </label>
        <Field
          label="Duration"
          value={number(scene.timeS)}
          suffix="s"
          onValue={(text) => set({ timeS: bounded(text, 1, 600, scene.timeS) })}
        />
        <Field label="Seed" value={String(scene.seed)} onValue={(text) => set({ seed: whole(text, 0, 2 ** 32, 1) })} />
      </div>
    </div>
  );
}

interface FieldProps {
  label: string;
  value: string;
  onValue: (text: string) => void;
  prefix?: string;
  suffix?: string;
  title?: string;
  mono?: boolean;
  narrow?: boolean;
}

export function Field({ label, value, onValue, prefix, suffix, title, mono, narrow }: FieldProps) {
  return (
    <label class={narrow ? "narrow" : ""} title={title}>
      <span class={narrow ? "vh" : mono ? "mono" : ""}>{label}</span>
      <span class="input">
        {prefix}
        <input
          type="text"
          value={value}
          spellcheck={false}
          onChange={(event) => {
            onValue(event.currentTarget.value);
            event.currentTarget.value = value; // the next rendering has the new one, if it was taken
          }}
        />
        {suffix}
      </span>
    </label>
  );
}

function bounded(text: string, low: number, high: number, otherwise: number): number {
  const value = Number.parseFloat(text);
  return Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : otherwise;
}

function whole(text: string, low: number, high: number, otherwise = low): number {
  return Math.round(bounded(text, low, high, otherwise));
}

/** The drawing, with handles on the things that can be moved. */

import { useEffect, useRef } from "preact/hooks";
import { type Colours, colours as readColours } from "../drawing/colours";
import { draw } from "../drawing/draw";
import { font } from "../drawing/frame";
import { type Geometry, between, geometry, limitBytes, rateOf } from "../drawing/geometry";
import type { Player } from "../engine/player";
import { clamp } from "../scene/address";
import { current } from "../scene/current";
import { discipline } from "../scene/queues";
import { FRAME_BYTES, isWifi } from "../scene/scene";
import { delayVaries } from "../scene/traces";
import { bpsText, bufferText, msText, sizeText } from "./format";
import { usePlayer } from "./use";
import { words } from "./words";

type Grip = "buffer" | "rate" | "delay";

interface Drag {
  grip: Grip;
  pxPerMs: number;
  anchorX: number;
  /** A discipline whose limit cannot change while it runs restarts when the handle is released. */
  bytes: number | null;
}

/** Frames after which nothing moves any more: falling packets have faded, the drawing has its new form. */
const STILL_FRAMES = 90;
/** Share of the way that the drawing goes to its new form in one frame. */
const EASE = 0.18;

export function Stage({ onScene }: { onScene: () => void }) {
  const player = usePlayer();
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const grips = {
    buffer: useRef<HTMLDivElement>(null),
    rate: useRef<HTMLDivElement>(null),
    delay: useRef<HTMLDivElement>(null),
  };
  const state = useRef<{ shown: Geometry | null; drag: Drag | null; colours: Colours | null }>({
    shown: null,
    drag: null,
    colours: null,
  });

  useEffect(() => {
    const pen = canvas.current?.getContext("2d");
    const element = canvas.current;
    if (!pen || !element) return;
    let width = 0;
    let height = 0;
    let still = 0;
    let seenNs = -1;
    const measure = () => {
      const size = (box.current as HTMLElement).getBoundingClientRect();
      [width, height] = [size.width, size.height];
      const pixels = Math.min(devicePixelRatio, 2);
      element.width = Math.round(width * pixels);
      element.height = Math.round(height * pixels);
      pen.setTransform(pixels, 0, 0, pixels, 0, 0);
      state.current.shown = null;
    };
    const observer = new ResizeObserver(measure);
    observer.observe(box.current as HTMLElement);
    measure();
    const wake = () => (still = 0);
    addEventListener("fairlane-scene", wake);
    const forget = () => (state.current.colours = null);
    addEventListener("fairlane-theme", forget);
    let frame = 0;
    let before = performance.now();
    let smooth: { windows: number[]; rates: number[] } = { windows: [], rates: [] };
    const paint = (now: number) => {
      frame = requestAnimationFrame(paint);
      player.tick(Math.min(0.1, (now - before) / 1000));
      before = now;
      if (!width) return;
      const here = state.current;
      // A still picture is drawn until all has come to rest, and not again.
      const moves = player.playing || here.drag || !here.shown || !here.colours || player.shownNs !== seenNs;
      still = moves ? 0 : still + 1;
      seenNs = player.shownNs;
      if (still > STILL_FRAMES) return;
      here.colours ??= readColours();
      const target = wanted(player, width, height, here.drag);
      here.shown = here.drag || !here.shown ? target : between(here.shown, target, EASE);
      smooth = labels(player, smooth);
      draw(pen, { player, geometry: here.shown, colours: here.colours, ...smooth, clockS: now / 1000 });
      dimensions(pen, here.colours, here.shown, player);
      place(grips, here.shown, player);
    };
    frame = requestAnimationFrame(paint);
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      removeEventListener("fairlane-theme", forget);
      removeEventListener("fairlane-scene", wake);
    };
  }, [player]);

  const begin = (grip: Grip) => (event: PointerEvent) => {
    const { shown } = state.current;
    if (!shown) return;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    (event.currentTarget as HTMLElement).focus();
    state.current.drag = { grip, pxPerMs: shown.pxPerMs, anchorX: shown.hops[0].headX, bytes: null };
    event.preventDefault();
  };
  const move = (event: PointerEvent) => {
    const { drag, shown } = state.current;
    if (!drag || !shown) return;
    const at = (box.current as HTMLElement).getBoundingClientRect();
    const hop = shown.hops[0];
    const scene = player.now;
    if (drag.grip === "buffer") {
      const ms = (hop.headX - (event.clientX - at.left)) / drag.pxPerMs;
      setBuffer(player, (ms * scene.rateBps) / 8000, drag);
    } else if (drag.grip === "delay") {
      setDelay(player, (event.clientX - at.left - hop.startX) / drag.pxPerMs);
    } else {
      const middle = shown.pipe.y + shown.pipe.height / 2;
      setRate(player, rateOf(2 * (event.clientY - at.top - middle)));
    }
    onScene();
  };
  const end = () => {
    const { drag } = state.current;
    state.current.drag = null;
    if (drag?.bytes)
      player.load({
        ...current(player.scene),
        buffer: { value: Math.round(drag.bytes / FRAME_BYTES), unit: "p" },
        changes: [],
      });
    onScene();
  };
  const keys = (grip: Grip) => (event: KeyboardEvent) => {
    const direction = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!direction) return;
    event.preventDefault();
    const scene = player.now;
    const times = event.shiftKey ? 10 : 1;
    if (grip === "buffer") setBuffer(player, limitBytes(scene) + direction * times * FRAME_BYTES, null);
    else if (grip === "delay") setDelay(player, (state.current.shown?.delayMs ?? 10) + direction * times);
    else setRate(player, scene.rateBps * 1.05 ** (direction * times));
    onScene();
  };

  const scene = player.now;
  const { trace } = scene;
  const handle = (grip: Grip, label: string, now: number, text: string, least: number, most: number) => (
    <div
      ref={grips[grip]}
      class={`grip ${grip}`}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuenow={Number(now.toPrecision(4))}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuetext={text}
      title={`Drag to change the ${label.toLowerCase()}`}
      onPointerDown={begin(grip)}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
      onKeyDown={keys(grip)}
    />
  );
  const delayMs = state.current.shown?.delayMs ?? 0;
  return (
    <div class="stage" ref={box}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`The network: ${words(player)
          .map((one) => one.text)
          .join("")}`}
      />
      {!isWifi(scene) && (
        <>
          {handle(
            "buffer",
            "Buffer size",
            limitBytes(scene) / FRAME_BYTES,
            bufferText(scene, limitBytes(scene)),
            1,
            10_000,
          )}
          {!trace && handle("rate", "Link rate", scene.rateBps / 1e6, bpsText(scene.rateBps), 0.1, 1000)}
          {!(trace && delayVaries(trace)) && handle("delay", "Link delay", delayMs, msText(delayMs), 0.1, 1000)}
        </>
      )}
    </div>
  );
}

function wanted(player: Player, width: number, height: number, drag: Drag | null): Geometry {
  const queued = Math.max(0, ...player.samples.queueBytes.map((list) => list.at(-1) ?? 0));
  let scene = player.now;
  if (drag?.bytes) scene = { ...scene, buffer: { value: drag.bytes, unit: "B" } };
  const whole = geometry(scene, width, height, queued, drag?.pxPerMs ?? null);
  if (!drag) return whole;
  const shift = drag.anchorX - whole.hops[0].headX;
  for (const hop of whole.hops) for (const key of ["tailX", "headX", "startX", "endX"] as const) hop[key] += shift;
  return whole;
}

function setBuffer(player: Player, bytes: number, drag: Drag | null): void {
  const whole = clamp(Math.round(bytes / FRAME_BYTES), 1, 20_000, 1) * FRAME_BYTES;
  const scene = current(player.scene);
  if (discipline(scene.queue).name === "fifo") player.change("queue_limit", whole);
  else if (drag) drag.bytes = whole;
  else player.load({ ...scene, buffer: { value: whole / FRAME_BYTES, unit: "p" }, changes: [] });
}

function setRate(player: Player, bps: number): void {
  const clamped = clamp(bps, 1e5, 1e9, 1e6);
  const step = 10 ** Math.floor(Math.log10(clamped) - 1);
  player.change("rate_bps", Math.round(clamped / step) * step);
}

function setDelay(player: Player, ms: number): void {
  const clamped = clamp(ms, 0.5, 500, 1);
  player.change("delay_ns", clamped < 10 ? Math.round(clamped * 10) * 1e5 : Math.round(clamped) * 1e6);
}

/** Labels follow the values smoothly: digits that flicker cannot be read. */
function labels(
  player: Player,
  before: { windows: number[]; rates: number[] },
): { windows: number[]; rates: number[] } {
  const { samples } = player;
  const last = Math.max(0, samples.from(player.shownNs / 1e9 + 1e-9) - 1);
  const follow = (old: number[], values: number[], share: number) =>
    values.map((value, index) => (Number.isFinite(old[index]) ? old[index] + (value - old[index]) * share : value));
  return {
    windows: follow(
      before.windows,
      samples.flows.map((one) => one.cwnd_packets[last] ?? NaN),
      0.3,
    ),
    rates: follow(
      before.rates,
      samples.flows.map((one) => one.mbps[last] ?? NaN),
      0.06,
    ),
  };
}

/** Lines with the sizes of queue and link, as in a technical drawing. */
function dimensions(pen: CanvasRenderingContext2D, colours: Colours, shown: Geometry, player: Player): void {
  const scene = player.now;
  const bottom = Math.max(shown.pipe.y + shown.pipe.height, ...shown.lanes.map((lane) => lane.y + lane.height));
  const hop = shown.hops[0];
  const y = bottom + (shown.narrow ? 26 : 30);
  pen.strokeStyle = colours.muted;
  pen.fillStyle = colours.muted;
  pen.lineWidth = 1;
  pen.font = font(shown.narrow ? 11 : 12.5);
  pen.textAlign = "center";
  pen.textBaseline = "top";
  const line = (fromX: number, toX: number, title: string, text: string) => {
    pen.beginPath();
    pen.moveTo(fromX, y - 4);
    pen.lineTo(fromX, y + 4);
    pen.moveTo(toX, y - 4);
    pen.lineTo(toX, y + 4);
    pen.moveTo(fromX, y);
    pen.lineTo(toX, y);
    pen.stroke();
    const lines = shown.narrow ? [title, ...text.split(" · ")] : [`${title} ${text}`];
    lines.forEach((one, index) => pen.fillText(one, (fromX + toX) / 2, y + 8 + 14 * index));
  };
  if (isWifi(scene)) return;
  const limit = limitBytes(scene);
  const title = hop.open ? "limit" : "buffer";
  line(hop.tailX, hop.headX, title, hop.open ? sizeText(limit) : bufferText(scene, limit));
  line(hop.startX, hop.endX, "delay", msText(shown.delayMs));
  pen.fillStyle = colours.ink;
  pen.textBaseline = "bottom";
  pen.font = font(shown.narrow ? 12 : 13.5, 600);
  pen.fillText(
    bpsText(Number(scene.rateBps.toPrecision(scene.trace ? 2 : 9))),
    (hop.headX + hop.startX) / 2,
    Math.min(shown.pipe.y, ...shown.lanes.map((lane) => lane.y)) - 14,
  );
}

function place(grips: Record<Grip, { current: HTMLDivElement | null }>, shown: Geometry, { scene }: Player): void {
  const hop = shown.hops[0];
  const top = Math.min(...shown.lanes.map((lane) => lane.y));
  const bottom = Math.max(...shown.lanes.map((lane) => lane.y + lane.height));
  const set = (grip: Grip, x: number, y: number, height: number) => {
    const { current: element } = grips[grip];
    if (!element) return;
    element.style.transform = `translate(${x}px, ${y}px)`;
    if (height) element.style.height = `${height}px`;
  };
  if (isWifi(scene)) return;
  set("buffer", hop.tailX, top - 6, bottom - top + 12);
  set("delay", hop.endX, shown.pipe.y - 6, shown.pipe.height + 12);
  set("rate", (hop.startX + hop.endX) / 2, shown.pipe.y + shown.pipe.height, 0);
}

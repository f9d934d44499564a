// Shared by all pages: packed data, colours and theme, one axis of time for several plots, and uPlot's options.
"use strict";
const root = document.documentElement,
  LEAST_DRAG = 5; // pixels; less is a click

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

// Columns of times and numbers are stored as differences, which compress well.
function sums(steps) {
  let last = 0;
  return steps.map((step) => (last += step));
}

function colour(name) {
  return getComputedStyle(root).getPropertyValue(name).trim();
}

function made(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// The theme: the system's setting, until the user chooses one.
const themed = []; // functions that draw again in other colours
const button = document.getElementById("theme");
const systemDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ?? (systemDark.matches ? "dark" : "light")) === "dark";

function setTheme(theme) {
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  button.textContent = isDark() ? "Light" : "Dark";
  button.setAttribute("aria-label", `${button.textContent} colours`);
  for (const draw of themed) draw();
}

button.addEventListener("click", () => {
  setTheme(isDark() ? "light" : "dark");
  try {
    localStorage.setItem("fairlane-theme", root.dataset.theme);
  } catch {
    // Browsers may forbid storage to a page from a file.
  }
});
systemDark.addEventListener("change", () => setTheme(root.dataset.theme));
setTheme(root.dataset.theme);

// The range of time that a group of plots shows, and the ways to change it.
class TimeAxis {
  constructor(buttons, changed) {
    Object.assign(this, { changed, least: 0 });
    for (const one of buttons) one.addEventListener("click", () => this.zoom(one.dataset.zoom));
  }

  // Bounds of the whole axis; shows all of it, or the part up to `shown`.
  reset(start, end, least = 0, shown = end) {
    Object.assign(this, { start, end, least });
    this.set(start, shown);
  }

  set(from, to, by = null) {
    const width = Math.min(Math.max(to - from, this.least), this.end - this.start);
    this.from = Math.max(this.start, Math.min(from, this.end - width));
    this.to = Math.min(this.end, this.from + width);
    this.changed(by);
  }

  zoom(how) {
    const { from, to } = this,
      width = to - from;
    if (how === "all") this.set(this.start, this.end);
    if (how === "in") this.set(from + width / 4, to - width / 4);
    if (how === "out") this.set(from - width / 2, to + width / 2);
    if (how === "left") this.set(from - width / 4, to - width / 4);
    if (how === "right") this.set(from + width / 4, to + width / 4);
  }

  // Makes a plot zoom with the wheel around the pointer.
  followWheel(plot) {
    const turned = (event) => {
      if (event.ctrlKey || !event.deltaY) return;
      event.preventDefault();
      const time = plot.posToVal(event.offsetX, "x"),
        factor = event.deltaY < 0 ? 0.8 : 1.25;
      this.set(time - (time - this.from) * factor, time + (this.to - time) * factor);
    };
    plot.over.addEventListener("wheel", turned, { passive: false });
  }
}

// A uPlot over `time` in `place`; dragging over a part zooms in, a double click shows all.
function timePlot(
  place,
  time,
  unit,
  { axis = {}, scale = {}, cursor = {}, hooks = {}, drag = {}, selected, ...options },
  data,
) {
  const grid = colour("--grid"),
    font = `12px ${getComputedStyle(document.querySelector(".masthead")).fontFamily}`;
  const line = { stroke: grid, width: 1 },
    axes = { stroke: colour("--muted"), grid: line, ticks: line, font };
  const plot = new uPlot(
    {
      legend: { show: false },
      scales: { x: { time: false, range: () => [time.from, time.to] }, y: scale },
      axes: [
        { ...axes, size: 30, space: 80, values: (_, ticks) => ticks.map((tick) => `${+tick.toFixed(9)} ${unit}`) },
        { ...axes, ...axis },
      ],
      cursor: { y: false, drag: { x: true, y: false, setScale: false, ...drag }, ...cursor },
      hooks: {
        ...hooks,
        setSelect: [
          (one) => {
            const area = { ...one.select };
            if (!area.width) return;
            one.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
            const [from, to] = [area.left, area.left + area.width].map((x) => one.posToVal(x, "x"));
            if (selected) selected(one, from, to, area);
            else if (area.width >= LEAST_DRAG) time.set(from, to);
          },
        ],
      },
      ...options,
    },
    data,
    place,
  );
  plot.over.addEventListener("dblclick", () => time.zoom("all"));
  touchAsMouse(plot.over);
  return plot;
}

// uPlot listens to the mouse only.
function touchAsMouse(element) {
  const names = { pointerdown: "mousedown", pointermove: "mousemove", pointerup: "mouseup", pointercancel: "mouseup" };
  for (const [name, type] of Object.entries(names))
    element.addEventListener(name, (event) => {
      const { clientX, clientY } = event;
      // uPlot takes an event without movement for a stray one.
      if (event.pointerType === "touch")
        element.dispatchEvent(new MouseEvent(type, { clientX, clientY, movementX: 1, bubbles: true }));
    });
}

// Draws inside the axes of a plot only.
function clipped(plot, draw) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(ctx, bbox);
  ctx.restore();
}

// The names that the scripts of pages use.
Object.assign(globalThis, {
  LEAST_DRAG,
  TimeAxis,
  clipped,
  colour,
  isDark,
  made,
  root,
  setTheme,
  sums,
  themed,
  timePlot,
  unpack,
});

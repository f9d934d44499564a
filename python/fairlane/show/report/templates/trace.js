// A trace: panels on canvases with one axis of time. Sequence numbers as tcptrace shows them, windows, RTTs, members.
"use strict";
const MARGIN = { left: 74, right: 26, top: 6, bottom: 22 }, HEIGHTS = { sequence: 380, other: 150 }, MOST_CALLS = 300;
const root = document.documentElement;

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}
const sums = steps => { let last = 0; return Float64Array.from(steps, step => last += step); };
function firstAt(times, t) {  // the index of the first time that is not before t
  let low = 0, high = times.length;
  while (low < high) { const middle = low + high >> 1; if (times[middle] < t) low = middle + 1; else high = middle; }
  return low;
}
const valueAt = (line, t) => { const at = firstAt(line.t, t + 1) - 1; return at < 0 ? null : line.v[at]; };

// What a flow's columns say, ready to be drawn.
function read(flow) {
  const [t, start, length, kind] = flow.sent, sent = { t: sums(t), start: sums(start), kind };
  sent.end = sent.start.map((value, at) => value + length[at]);
  const [at, ack, window, rtt] = flow.acks, acks = { t: sums(at), v: sums(ack) };
  const sacks = { t: sums(flow.sacks[0]), low: sums(flow.sacks[1]), high: sums(flow.sacks[2]) };
  const lines = { ack: { t: acks.t, v: acks.v }, window: { t: [], v: [] }, allowed: { t: [], v: [] }, rtt: { t: [], v: [] }, outstanding: { t: [], v: [] }, cwnd: null, edge: null, ssthresh: null };
  window.forEach((bytes, index) => {
    if (bytes < 0) return;
    lines.window.t.push(acks.t[index]); lines.window.v.push(acks.v[index] + bytes);
    lines.allowed.t.push(acks.t[index]); lines.allowed.v.push(bytes);
  });
  rtt.forEach((ns, index) => { if (ns >= 0) { lines.rtt.t.push(acks.t[index]); lines.rtt.v.push(ns / 1e6); } });
  let highest = null, una = null, i = 0, j = 0;
  while (i < sent.t.length || j < acks.t.length) {
    const isSent = j >= acks.t.length || i < sent.t.length && sent.t[i] <= acks.t[j];
    const now = isSent ? sent.t[i] : acks.t[j];
    if (isSent) { if (una === null) una = sent.start[i]; highest = Math.max(highest ?? sent.end[i], sent.end[i]); i++; }
    else { una = Math.max(una ?? acks.v[j], acks.v[j]); j++; }
    if (highest !== null && una !== null) { lines.outstanding.t.push(now); lines.outstanding.v.push(Math.max(0, highest - una)); }
  }
  const members = Object.fromEntries(Object.entries(flow.members).map(([name, [times, values]]) => [name, { t: sums(times), v: values }]));
  if (flow.mss && members.snd_cwnd) {
    lines.cwnd = { t: members.snd_cwnd.t, v: members.snd_cwnd.v.map(packets => packets * flow.mss) };
    lines.edge = edge(lines.ack, lines.cwnd);
  }
  if (flow.mss && members.snd_ssthresh) {
    const known = members.snd_ssthresh.v.map(packets => packets < 0x7fffffff ? packets * flow.mss : null);
    if (known.some(value => value !== null)) lines.ssthresh = { t: members.snd_ssthresh.t, v: known };
  }
  return { name: flow.name, sent, acks, sacks, lines, members, calls: { t: sums(flow.calls[0]), lines: flow.calls[1] } };
}
// Up to where the congestion window allows data: it moves with acknowledgements and with the window.
function edge(ack, cwnd) {
  const found = { t: [], v: [] };
  let i = 0, j = 0, una = null, bytes = null;
  while (i < ack.t.length || j < cwnd.t.length) {
    if (j >= cwnd.t.length || i < ack.t.length && ack.t[i] <= cwnd.t[j]) { una = Math.max(una ?? 0, ack.v[i]); found.t.push(ack.t[i++]); }
    else { bytes = cwnd.v[j]; found.t.push(cwnd.t[j++]); }
    found.v.push(una === null || bytes === null ? null : una + bytes);
  }
  return found;
}

class Panel {
  constructor(trace, title, unit, height, layers) {
    Object.assign(this, { trace, title, unit, height, layers, hidden: new Set(), y: null });
    this.element = document.createElement("figure");
    this.element.className = "panel";
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${title} over time: ${layers.map(layer => layer.label).join(", ")}`);
    this.element.append(this.caption(), this.canvas);
    for (const [event, handle] of Object.entries({ pointerdown: "down", pointermove: "move", pointerup: "up", pointerleave: "leave", dblclick: "reset", wheel: "wheel" }))
      this.canvas.addEventListener(event, one => this[handle](one), { passive: false });
  }
  caption() {
    const box = document.createElement("figcaption"), name = document.createElement("b");
    name.textContent = this.title;
    box.append(name);
    for (const layer of this.layers) {
      const label = document.createElement("label"), input = document.createElement("input");
      Object.assign(input, { type: "checkbox", checked: true });
      input.addEventListener("change", () => { this.hidden[input.checked ? "delete" : "add"](layer); this.draw(); });
      label.append(input, sample(layer), layer.label);
      box.append(label);
    }
    return box;
  }
  get shown() { return this.layers.filter(layer => !this.hidden.has(layer)); }
  // The values in the range of time that is shown.
  limits() {
    if (this.y) return this.y;
    const [from, until] = this.trace.range;
    let low = Infinity, high = -Infinity;
    for (const layer of this.shown.filter(layer => !layer.follows))
      layer.each(from, until, (bottom, top) => { if (bottom < low) low = bottom; if (top > high) high = top; });
    if (low > high) [low, high] = [0, 1];
    if (this.unit !== "sequence") low = Math.min(0, low);
    const room = (high - low || 1) * 0.04;
    return [low - (low === 0 ? 0 : room), high + room];
  }
  get width() { return Math.max(280, this.element.clientWidth); }
  draw() {
    const scale = devicePixelRatio || 1, { width, height, canvas } = this;
    canvas.width = width * scale; canvas.height = height * scale;
    canvas.style.height = `${height}px`;
    const pen = this.pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    this.box = { x: MARGIN.left, y: MARGIN.top, w: width - MARGIN.left - MARGIN.right, h: height - MARGIN.top - MARGIN.bottom };
    this.drawn = this.limits();
    this.axes(pen);
    pen.save();
    pen.beginPath(); pen.rect(this.box.x, this.box.y, this.box.w, this.box.h); pen.clip();
    // Packets above lines, which often lie on them.
    for (const layer of this.shown.toSorted((one, other) => !!one.bars - !!other.bars)) { pen.strokeStyle = pen.fillStyle = colour(layer.colour); pen.lineWidth = layer.width ?? 1.3; pen.setLineDash(layer.dash ?? []); layer.draw(this, pen); }
    pen.setLineDash([]);
    for (const [t, ink] of [[this.trace.kept, "--ink"], [this.trace.at, "--muted"]]) {
      if (t === null) continue;
      pen.strokeStyle = colour(ink); pen.lineWidth = 1;
      pen.beginPath(); pen.moveTo(this.px(t), this.box.y); pen.lineTo(this.px(t), this.box.y + this.box.h); pen.stroke();
    }
    if (this.drag && !this.drag.moves) {
      const { x, y, toX, toY } = this.drag, tall = this.unit === "sequence";
      pen.fillStyle = colour("--link"); pen.globalAlpha = 0.15;
      pen.fillRect(Math.min(x, toX), tall ? Math.min(y, toY) : this.box.y, Math.abs(toX - x), tall ? Math.abs(toY - y) : this.box.h);
    }
    pen.restore();
  }
  axes(pen) {
    const { x, y, w, h } = this.box, [low, high] = this.drawn, [from, until] = this.trace.range;
    pen.font = `12px ${getComputedStyle(document.querySelector(".masthead")).fontFamily}`;
    pen.fillStyle = colour("--muted"); pen.strokeStyle = colour("--grid"); pen.lineWidth = 1;
    pen.textAlign = "right"; pen.textBaseline = "middle";
    for (const tick of ticks(low, high, h / 45)) {
      const at = this.py(tick);
      line(pen, x, at, x + w, at);
      pen.fillText(this.text(tick), x - 8, at);
    }
    pen.textAlign = "center"; pen.textBaseline = "top";
    for (const tick of ticks(this.trace.origin + from, this.trace.origin + until, w / 110)) {
      const at = this.px(tick - this.trace.origin);
      line(pen, at, y, at, y + h);
      pen.fillText(`${+(tick / 1e9).toFixed(9)} s`, at, y + h + 6);
    }
  }
  text(value) {
    if (this.unit === "sequence" || this.unit === "bytes") return Math.abs(value) >= 1e6 ? `${+(value / 1e6).toFixed(3)} MB` : `${+(value / 1e3).toFixed(3)} kB`;
    return `${+value.toPrecision(6)}${this.unit ? ` ${this.unit}` : ""}`;
  }
  px(t) { const [from, until] = this.trace.range; return this.box.x + (t - from) / (until - from) * this.box.w; }
  py(value) { const [low, high] = this.drawn; return this.box.y + (high - value) / (high - low) * this.box.h; }
  time(x) { const [from, until] = this.trace.range; return from + (x - this.box.x) / this.box.w * (until - from); }
  value(y) { const [low, high] = this.drawn; return high - (y - this.box.y) / this.box.h * (high - low); }
  down(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.drag = { x: event.offsetX, y: event.offsetY, toX: event.offsetX, toY: event.offsetY, moves: event.shiftKey, range: [...this.trace.range], drawn: [...this.drawn] };
  }
  move(event) {
    this.trace.at = this.time(event.offsetX);
    if (this.drag?.moves) {
      const [from, until] = this.drag.range, step = (this.drag.x - event.offsetX) / this.box.w * (until - from);
      this.trace.setRange([from + step, until + step], this.y && this);
      return;
    }
    if (this.drag) Object.assign(this.drag, { toX: event.offsetX, toY: event.offsetY });
    this.trace.say(this.value(event.offsetY), this);
    this.trace.redraw();
  }
  up() {
    const drag = this.drag;
    this.drag = null;
    if (!drag || drag.moves) return;
    if (Math.abs(drag.toX - drag.x) < 5) { this.trace.keep(this.time(drag.x)); return; }
    const times = [this.time(drag.x), this.time(drag.toX)].sort((a, b) => a - b);
    if (this.unit === "sequence" && Math.abs(drag.toY - drag.y) >= 12) this.y = [this.value(drag.toY), this.value(drag.y)].sort((a, b) => a - b);
    this.trace.setRange(times, this);
  }
  leave() { this.trace.at = null; this.trace.redraw(); }
  reset() { this.trace.zoom("all"); }
  wheel(event) {
    if (event.ctrlKey || !event.deltaY) return;
    event.preventDefault();
    const [from, until] = this.trace.range, t = this.time(event.offsetX), factor = event.deltaY < 0 ? 0.8 : 1.25;
    this.trace.setRange([t - (t - from) * factor, t + (until - t) * factor]);
  }
}

function line(pen, x, y, toX, toY) { pen.beginPath(); pen.moveTo(x, y); pen.lineTo(toX, toY); pen.stroke(); }
function colour(name) { return getComputedStyle(root).getPropertyValue(name).trim(); }
function ticks(low, high, count) {
  const rough = (high - low) / Math.max(2, count), power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find(one => one * power >= rough) * power, found = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) found.push(tick);
  return found;
}
function sample(layer) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), mark = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 24 12"); svg.setAttribute("aria-hidden", "true");
  mark.setAttribute("d", layer.bars ? "M6 1V11M12 1V11M18 1V11" : "M0 6H24");
  mark.setAttribute("stroke", `var(${layer.colour})`); mark.setAttribute("stroke-width", "2");
  if (layer.dash) mark.setAttribute("stroke-dasharray", layer.dash.join(" "));
  svg.append(mark);
  return svg;
}

// A line that keeps its value until the next.
function stairs(label, of, ink, more = {}) {
  return { label, colour: ink, of, ...more,
    each(from, until, take) { for (let at = Math.max(0, firstAt(of.t, from) - 1); at < of.t.length && of.t[at] <= until; at++) if (of.v[at] !== null) take(of.v[at], of.v[at]); },
    draw(panel, pen) {
      const [from, until] = panel.trace.range;
      let last = null;
      pen.beginPath();
      for (let at = Math.max(0, firstAt(of.t, from) - 1); at < of.t.length; at++) {
        const x = panel.px(of.t[at]), value = of.v[at];
        if (value === null) { last = null; continue; }
        const y = panel.py(value);
        if (last === null) pen.moveTo(x, y); else { pen.lineTo(x, last); pen.lineTo(x, y); }
        last = y;
        if (of.t[at] > until) break;
      }
      if (last !== null) pen.lineTo(panel.px(until), last);
      pen.stroke();
    } };
}
function dots(label, of, ink) {
  return { label, colour: ink, of, each: stairs(label, of, ink).each, draw(panel, pen) {
    const [from, until] = panel.trace.range;
    for (let at = firstAt(of.t, from); at < of.t.length && of.t[at] <= until; at++) pen.fillRect(panel.px(of.t[at]) - 1.2, panel.py(of.v[at]) - 1.2, 2.4, 2.4);
  } };
}
// A bar from the first to the last byte, with ends if there is room.
function bars(label, t, low, high, ink, belongs, width = 1.4) {
  return { label, colour: ink, bars: true, width,
    each(from, until, take) { for (let at = firstAt(t, from); at < t.length && t[at] <= until; at++) if (belongs(at)) take(low[at], high[at]); },
    draw(panel, pen) {
      const [from, until] = panel.trace.range, first = firstAt(t, from), end = firstAt(t, until), half = end - first < panel.box.w / 3 ? 2.5 : 0;
      pen.beginPath();
      for (let at = first; at < t.length && t[at] <= until; at++) {
        if (!belongs(at)) continue;
        const x = panel.px(t[at]), bottom = panel.py(low[at]), top = Math.min(panel.py(high[at]), bottom - 1);
        pen.moveTo(x, bottom); pen.lineTo(x, top);
        if (half && bottom - top > 4) { pen.moveTo(x - half, top); pen.lineTo(x + half, top); pen.moveTo(x - half, bottom); pen.lineTo(x + half, bottom); }
      }
      pen.stroke();
    } };
}

class Trace {
  constructor(content) {
    this.origin = content.from;
    this.flows = content.flows.map(read);
    this.whole = [0, content.until - content.from];
    this.range = [...this.whole];
    this.at = this.kept = null;
    this.place = document.getElementById("panels");
    const select = document.getElementById("flow");
    this.flows.forEach((flow, index) => select.add(new Option(flow.name, index)));
    document.getElementById("flow-label").hidden = this.flows.length < 2;
    select.addEventListener("change", () => this.choose(Number(select.value)));
    for (const one of document.querySelectorAll("[data-zoom]")) one.addEventListener("click", () => this.zoom(one.dataset.zoom));
    new ResizeObserver(() => this.redraw()).observe(this.place);
    this.choose(0);
  }
  choose(index) {
    const flow = this.flow = this.flows[index], { sent, sacks, lines } = flow, any = of => of && of.t.length;
    const kinds = [["data", "--ink", kind => !(kind & 1)], ["retransmission", "--c1", kind => kind & 1]];
    const layers = kinds.filter(([, , is]) => sent.kind.some(is)).map(([label, ink, is]) => bars(label, sent.t, sent.start, sent.end, ink, at => is(sent.kind[at]), label === "data" ? 1.4 : 2.4));
    if (sent.kind.some(kind => kind & 2)) layers.push(bars("marked (CE)", sent.t, sent.start, sent.end, "--c3", at => sent.kind[at] & 2));
    layers.push(stairs("acknowledged", lines.ack, "--c2"));
    if (sacks.t.length) layers.push(bars("SACK", sacks.t, sacks.low, sacks.high, "--c3", () => true));
    if (any(lines.window)) layers.push(stairs("receive window", lines.window, "--c4", { follows: true }));
    if (any(lines.edge)) layers.push(stairs("congestion window", lines.edge, "--c0", { dash: [6, 3] }));
    const windows = [stairs("sent and not acknowledged", lines.outstanding, "--ink")];
    if (any(lines.cwnd)) windows.push(stairs("congestion window", lines.cwnd, "--c0", { dash: [6, 3] }));
    if (any(lines.ssthresh)) windows.push(stairs("slow start threshold", lines.ssthresh, "--c1", { dash: [2, 3], follows: true }));
    if (any(lines.allowed)) windows.push(stairs("receive window", lines.allowed, "--c4", { follows: true }));
    this.panels = [new Panel(this, "Sequence number", "sequence", HEIGHTS.sequence, layers), new Panel(this, "Windows", "bytes", HEIGHTS.other, windows)];
    if (any(lines.rtt)) this.panels.push(new Panel(this, "RTT of acknowledged data", "ms", HEIGHTS.other, [dots("RTT", lines.rtt, "--c2")]));
    for (const [name, of] of Object.entries(flow.members))
      if (!["snd_cwnd", "snd_ssthresh"].includes(name)) this.panels.push(new Panel(this, name, "", HEIGHTS.other, [stairs(name, of, "--c0")]));
    this.place.replaceChildren(...this.panels.map(panel => panel.element));
    this.setRange([...this.whole]);
  }
  setRange([from, until], keeps = null) {
    const [first, last] = this.whole, width = Math.min(Math.max(until - from, 1000), last - first);
    from = Math.max(first, Math.min(from, last - width));
    this.range = [from, from + width];
    for (const panel of this.panels) if (panel !== keeps) panel.y = null;
    const seconds = t => +((this.origin + t) / 1e9).toFixed(6);
    document.getElementById("range").textContent = `${seconds(from)} s to ${seconds(from + width)} s`;
    this.redraw();
    this.list();
  }
  zoom(how) {
    const [from, until] = this.range, width = until - from;
    if (how === "all") this.setRange([...this.whole]);
    else if (how === "in") this.setRange([from + width / 4, until - width / 4]);
    else if (how === "out") this.setRange([from - width / 2, until + width / 2]);
    else { const step = how === "left" ? -width / 4 : width / 4; this.setRange([from + step, until + step]); }
  }
  redraw() {
    if (this.waits) return;
    this.waits = true;
    requestAnimationFrame(() => { this.waits = false; for (const panel of this.panels) panel.draw(); });
  }
  keep(t) {
    this.kept = t;
    this.at = t;
    this.say();
    this.redraw();
    this.list();
  }
  // The values at the moment below the pointer; of packets, the nearest to it.
  say(value = null, panel = null) {
    const t = this.at, { sent, lines, members } = this.flow, words = [`${((this.origin + t) / 1e9).toFixed(6)} s`];
    if (value !== null && panel?.unit === "sequence") {
      let best = null, distance = 14 ** 2;
      for (let at = firstAt(sent.t, panel.time(panel.px(t) - 14)); at < sent.t.length && panel.px(sent.t[at]) <= panel.px(t) + 14; at++) {
        const dy = Math.max(0, panel.py(sent.end[at]) - panel.py(value), panel.py(value) - panel.py(sent.start[at]));
        const far = (panel.px(sent.t[at]) - panel.px(t)) ** 2 + dy ** 2;
        if (far < distance) [best, distance] = [at, far];
      }
      if (best !== null) words.push(`${sent.kind[best] & 4 ? "SYN or FIN" : sent.kind[best] & 1 ? "retransmission" : "data"} ${sent.start[best]}:${sent.end[best]} at ${((this.origin + sent.t[best]) / 1e9).toFixed(6)} s`);
    }
    const bytes = { acknowledged: lines.ack, outstanding: lines.outstanding, cwnd: lines.cwnd, ssthresh: lines.ssthresh, "receive window": lines.allowed };
    for (const [name, of] of Object.entries(bytes)) { const found = of && valueAt(of, t); if (found !== null && found !== undefined) words.push(`${name} ${found} B`); }
    const rtt = valueAt(lines.rtt, t);
    if (rtt !== null) words.push(`RTT ${rtt.toFixed(3)} ms`);
    for (const [name, of] of Object.entries(members)) { const found = valueAt(of, t); if (found !== null) words.push(`${name} ${found}`); }
    document.getElementById("values").textContent = words.join(" · ");
  }
  // The callbacks of the time that is shown, around the kept moment if there are many.
  list() {
    const box = document.getElementById("calls");
    if (!box) return;
    const { t, lines } = this.flow.calls, first = firstAt(t, this.range[0]), end = firstAt(t, this.range[1] + 1);
    const now = this.kept === null ? -1 : Math.max(0, firstAt(t, this.kept + 1) - 1);
    let from = first, until = Math.min(end, first + MOST_CALLS);
    if (now >= until && now < end) { from = Math.max(first, now - MOST_CALLS / 2); until = Math.min(end, from + MOST_CALLS); }
    const item = (text, name = "") => { const made = document.createElement("li"); made.textContent = text; made.className = name; return made; };
    const items = [];
    if (from > first) items.push(item(`${from - first} earlier callbacks: zoom in`, "more"));
    for (let at = from; at < until; at++) {
      const made = item(lines[at].join("\n"), at === now ? "now" : "");
      made.addEventListener("click", () => this.keep(t[at]));
      items.push(made);
    }
    if (until < end) items.push(item(`${end - until} more callbacks: zoom in`, "more"));
    if (!items.length) items.push(item("no callback in this time", "more"));
    box.replaceChildren(...items);
    const marked = box.querySelector(".now");
    if (marked) box.scrollTop = marked.offsetTop - box.offsetTop - box.clientHeight / 3;
  }
}

const button = document.getElementById("theme"), systemDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ?? (systemDark.matches ? "dark" : "light")) === "dark";
let trace = null;
function label() { button.textContent = isDark() ? "Light" : "Dark"; button.setAttribute("aria-label", `${button.textContent} colours`); trace?.redraw(); }
button.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  try { localStorage.setItem("fairlane-theme", root.dataset.theme); } catch { /* a page from a file may not remember */ }
  label();
});
systemDark.addEventListener("change", label);
label();
unpack(document.getElementById("data").textContent).then(content => { trace = new Trace(content); }, error => {
  document.getElementById("values").textContent = `This browser cannot draw the trace (${error.message}).`;
});

// A trace of one flow: sequence numbers as tcptrace draws them, windows, RTTs and members over one axis of time.
const HEIGHTS = { sequence: 380, other: 150 },
  MOST_CALLS = 300,
  NEAR = 14, // pixels from the pointer to a packet that it reads
  [RETRANSMITTED, MARKED, CONTROL] = [1, 2, 4]; // bits of a packet's kind

// The index of the first of the sorted times that is `late`.
function firstAt(times, late) {
  let low = 0,
    high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (late(times[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}
const firstFrom = (times, t) => firstAt(times, (time) => time >= t);
const firstAfter = (times, t) => firstAt(times, (time) => time > t);
const valueAt = (line, t) => line?.v[firstAfter(line.t, t) - 1] ?? null;
const stamp = (t) => `${t.toFixed(6)} s`;

// The columns of a flow as lines over seconds of the trace.
function read(flow, origin) {
  const seconds = (steps) => sums(steps).map((t) => (origin + t) / 1e9);
  const line = (t, v) => (t.length && v.some((value) => value !== null) ? { t, v } : null);
  const chosen = (t, v, belongs) => {
    const at = [...t.keys()].filter(belongs);
    return line(
      at.map((index) => t[index]),
      at.map((index) => v[index]),
    );
  };
  const sent = { t: seconds(flow.sent[0]), low: sums(flow.sent[1]), kind: flow.sent[3] };
  sent.high = sent.low.map((start, at) => start + flow.sent[2][at]);
  const acks = seconds(flow.acks[0]),
    acked = sums(flow.acks[1]),
    [, , window, rtt] = flow.acks;
  const sacks = { t: seconds(flow.sacks[0]), low: sums(flow.sacks[1]), high: sums(flow.sacks[2]) };
  const members = {};
  for (const [name, [times, v]] of Object.entries(flow.members)) members[name] = { t: seconds(times), v };
  const bytes = (of) =>
    of && flow.mss
      ? line(
          of.t,
          of.v.map((packets) => (packets === null ? null : packets * flow.mss)),
        )
      : null;
  const ack = { t: acks, v: acked },
    cwnd = bytes(members.snd_cwnd);
  return {
    name: flow.name,
    sent,
    sacks,
    members,
    calls: { t: seconds(flow.calls[0]), lines: flow.calls[1] },
    ack,
    cwnd,
    ssthresh: bytes(members.snd_ssthresh),
    window: chosen(
      acks,
      acked.map((una, at) => una + window[at]),
      (at) => window[at] >= 0,
    ),
    allowed: chosen(acks, window, (at) => window[at] >= 0),
    rtt: chosen(
      acks,
      rtt.map((ns) => ns / 1e6),
      (at) => rtt[at] >= 0,
    ),
    outstanding: combined({ t: sent.t, v: sent.high }, ack, (sentTo, una, first) =>
      sentTo === null ? null : Math.max(0, sentTo - (una ?? first)),
    ),
    // The congestion window allows data up to here.
    edge:
      cwnd && combined(ack, cwnd, (una, size) => (una === null || size === null ? null : una + size), [true, false]),
  };
}

// A line from two, at each change of either; a line that `grows` keeps its maximum.
function combined(one, other, value, grows = [true, true]) {
  const found = { t: [], v: [] },
    first = one.v[0];
  let i = 0,
    j = 0,
    [a, b] = [null, null];
  while (i < one.t.length || j < other.t.length) {
    const isOne = j >= other.t.length || (i < one.t.length && one.t[i] <= other.t[j]);
    found.t.push(isOne ? one.t[i] : other.t[j]);
    if (isOne) a = grows[0] ? Math.max(a ?? one.v[i], one.v[i++]) : one.v[i++];
    else b = grows[1] ? Math.max(b ?? other.v[j], other.v[j++]) : other.v[j++];
    found.v.push(value(a, b, first));
  }
  return found;
}

// Layers of a panel: a line that keeps its value until the next, dots, or a bar from the first to the last byte.
const stairs = (label, of, ink, more = {}) => of && { label, ink, t: of.t, low: of.v, high: of.v, ...more };
const dots = (label, of, ink) => stairs(label, of, ink, { dots: true });
const bars = (label, of, ink, width = 1.4, belongs = () => true) => ({
  bars: true,
  label,
  ink,
  t: of.t,
  low: of.low,
  high: of.high,
  width,
  belongs,
});

class Panel {
  constructor(trace, title, unit, layers) {
    Object.assign(this, { trace, title, unit, y: null, hidden: new Set(), layers: layers.filter(Boolean) });
    this.isSequence = unit === "sequence";
    this.lines = this.layers.filter((layer) => !layer.bars);
    this.place = made("div", { role: "img" });
    this.place.setAttribute("aria-label", `${title} over time: ${this.layers.map((layer) => layer.label).join(", ")}`);
    this.element = made("figure", { className: "panel" }, this.caption(), this.place);
    // Lines end where the trace ends.
    const tables = this.lines.map(({ t, low, dots: alone }) =>
      alone
        ? [t, low]
        : [
            [...t, trace.time.end],
            [...low, low.at(-1)],
          ],
    );
    this.data = uPlot.join(tables);
  }

  caption() {
    const boxes = this.layers.map((layer) => {
      const input = made("input", { type: "checkbox", checked: true });
      input.addEventListener("change", () => {
        this.hidden[input.checked ? "delete" : "add"](layer);
        this.draw();
      });
      return made("label", {}, input, sample(layer), layer.label);
    });
    return made("figcaption", {}, made("b", { textContent: this.title }), ...boxes);
  }

  // The range of values in the time that is shown; some lines do not extend it.
  limits() {
    if (this.y) return this.y;
    const { from, to } = this.trace.time;
    let low = Infinity,
      high = -Infinity;
    for (const layer of this.layers) {
      if (layer.follows || this.hidden.has(layer)) continue;
      const first = layer.bars ? firstFrom(layer.t, from) : Math.max(0, firstFrom(layer.t, from) - 1);
      for (let at = first; at < layer.t.length && layer.t[at] <= to; at++) {
        if (layer.low[at] === null || layer.belongs?.(at) === false) continue;
        low = Math.min(low, layer.low[at]);
        high = Math.max(high, layer.high[at]);
      }
    }
    if (low > high) [low, high] = [0, 1];
    if (!this.isSequence) low = Math.min(0, low);
    const room = (high - low || 1) * 0.04;
    return [low - (low === 0 ? 0 : room), high + room];
  }

  draw() {
    const { time } = this.trace;
    this.plot?.destroy();
    const series = this.lines.map((layer) => ({
      stroke: colour(layer.ink),
      fill: layer.dots ? colour(layer.ink) : undefined,
      width: 1.3,
      dash: layer.dash,
      show: !this.hidden.has(layer),
      paths: layer.dots ? () => null : uPlot.paths.stepped({ align: 1 }),
      points: layer.dots ? { show: true, size: 2.4, width: 0, fill: colour(layer.ink) } : { show: false },
    }));
    this.plot = timePlot(
      this.place,
      time,
      "s",
      {
        width: this.width,
        height: this.isSequence ? HEIGHTS.sequence : HEIGHTS.other,
        padding: [6, 26, 0, 0],
        series: [{}, ...series],
        scale: { range: () => this.limits() },
        axis: { size: 74, values: (_, ticks) => ticks.map((value) => this.text(value)) },
        selected: (...area) => this.select(...area),
        drag: this.isSequence ? { y: true, uni: 12 } : {},
        cursor: {
          points: { show: false },
          // Panels share the pointer, not what is selected.
          sync: { key: "trace", filters: { pub: (type) => type === "mousemove" || type === "mouseleave" } },
          bind: { mousedown: (_, __, start) => (event) => (event.shiftKey ? this.pan(event) : start(event)) },
        },
        hooks: {
          draw: [(plot) => clipped(plot, (pen, area) => this.drawBars(plot, pen, area))],
        },
      },
      this.data,
    );
    const { over } = this.plot;
    time.followWheel(this.plot);
    over.addEventListener("click", (event) => this.trace.keep(this.plot.posToVal(event.offsetX, "x")));
    over.addEventListener("pointermove", (event) =>
      this.trace.say(this.plot.posToVal(event.offsetX, "x"), this, event.offsetY),
    );
  }

  // A part of the sequence numbers is enlarged in both directions.
  select(plot, from, to, { top, width, height }) {
    if (width < LEAST_DRAG) return this.trace.keep(from);
    if (height < plot.over.clientHeight) this.y = [top + height, top].map((y) => plot.posToVal(y, "y"));
    this.trace.time.set(from, to, this);
  }

  // Moves the time that is shown, while the button is pressed.
  pan(start) {
    const { time } = this.trace,
      { from, to } = time,
      perPixel = (to - from) / this.plot.over.clientWidth;
    const move = (event) => {
      const step = (start.clientX - event.clientX) * perPixel;
      time.set(from + step, to + step, this.y && this);
    };
    document.addEventListener("mousemove", move);
    document.addEventListener("mouseup", () => document.removeEventListener("mousemove", move), { once: true });
  }

  // Packets above lines, which often lie on them; bars have ends if there is room. Then the kept moment.
  drawBars(plot, pen, area) {
    const { from, to } = this.trace.time,
      x = (t) => plot.valToPos(t, "x", true),
      y = (value) => plot.valToPos(value, "y", true),
      pixel = devicePixelRatio;
    for (const layer of this.layers.filter((one) => one.bars && !this.hidden.has(one))) {
      const first = firstFrom(layer.t, from),
        end = firstAfter(layer.t, to),
        half = end - first < area.width / pixel / 3 ? 2.5 * pixel : 0;
      pen.beginPath();
      for (let at = first; at < end; at++) {
        if (!layer.belongs(at)) continue;
        const middle = x(layer.t[at]),
          bottom = y(layer.low[at]),
          top = Math.min(y(layer.high[at]), bottom - pixel);
        pen.moveTo(middle, bottom);
        pen.lineTo(middle, top);
        if (!half || bottom - top <= 4 * pixel) continue;
        for (const edge of [top, bottom]) {
          pen.moveTo(middle - half, edge);
          pen.lineTo(middle + half, edge);
        }
      }
      Object.assign(pen, { strokeStyle: colour(layer.ink), lineWidth: layer.width * pixel });
      pen.setLineDash([]);
      pen.stroke();
    }
    if (this.trace.kept === null) return;
    Object.assign(pen, { fillStyle: colour("--ink") });
    pen.fillRect(Math.round(x(this.trace.kept)), area.top, pixel, area.height);
  }

  text(value) {
    if (!this.isSequence && this.unit !== "bytes") return `${+value.toPrecision(6)} ${this.unit}`.trim();
    return Math.abs(value) >= 1e6 ? `${+(value / 1e6).toFixed(3)} MB` : `${+(value / 1e3).toFixed(3)} kB`;
  }

  get width() {
    return Math.max(280, this.element.clientWidth);
  }
}

function sample(layer) {
  const [svg, path] = ["svg", "path"].map((name) => document.createElementNS("http://www.w3.org/2000/svg", name));
  svg.setAttribute("viewBox", "0 0 24 12");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", layer.bars ? "M6 1V11M12 1V11M18 1V11" : "M0 6H24");
  path.setAttribute("stroke", `var(${layer.ink})`);
  path.setAttribute("stroke-width", "2");
  if (layer.dash) path.setAttribute("stroke-dasharray", layer.dash.join(" "));
  svg.append(path);
  return svg;
}

class Trace {
  constructor(content) {
    Object.assign(this, { panels: [], kept: null });
    this.bounds = [content.from / 1e9, content.until / 1e9];
    this.flows = content.flows.map((flow) => read(flow, content.from));
    this.place = document.getElementById("panels");
    this.time = new TimeAxis(document.querySelectorAll("[data-zoom]"), (by) => this.show(by));
    const select = document.getElementById("flow");
    this.flows.forEach((flow, index) => select.add(new Option(flow.name, index)));
    document.getElementById("flow-label").hidden = this.flows.length < 2;
    select.addEventListener("change", () => this.choose(Number(select.value)));
    new ResizeObserver(() => {
      for (const { plot, width } of this.panels) plot.setSize({ width, height: plot.height });
    }).observe(this.place);
    themed.push(() => this.draw());
    this.choose(0);
  }

  choose(index) {
    const flow = (this.flow = this.flows[index]),
      { sent, sacks, members } = flow,
      cwnd = { dash: [6, 3] };
    const packets = (label, ink, width, belongs) =>
      sent.kind.some((kind) => belongs(kind)) && bars(label, sent, ink, width, (at) => !!belongs(sent.kind[at]));
    this.panels = [];
    this.kept = null;
    this.time.reset(...this.bounds, 1e-6);
    const watched = Object.keys(members).filter((name) => !["snd_cwnd", "snd_ssthresh"].includes(name));
    this.panels = [
      new Panel(this, "Sequence number", "sequence", [
        packets("data", "--ink", 1.4, (kind) => !(kind & RETRANSMITTED)),
        packets("retransmission", "--c1", 2.4, (kind) => kind & RETRANSMITTED),
        packets("marked (CE)", "--c3", 1.4, (kind) => kind & MARKED),
        stairs("acknowledged", flow.ack, "--c2"),
        sacks.t.length && bars("SACK", sacks, "--c3"),
        stairs("receive window", flow.window, "--c4", { follows: true }),
        stairs("congestion window", flow.edge, "--c0", cwnd),
      ]),
      new Panel(this, "Windows", "bytes", [
        stairs("sent and not acknowledged", flow.outstanding, "--ink"),
        stairs("congestion window", flow.cwnd, "--c0", cwnd),
        stairs("slow start threshold", flow.ssthresh, "--c1", { dash: [2, 3], follows: true }),
        stairs("receive window", flow.allowed, "--c4", { follows: true }),
      ]),
      flow.rtt && new Panel(this, "RTT of acknowledged data", "ms", [dots("RTT", flow.rtt, "--c2")]),
      ...watched.map((name) => new Panel(this, name, "", [stairs(name, members[name], "--c0")])),
    ].filter(Boolean);
    this.place.replaceChildren(...this.panels.map((panel) => panel.element));
    this.draw();
  }

  draw() {
    for (const panel of this.panels) panel.draw();
  }

  // Shows the range of time; `by` is the panel that keeps its range of values.
  show(by) {
    const { from, to } = this.time;
    for (const panel of this.panels) {
      if (panel !== by) panel.y = null;
      panel.plot.setScale("x", { min: from, max: to });
    }
    document.getElementById("range").textContent = `${+from.toFixed(6)} s to ${+to.toFixed(6)} s`;
    this.list();
  }

  keep(t) {
    this.kept = t;
    this.say(t);
    for (const { plot } of this.panels) plot.redraw(false);
    this.list();
  }

  // The values at a moment; in the panel of sequence numbers also the nearest packet.
  say(t, panel = null, top = 0) {
    const { flow } = this,
      near = panel?.isSequence ? this.nearest(t, panel.plot, top) : null,
      words = [stamp(t), ...(near ? [near] : [])];
    const bytes = { acknowledged: flow.ack, outstanding: flow.outstanding, cwnd: flow.cwnd, ssthresh: flow.ssthresh };
    for (const [name, of] of Object.entries({ ...bytes, "receive window": flow.allowed })) {
      const found = valueAt(of, t);
      if (found !== null) words.push(`${name} ${found} B`);
    }
    const rtt = valueAt(flow.rtt, t);
    if (rtt !== null) words.push(`RTT ${rtt.toFixed(3)} ms`);
    for (const [name, of] of Object.entries(flow.members)) {
      const found = valueAt(of, t);
      if (found !== null) words.push(`${name} ${found}`);
    }
    document.getElementById("values").textContent = words.join(" · ");
  }

  nearest(t, plot, top) {
    const { sent } = this.flow,
      left = plot.valToPos(t, "x");
    let best = null,
      distance = NEAR ** 2;
    const end = firstAfter(sent.t, plot.posToVal(left + NEAR, "x"));
    for (let at = firstFrom(sent.t, plot.posToVal(left - NEAR, "x")); at < end; at++) {
      const [low, high] = [plot.valToPos(sent.low[at], "y"), plot.valToPos(sent.high[at], "y")];
      const far = (plot.valToPos(sent.t[at], "x") - left) ** 2 + Math.max(0, high - top, top - low) ** 2;
      if (far < distance) [best, distance] = [at, far];
    }
    if (best === null) return null;
    const kind = sent.kind[best],
      name = kind & CONTROL ? "SYN or FIN" : kind & RETRANSMITTED ? "retransmission" : "data";
    return `${name} ${sent.low[best]}:${sent.high[best]} at ${stamp(sent.t[best])}`;
  }

  // The callbacks of the time that is shown, around the kept moment if there are many.
  list() {
    const box = document.getElementById("calls");
    if (!box) return;
    const { t, lines } = this.flow.calls,
      first = firstFrom(t, this.time.from),
      end = firstAfter(t, this.time.to);
    const now = this.kept === null ? -1 : Math.max(0, firstAfter(t, this.kept) - 1);
    const from = now >= first + MOST_CALLS && now < end ? Math.max(first, now - MOST_CALLS / 2) : first,
      until = Math.min(end, from + MOST_CALLS);
    const items = [],
      more = (textContent) => items.push(made("li", { textContent, className: "more" }));
    if (from > first) more(`${from - first} earlier callbacks: zoom in`);
    for (let at = from; at < until; at++) {
      const item = made("li", { textContent: lines[at].join("\n"), className: at === now ? "now" : "" });
      item.addEventListener("click", () => this.keep(t[at]));
      items.push(item);
    }
    if (until < end) more(`${end - until} more callbacks: zoom in`);
    if (!items.length) more("no callback in this time");
    box.replaceChildren(...items);
    const current = box.querySelector(".now");
    if (current) box.scrollTop = current.offsetTop - box.offsetTop - box.clientHeight / 3;
  }
}

unpack(document.getElementById("data").textContent).then(
  (content) => {
    globalThis.trace = new Trace(content);
  },
  (error) => {
    document.getElementById("values").textContent = `This browser cannot draw the trace (${error.message}).`;
  },
);

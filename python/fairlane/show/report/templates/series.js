// Time series: unpacked when their page is first shown, drawn by uPlot, one plot below the other with one axis of time.
const LEVELS = 1000, COLOURS = 8, HEIGHT = 170, WIDTH = 1.4;  // of a line; dashes are multiples of it
const OTHER_DASHES = [[], [7, 2, 1.2, 2], [1.2, 1.8]];  // of the second and third run that is shown
const LABELLED = 6, LABEL_FROM = 560, LETTER = 6.6, LINE_HEIGHT = 13;  // most direct labels; width of the plots with room for them
const LINES_OF = { queue_delay_ms: "queues", jain: "shares" };  // others have a line for each flow

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

function values([scale, steps]) {
  let level = 0;
  return steps.map(step => { level += step; return level ? (level - 1) / LEVELS * scale : null; });
}

function colour(name, of) {  // as the page has it now
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  of.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

function shortened(value) { return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3); }

class Explorer {
  constructor(element, content) {
    Object.assign(this, { element, content, plots: [], kept: [], hidden: new Set(), range: null });
    this.part = name => element.querySelector(`.${name}`);
    this.at = [...content.runs[0].at];
    this.buildChoices();
    this.chooseRun();
    for (const one of element.querySelectorAll("[data-zoom]")) one.addEventListener("click", () => this.zoom(one.dataset.zoom));
    new ResizeObserver(() => this.resize()).observe(element);
    themed.push(() => this.draw());
  }

  buildChoices() {
    const box = this.part("choices");
    this.content.axes.forEach((axis, place) => {
      const label = document.createElement("label"), select = document.createElement("select");
      label.append(`${axis.name} `, select);
      const there = new Set(this.content.runs.map(run => run.at[place]));
      axis.labels.forEach((text, index) => { if (there.has(index)) select.add(new Option(text, index, false, index === this.at[place])); });
      select.addEventListener("change", () => { this.at[place] = Number(select.value); this.chooseRun(); });
      if (there.size > 1) box.append(label);
    });
    if (this.content.runs.length < 2) return;
    const [keep, drop] = ["Keep, to compare", "Let go"].map(text => {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", textContent: text });
      box.append(button);
      return button;
    });
    drop.hidden = true;
    keep.addEventListener("click", () => {
      if (this.run && !this.kept.includes(this.run)) this.kept.push(this.run);
      drop.hidden = false;
      this.chooseRun();
    });
    drop.addEventListener("click", () => { this.kept = []; drop.hidden = true; this.chooseRun(); });
  }

  // The run that is chosen, and those that were kept before.
  chooseRun() {
    this.run = this.content.runs.find(run => run.at.every((index, place) => index === this.at[place]));
    this.range = null;
    this.hidden.clear();
    this.runs = [...new Set([...this.kept, this.run])].filter(Boolean);
    this.end = Math.max(...this.runs.map(run => run.end));
    this.buildFlows();
    this.draw();
  }

  place(run) { return this.content.axes.map((axis, place) => axis.labels[run.at[place]]).filter(Boolean).join(" "); }

  // Colour and dashes of each line: those of its algorithm; a second run that is shown has other dashes.
  looks() {
    return this.runs.flatMap((run, index) => run.looks.map(place => {
      const [colour, dash] = this.content.styles[place];
      return { colour: `--c${colour}`, dash: (index ? OTHER_DASHES[index % OTHER_DASHES.length] : dash).map(length => length * WIDTH) };
    }));
  }

  names(run, list) { return run[list].map(name => this.runs.length > 1 ? `${this.place(run)} – ${name}` : name); }

  buildFlows() {
    const looks = this.looks();
    const boxes = this.runs.flatMap(run => this.names(run, "lines")).map((name, index) => {
      const label = document.createElement("label"), box = document.createElement("input"), line = document.createElement("i");
      box.type = "checkbox";
      box.checked = true;
      line.style.color = `var(${looks[index].colour})`;
      line.style.borderTopStyle = !looks[index].dash.length ? "solid" : looks[index].dash[0] > 2 * WIDTH ? "dashed" : "dotted";
      box.addEventListener("change", () => { this.hidden[box.checked ? "delete" : "add"](index); this.toggle(); });
      label.append(box, line, name);
      return label;
    });
    this.part("flows").replaceChildren(...boxes);
  }

  draw() {
    for (const { plot } of this.plots) plot.destroy();
    this.plots = [];
    const box = this.part("plots");
    box.replaceChildren();
    this.element.classList.add("drawn");
    if (!this.run) box.innerHTML = '<p class="missing">This run is not in this file: it was not run, or the file was full. <code>fairlane plot</code> draws any stored run.</p>';
    if (this.runs.length) for (const metric of Object.keys(this.content.titles)) this.drawMetric(metric, box);
  }

  hasLabels(names) { return names.length > 1 && names.length <= LABELLED && this.width >= LABEL_FROM; }

  // Next to every plot as much as the longest label of any needs, so that a time is at the same place in all.
  room() {
    const lists = Object.keys(this.content.titles).map(metric => this.runs.flatMap(run => this.names(run, LINES_OF[metric] ?? "lines")));
    const longest = Math.max(0, ...lists.filter(names => this.hasLabels(names)).flat().map(name => name.length));
    return longest ? Math.min(220, 12 + LETTER * longest) : 12;
  }

  drawMetric(metric, box) {
    const isQueue = metric === "queue_delay_ms", list = LINES_OF[metric] ?? "lines", ofFlows = list === "lines";
    const names = this.runs.flatMap(run => this.names(run, list));
    if (!names.length) return;
    const heading = document.createElement("h3"), place = document.createElement("div");
    heading.textContent = this.content.titles[metric] + (isQueue && names.length === 1 ? ` (${names[0]})` : "");
    const readout = document.createElement("p");
    readout.className = "readout";
    place.append(heading, readout);
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", `${heading.textContent} over time: ${names.join(", ")}`);
    box.append(place);
    const looks = ofFlows ? this.looks() : this.runColours(list).map(name => ({ colour: name, dash: [] }));
    const series = names.map((name, index) => ({
      label: name, stroke: colour(looks[index].colour, this.element), dash: looks[index].dash,
      width: WIDTH, spanGaps: true, points: { show: false }, show: !ofFlows || !this.hidden.has(index),
    }));
    const capacity = metric === "mbps" ? this.runs[0].capacity : [], most = Math.max(0, ...capacity.map(([, rate]) => rate));
    const labelled = this.hasLabels(names);
    const room = this.room();
    const ink = colour("--muted", this.element), grid = colour("--grid", this.element);
    const font = `12px ${getComputedStyle(document.querySelector(".masthead")).fontFamily}`;
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 }, font };
    const plot = new uPlot({
      width: this.width, height: HEIGHT, legend: { show: false }, series: [{}, ...series],
      scales: { x: { time: false, range: () => this.range ?? [0, this.end] }, y: { range: (_, low, high) => [0, Math.max(high, most) > 0 ? Math.max(high, most) * 1.05 : 1] } },
      padding: [8, room, 0, 0],
      axes: [{ ...axis, size: 30, values: (_, ticks) => ticks.map(tick => `${+tick.toFixed(3)} s`) }, { ...axis, size: 56 }],
      cursor: { sync: { key: this.element.dataset.for }, drag: { x: true, y: false }, y: false },
      hooks: {
        setSelect: [one => this.selected(one)],
        setCursor: [one => this.read(one, readout)],
        drawAxes: [one => this.drawCapacity(one, capacity, ink)],
        draw: [one => { if (labelled) this.drawLabels(one); }],
      },
    }, this.joined(metric), place);
    plot.over.addEventListener("dblclick", () => this.zoom("all"));
    this.plots.push({ plot, ofFlows });
  }

  // The values below the pointer, in the colours of the lines.
  read(plot, readout) {
    const at = plot.cursor.idx;
    if (at == null || plot.cursor.left < 0) return readout.replaceChildren();
    const parts = plot.series.slice(1).map((one, index) => {
      if (!one.show) return null;
      let place = at;  // lines of another run have no point here: the one before counts
      while (place > 0 && plot.data[index + 1][place] == null) place -= 1;
      const value = plot.data[index + 1][place], span = document.createElement("span");
      span.style.color = one._stroke ?? one.stroke();
      span.textContent = `${one.label} ${value == null ? "–" : shortened(value)}`;
      return span;
    }).filter(Boolean);
    readout.replaceChildren(`${plot.data[0][at].toFixed(2)} s: `, ...parts);
  }

  // What the link can carry, behind the goodput.
  drawCapacity(plot, steps, ink) {
    if (!steps.length) return;
    const { ctx, bbox } = plot, x = value => plot.valToPos(value, "x", true), y = value => plot.valToPos(value, "y", true);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.beginPath();
    steps.forEach(([from, rate], index) => { ctx.lineTo(x(from), y(rate)); ctx.lineTo(x(steps[index + 1]?.[0] ?? this.end), y(rate)); });
    Object.assign(ctx, { strokeStyle: ink, lineWidth: devicePixelRatio, globalAlpha: .7 });
    ctx.stroke();
    Object.assign(ctx, { fillStyle: ink, textAlign: "left", textBaseline: "top", font: `${11 * devicePixelRatio}px sans-serif` });
    ctx.fillText("capacity", bbox.left + 6 * devicePixelRatio, y(steps[0][1]) + 2 * devicePixelRatio);
    ctx.restore();
  }

  // The name of each line at its right end; names that would cover each other move apart.
  drawLabels(plot) {
    const { ctx, bbox } = plot, [, to] = this.range ?? [0, this.end], step = LINE_HEIGHT * devicePixelRatio;
    const ends = plot.series.slice(1).flatMap((one, index) => {
      if (!one.show) return [];
      let place = plot.data[0].length - 1;
      while (place >= 0 && (plot.data[index + 1][place] == null || plot.data[0][place] > to)) place -= 1;
      return place < 0 ? [] : [{ one, at: plot.valToPos(plot.data[index + 1][place], "y", true) }];
    }).sort((a, b) => a.at - b.at);
    for (let index = 1; index < ends.length; index += 1) ends[index].at = Math.max(ends[index].at, ends[index - 1].at + step);
    let low = bbox.top + bbox.height;
    for (const end of [...ends].reverse()) { end.at = Math.min(end.at, low); low = end.at - step; }
    ctx.save();
    Object.assign(ctx, { textAlign: "left", textBaseline: "middle", font: `${11.5 * devicePixelRatio}px sans-serif` });
    for (const { one, at } of ends) {
      ctx.fillStyle = one._stroke ?? one.stroke();
      ctx.fillText(one.label, bbox.left + bbox.width + 5 * devicePixelRatio, at);
    }
    ctx.restore();
  }

  // The lines of all runs on one axis of time.
  joined(metric) {
    const tables = this.runs.filter(run => run[metric].length).map(run => {
      const lines = run[metric].map(values), count = Math.max(1, ...lines.map(line => line.length));
      const times = Array.from({ length: count }, (_, index) => (index + 0.5) / count * run.end);
      return [times, ...lines.map(line => line.length ? line : Array(count).fill(null))];
    });
    return tables.length > 1 ? uPlot.join(tables) : tables[0];
  }

  // What belongs to one run is grey; to several runs, it has the colour of the run's first flow.
  runColours(list) {
    if (this.runs.length === 1) return this.runs[0][list].map((_, index) => index ? `--c${index + 3}` : "--muted");
    let first = 0;
    return this.runs.flatMap(run => { const name = `--c${first % COLOURS}`; first += run.lines.length; return run[list].map(() => name); });
  }

  get width() { return Math.max(240, this.part("plots").clientWidth); }

  resize() { for (const { plot } of this.plots) if (plot.width !== this.width) plot.setSize({ width: this.width, height: HEIGHT }); }

  selected(plot) {
    if (plot.select.width < 5) return;
    const from = plot.posToVal(plot.select.left, "x"), to = plot.posToVal(plot.select.left + plot.select.width, "x");
    plot.setSelect({ left: 0, width: 0 }, false);
    this.setRange([from, to]);
  }

  setRange(range) {
    this.range = range;
    for (const { plot } of this.plots) plot.setData(plot.data);
  }

  zoom(how) {
    if (how === "all") return this.setRange(null);
    const [from, to] = this.range ?? [0, this.end], middle = (from + to) / 2;
    let width = to - from, start = from;
    if (how === "in") { width /= 2; start = middle - width / 2; }
    if (how === "out") { width = Math.min(this.end, width * 2); start = middle - width / 2; }
    if (how === "left") start -= width / 4;
    if (how === "right") start += width / 4;
    start = Math.max(0, Math.min(this.end - width, start));
    this.setRange(width >= this.end ? null : [start, start + width]);
  }

  toggle() {
    for (const { plot, ofFlows } of this.plots)
      if (ofFlows) plot.series.forEach((_, index) => { if (index) plot.setSeries(index, { show: !this.hidden.has(index - 1) }); });
  }
}

for (const page of document.querySelectorAll("[data-series]")) {
  let started = false;
  opened.set(page.id, async () => {
    if (started) return;
    started = true;
    const element = page.querySelector(".explorer");
    try {
      element.explorer = new Explorer(element, await unpack(document.getElementById(`data-${page.id}`).textContent));
    } catch (error) {
      element.querySelector(".plots").textContent = `This browser cannot draw the time series (${error.message}).`;
    }
  });
}

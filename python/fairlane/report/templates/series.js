// Time series: unpacked when their page is first shown, drawn by uPlot, one plot below the other with one axis of time.
const LEVELS = 1000, COLOURS = 8, DASHES = [[], [8, 4], [2, 3]], HEIGHT = 170;
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

  names(run, list) { return run[list].map(name => this.runs.length > 1 ? `${this.place(run)} – ${name}` : name); }

  buildFlows() {
    const boxes = this.runs.flatMap(run => this.names(run, "lines")).map((name, index) => {
      const label = document.createElement("label"), box = document.createElement("input"), line = document.createElement("i");
      box.type = "checkbox";
      box.checked = true;
      line.style.color = `var(--c${index % COLOURS})`;
      line.style.borderTopStyle = ["solid", "dashed", "dotted"][index % 3];
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

  drawMetric(metric, box) {
    const isQueue = metric === "queue_delay_ms", list = LINES_OF[metric] ?? "lines", ofFlows = list === "lines";
    const names = this.runs.flatMap(run => this.names(run, list));
    if (!names.length) return;
    const heading = document.createElement("h3"), place = document.createElement("div");
    heading.textContent = this.content.titles[metric] + (isQueue && names.length === 1 ? ` (${names[0]})` : "");
    place.append(heading);
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", `${heading.textContent} over time: ${names.join(", ")}`);
    box.append(place);
    const colours = !ofFlows ? this.runColours(list) : names.map((_, index) => `--c${index % COLOURS}`);
    const series = names.map((name, index) => ({
      label: name, stroke: colour(colours[index], this.element), dash: DASHES[ofFlows ? index % 3 : 0],
      width: 1.4, spanGaps: true, points: { show: false }, show: !ofFlows || !this.hidden.has(index),
    }));
    const ink = colour("--muted", this.element), grid = colour("--grid", this.element);
    const font = `12px ${getComputedStyle(document.querySelector(".masthead")).fontFamily}`;
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 }, font };
    const plot = new uPlot({
      width: this.width, height: HEIGHT, legend: { show: false }, series: [{}, ...series],
      scales: { x: { time: false, range: () => this.range ?? [0, this.end] }, y: { range: (_, low, high) => [0, high > 0 ? high * 1.05 : 1] } },
      axes: [{ ...axis, size: 30, values: (_, ticks) => ticks.map(tick => `${+tick.toFixed(3)} s`) }, { ...axis, size: 56 }],
      cursor: { sync: { key: this.element.dataset.for }, drag: { x: true, y: false }, y: false },
      hooks: { setSelect: [one => this.selected(one)] },
    }, this.joined(metric), place);
    plot.over.addEventListener("dblclick", () => this.zoom("all"));
    this.plots.push({ plot, ofFlows });
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

// Time series of a run, or of several to compare: one plot below the other with one axis of time.
const LEVELS = 1000,
  COLOURS = 8,
  HEIGHT = 170,
  WIDTH = 1.4; // of a line; dashes are multiples of it
const OTHER_DASHES = [[], [7, 2, 1.2, 2], [1.2, 1.8]]; // of the second and third run
const LABELLED = 6, // most direct labels
  LABEL_FROM = 560, // width of a plot with room for them
  LETTER = 6.6,
  LINE_HEIGHT = 13;
const ABOVE = 1.01; // times the capacity; less is rounding
const LINES_OF = { queue_delay_ms: "queues", jain: "shares" }; // other metrics have a line for each flow

// No value interrupts a line (null); points between samples that are further apart do not (undefined, as in uPlot).
const values = ([scale, steps]) =>
  sums(steps).map((level) => (level > 0 ? ((level - 1) / LEVELS) * scale : level ? undefined : null));
const shortened = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3));
const inkOf = (one) => one._stroke ?? one.stroke();
const isPoint = (value) => value !== null && value !== undefined;

class Explorer {
  constructor(element, content) {
    Object.assign(this, { element, content, plots: [], kept: [], hidden: new Set() });
    this.part = (name) => element.querySelector(`.${name}`);
    this.time = new TimeAxis(element.querySelectorAll("[data-zoom]"), () => {
      for (const { plot } of this.plots) plot.setScale("x", { min: this.time.from, max: this.time.to });
    });
    const box = this.part("choices");
    this.chosen = chooseRun(box, content, () => this.chooseRun());
    if (content.runs.length > 1) this.addButtons(box);
    new ResizeObserver(() => this.resize()).observe(element);
    themed.push(() => this.draw());
    this.chooseRun();
  }

  addButtons(box) {
    const [keep, drop] = ["Keep, to compare", "Let go"].map((textContent) =>
      made("button", { type: "button", textContent }),
    );
    box.append(keep, drop);
    drop.hidden = true;
    keep.addEventListener("click", () => {
      if (this.run && !this.kept.includes(this.run)) this.kept.push(this.run);
      drop.hidden = false;
      this.chooseRun();
    });
    drop.addEventListener("click", () => {
      this.kept = [];
      drop.hidden = true;
      this.chooseRun();
    });
  }

  // Shows the chosen run and those that were kept before.
  chooseRun() {
    this.run = this.chosen();
    this.hidden.clear();
    this.runs = [...new Set([...this.kept, this.run])].filter(Boolean);
    this.buildFlows();
    for (const { plot } of this.plots) plot.destroy();
    this.plots = [];
    this.time.reset(0, Math.max(0, ...this.runs.map((run) => run.end)));
    this.draw();
  }

  // Colour and dashes of each line are those of its algorithm; a second run has other dashes.
  styles() {
    return this.runs.flatMap((run, index) =>
      run.styles.map((place) => {
        const [number, dash] = this.content.styles[place];
        const dashes = index ? OTHER_DASHES[index % OTHER_DASHES.length] : dash;
        return { colour: `--c${number}`, dash: dashes.map((length) => length * WIDTH) };
      }),
    );
  }

  names(list) {
    const point = (run) => this.content.axes.map((axis, place) => axis.labels[run.at[place]]).filter(Boolean);
    return this.runs.flatMap((run) =>
      run[list].map((name) => (this.runs.length > 1 ? `${point(run).join(" ")} – ${name}` : name)),
    );
  }

  buildFlows() {
    const styles = this.styles();
    const boxes = this.names("lines").map((name, index) => {
      const box = made("input", { type: "checkbox", checked: true }),
        line = made("i"),
        { colour: ink, dash } = styles[index];
      line.style.color = `var(${ink})`;
      line.style.borderTopStyle = !dash.length ? "solid" : dash[0] > 2 * WIDTH ? "dashed" : "dotted";
      box.addEventListener("change", () => {
        this.hidden[box.checked ? "delete" : "add"](index);
        for (const { plot, ofFlows } of this.plots) if (ofFlows) plot.setSeries(index + 1, { show: box.checked });
      });
      return made("label", {}, box, line, name);
    });
    this.part("flows").replaceChildren(...boxes);
  }

  draw() {
    for (const { plot } of this.plots) plot.destroy();
    this.plots = [];
    const box = this.part("plots");
    box.replaceChildren();
    this.element.classList.add("drawn");
    if (!this.run)
      box.innerHTML =
        '<p class="missing">This run is not in this file: it was not run, or the file was full. <code>fairlane plot</code> draws any stored run.</p>';
    if (this.runs.length) for (const metric of Object.keys(this.content.titles)) this.drawMetric(metric, box);
  }

  // Whether a line exceeds the highest capacity of its run.
  isAboveCapacity() {
    return this.runs.some((run) => {
      const most = Math.max(...run.capacity.map(([, rate]) => rate));
      return run.capacity.length && run.series.mbps.some(([scale]) => scale > ABOVE * most);
    });
  }

  hasLabels(names) {
    return names.length > 1 && names.length <= LABELLED && this.width >= LABEL_FROM;
  }

  // All plots reserve the width of the longest label, so that a time is at the same place in each.
  room() {
    const lists = Object.keys(this.content.titles).map((metric) => this.names(LINES_OF[metric] ?? "lines"));
    const labels = lists.filter((names) => this.hasLabels(names)).flat();
    return labels.length ? Math.min(220, 12 + LETTER * Math.max(...labels.map((name) => name.length))) : 12;
  }

  drawMetric(metric, box) {
    const list = LINES_OF[metric] ?? "lines",
      ofFlows = list === "lines",
      names = this.names(list);
    if (!names.length) return;
    const name = this.content.titles[metric] + (list === "queues" && names.length === 1 ? ` (${names[0]})` : "");
    const above = metric === "mbps" && this.isAboveCapacity();
    const title = above ? `${name} – above capacity where a hole is filled: data behind it arrives at once` : name;
    const readout = made("p", { className: "readout" }),
      place = made("div", { role: "img" }, made("h3", { textContent: title }), readout);
    place.setAttribute("aria-label", `${title} over time: ${names.join(", ")}`);
    box.append(place);
    const styles = ofFlows ? this.styles() : this.runColours(list).map((name) => ({ colour: name, dash: [] }));
    const capacity = metric === "mbps" ? this.runs[0].capacity : [],
      most = Math.max(0, ...capacity.map(([, rate]) => rate)),
      labelled = this.hasLabels(names);
    const plot = timePlot(
      place,
      this.time,
      "s",
      {
        width: this.width,
        height: HEIGHT,
        padding: [8, this.room(), 0, 0],
        series: [
          {},
          ...names.map((label, index) => ({
            label,
            stroke: colour(styles[index].colour),
            dash: styles[index].dash,
            width: WIDTH,
            points: { show: false },
            show: !ofFlows || !this.hidden.has(index),
          })),
        ],
        scale: { range: (_, low, high) => [0, 1.05 * Math.max(high, most) || 1] },
        axis: { size: 56 },
        cursor: { sync: { key: this.element.dataset.for } },
        hooks: {
          setCursor: [(one) => this.read(one, readout)],
          drawAxes: [
            (one) => capacity.length && clipped(one, (pen, area) => this.drawCapacity(one, capacity, pen, area)),
          ],
          draw: [(one) => labelled && this.drawLabels(one)],
        },
      },
      this.joined(metric),
    );
    this.plots.push({ plot, ofFlows });
  }

  // The values below the pointer, in the colours of the lines.
  read(plot, readout) {
    const at = plot.cursor.idx;
    if (!isPoint(at) || plot.cursor.left < 0) return readout.replaceChildren();
    const parts = plot.series.slice(1).flatMap((one, index) => {
      if (!one.show) return [];
      const value = plot.data[index + 1].slice(0, at + 1).findLast(isPoint); // another run may have no point here
      const span = made("span", { textContent: `${one.label} ${isPoint(value) ? shortened(value) : "–"}` });
      span.style.color = inkOf(one);
      return [span];
    });
    readout.replaceChildren(`${plot.data[0][at].toFixed(2)} s: `, ...parts);
  }

  // The capacity of the link, behind the goodput.
  drawCapacity(plot, steps, pen, area) {
    const x = (value) => plot.valToPos(value, "x", true),
      y = (value) => plot.valToPos(value, "y", true),
      ink = colour("--muted");
    pen.beginPath();
    steps.forEach(([from, rate], index) => {
      pen.lineTo(x(from), y(rate));
      pen.lineTo(x(steps[index + 1]?.[0] ?? this.time.end), y(rate));
    });
    Object.assign(pen, { strokeStyle: ink, lineWidth: devicePixelRatio, globalAlpha: 0.7 });
    pen.stroke();
    const font = `${11 * devicePixelRatio}px sans-serif`;
    Object.assign(pen, { fillStyle: ink, textAlign: "left", textBaseline: "top", font });
    pen.fillText("capacity", area.left + 6 * devicePixelRatio, y(steps[0][1]) + 2 * devicePixelRatio);
  }

  // The name of each line at its right end; names that would overlap move apart.
  drawLabels(plot) {
    const { ctx, bbox } = plot,
      step = LINE_HEIGHT * devicePixelRatio,
      times = plot.data[0];
    const ends = plot.series.slice(1).flatMap((one, index) => {
      const last = plot.data[index + 1].findLast((value, at) => isPoint(value) && times[at] <= this.time.to);
      return one.show && isPoint(last) ? [{ one, at: plot.valToPos(last, "y", true) }] : [];
    });
    ends.sort((a, b) => a.at - b.at);
    for (let index = 1; index < ends.length; index += 1)
      ends[index].at = Math.max(ends[index].at, ends[index - 1].at + step);
    let low = bbox.top + bbox.height;
    for (const end of [...ends].reverse()) {
      end.at = Math.min(end.at, low);
      low = end.at - step;
    }
    ctx.save();
    Object.assign(ctx, { textAlign: "left", textBaseline: "middle", font: `${11.5 * devicePixelRatio}px sans-serif` });
    for (const { one, at } of ends) {
      ctx.fillStyle = inkOf(one);
      ctx.fillText(one.label, bbox.left + bbox.width + 5 * devicePixelRatio, at);
    }
    ctx.restore();
  }

  // The lines of all runs on one axis of time.
  joined(metric) {
    const tables = this.runs
      .filter((run) => run.series[metric].length)
      .map((run) => {
        const lines = run.series[metric].map(values),
          count = Math.max(1, ...lines.map((line) => line.length));
        const times = Array.from({ length: count }, (_, index) => ((index + 0.5) / count) * run.end);
        return [times, ...lines.map((line) => (line.length ? line : Array(count).fill(null)))];
      });
    return tables.length > 1 ? uPlot.join(tables) : tables[0];
  }

  // Lines of a single run are grey; of several runs, they have the colour of the run's first flow.
  runColours(list) {
    if (this.runs.length === 1) return this.runs[0][list].map((_, index) => (index ? `--c${index + 3}` : "--muted"));
    let first = 0;
    return this.runs.flatMap((run) => {
      const name = `--c${first % COLOURS}`;
      first += run.lines.length;
      return run[list].map(() => name);
    });
  }

  get width() {
    return Math.max(240, this.part("plots").clientWidth);
  }

  resize() {
    for (const { plot } of this.plots)
      if (plot.width !== this.width) plot.setSize({ width: this.width, height: HEIGHT });
  }
}

drawWhenOpened(".explorer", "data", ".plots", (element, content) => {
  element.explorer = new Explorer(element, content);
});

// Occupancy of a Wi-Fi channel: a row for each queue of a cell, and one for the channel, over one axis of time.
const KIND_COLOURS = ["--c0", "--c2", "--c4", "--c1", "--muted"],
  ANSWER = 1, // kind of the acknowledgement that follows a frame
  ROW = 26,
  FIRST_MS = 40; // shown at first

class Air {
  constructor(element, content) {
    Object.assign(this, { element, content });
    this.place = element.querySelector(".channel");
    this.values = element.querySelector(".frame");
    this.time = new TimeAxis(element.querySelectorAll("[data-zoom]"), () =>
      this.plot?.setScale("x", { min: this.time.from, max: this.time.to }),
    );
    const chosen = chooseRun(element.querySelector(".choices"), content, () => this.choose(chosen()));
    content.kinds.forEach((text, kind) =>
      element.querySelector(".key").append(made("span", { className: `air-${kind}`, textContent: text })),
    );
    new ResizeObserver(() => this.plot?.setSize({ width: this.width, height: this.plot.height })).observe(element);
    themed.push(() => this.draw());
    this.choose(chosen());
  }

  get width() {
    return Math.max(240, this.place.clientWidth);
  }

  // The sweep may have no run at this point, or none whose frames are in the page.
  choose(run) {
    this.run = run;
    this.values.textContent = run ? "" : "This file lacks the frames of this point; fairlane plot medium draws them.";
    this.plot?.destroy();
    this.plot = null;
    if (!run) return;
    this.frames = sums(run.start).map((at, index) => {
      const [start, end, until] = [at, at + run.length[index], at + run.length[index] + run.answer[index]];
      return { start, end, until, index };
    });
    for (const frame of this.frames)
      for (const name of ["start", "end", "until"]) frame[name] = (run.from + frame[name]) / 1000;
    const first = run.from / 1000,
      last = Math.max(...this.frames.map((frame) => frame.until));
    this.time.reset(first, last, 0.02, Math.min(last, first + FIRST_MS));
    this.draw();
  }

  draw() {
    this.plot?.destroy();
    if (!this.run) return;
    const names = [...this.run.queues, "channel"],
      { start, end } = this.time;
    this.plot = timePlot(
      this.place,
      this.time,
      "ms",
      {
        width: this.width,
        height: names.length * ROW + 38,
        padding: [8, 26, 0, 0],
        series: [{}, { paths: () => null, points: { show: false } }],
        scale: { dir: -1, range: [0, names.length] },
        axis: {
          size: 110,
          stroke: colour("--ink"),
          grid: { show: false },
          ticks: { show: false },
          splits: () => names.map((_, row) => row + 0.5),
          values: () => names,
        },
        hooks: { draw: [(plot) => clipped(plot, (pen) => this.drawFrames(plot, pen))] },
      },
      [
        [start, end],
        [0, 0],
      ],
    );
    this.time.followWheel(this.plot);
    this.plot.over.addEventListener("pointermove", (event) =>
      this.read(this.plot.posToVal(event.offsetX, "x"), Math.floor(this.plot.posToVal(event.offsetY, "y"))),
    );
  }

  drawFrames(plot, pen) {
    const colours = KIND_COLOURS.map(colour),
      channel = this.run.queues.length,
      { from, to } = this.time;
    const bar = (start, end, row, kind) => {
      const left = plot.valToPos(start, "x", true),
        [top, bottom] = [row + 0.12, row + 0.88].map((value) => plot.valToPos(value, "y", true));
      pen.fillStyle = colours[kind];
      pen.fillRect(left, top, Math.max(0.6 * devicePixelRatio, plot.valToPos(end, "x", true) - left), bottom - top);
    };
    for (const { start, end, until, index } of this.frames) {
      if (until < from || start > to) continue;
      for (const row of [this.run.queue[index], channel]) {
        bar(start, end, row, this.run.kind[index]);
        if (until > end) bar(end, until, row, ANSWER);
      }
    }
  }

  read(time, row) {
    const run = this.run,
      now = this.frames.filter((frame) => frame.start <= time && time <= frame.until),
      one = now.find(({ index }) => row >= run.queues.length || run.queue[index] === row);
    const text = ({ index }) =>
      `${run.queues[run.queue[index]]}, ${this.content.kinds[run.kind[index]]}, ${run.mpdus[index]} MPDUs, ` +
      `${run.confirmed[index]} confirmed, ${run.length[index]} us and ${run.answer[index]} us`;
    this.values.textContent = `${time.toFixed(3)} ms: ${one ? text(one) : now.length ? "another queue" : "idle"}`;
  }
}

drawWhenOpened(".air", "air", ".frame", (element, content) => {
  element.air = new Air(element, content);
});

// Who holds the air: a line for each queue of a Wi-Fi cell and one for the channel, on a canvas with one axis of time.
const KIND_COLOURS = ["--c0", "--c2", "--c4", "--c1", "--muted"], ANSWER = 1, ROW = 26, NAMES = 96, AXIS = 22;

class Air {
  constructor(element, content) {
    Object.assign(this, { element, content, at: [...content.runs[0].at] });
    this.canvas = element.querySelector("canvas");
    this.values = element.querySelector(".frame");
    const box = element.querySelector(".choices");
    content.axes.forEach((axis, place) => {
      const there = new Set(content.runs.map(run => run.at[place]));
      if (there.size < 2) return;
      const label = document.createElement("label"), select = document.createElement("select");
      label.append(`${axis.name} `, select);
      axis.labels.forEach((text, index) => { if (there.has(index)) select.add(new Option(text, index, false, index === this.at[place])); });
      select.addEventListener("change", () => { this.at[place] = Number(select.value); this.choose(); });
      box.append(label);
    });
    const key = element.querySelector(".key");
    content.kinds.forEach((words, kind) => {
      const mark = document.createElement("span");
      mark.className = `air-${kind}`;
      mark.textContent = words;
      key.append(mark);
    });
    for (const one of element.querySelectorAll("[data-air]")) one.addEventListener("click", () => this.zoom(one.dataset.air));
    const position = event => event.clientX - this.canvas.getBoundingClientRect().left;
    this.canvas.addEventListener("pointerdown", event => { this.pressed = position(event); this.canvas.setPointerCapture(event.pointerId); });
    this.canvas.addEventListener("pointermove", event => this.hover(event, position(event)));
    this.canvas.addEventListener("pointerup", event => {
      const [from, to] = [this.pressed, position(event)].map(x => this.timeAt(x)).sort((a, b) => a - b), far = Math.abs(position(event) - this.pressed);
      this.pressed = null;
      if (far > 4) this.show(from, to); else this.draw();
    });
    this.canvas.addEventListener("dblclick", () => this.zoom("all"));
    this.canvas.addEventListener("wheel", event => {
      event.preventDefault();
      const middle = this.timeAt(position(event)), factor = event.deltaY > 0 ? 1.25 : 0.8;
      this.show(middle - (middle - this.from) * factor, middle + (this.to - middle) * factor);
    }, { passive: false });
    new ResizeObserver(() => this.draw()).observe(element);
    themed.push(() => this.draw());
    this.choose();
  }

  choose() {  // a sweep may have no run at this place, or none that is in the page
    this.run = this.content.runs.find(run => run.at.every((index, place) => index === this.at[place]));
    this.values.textContent = this.run ? "" : "The frames of this point are not in this file; fairlane plot medium draws them.";
    if (!this.run) return this.draw();
    let at = 0;
    this.frames = this.run.start.map((step, index) => {
      at += step;
      return { start: at, end: at + this.run.length[index], until: at + this.run.length[index] + this.run.answer[index], index };
    });
    this.last = Math.max(...this.frames.map(one => one.until));
    this.show(0, Math.min(this.last, 40_000));
  }

  show(from, to) {
    const width = Math.min(Math.max(to - from, 20), this.last);
    this.from = Math.max(0, Math.min(from, this.last - width));
    this.to = this.from + width;
    this.draw();
  }

  zoom(how) {
    if (!this.run) return;
    const width = this.to - this.from, middle = (this.from + this.to) / 2;
    if (how === "all") this.show(0, this.last);
    if (how === "in") this.show(middle - width / 4, middle + width / 4);
    if (how === "out") this.show(middle - width, middle + width);
    if (how === "left") this.show(this.from - width / 2, this.to - width / 2);
    if (how === "right") this.show(this.from + width / 2, this.to + width / 2);
  }

  get width() { return Math.max(240, this.element.clientWidth); }
  timeAt(x) { return this.from + (x - NAMES) / (this.width - NAMES) * (this.to - this.from); }

  draw() {
    const rows = this.run ? this.run.queues.length + 1 : 0, height = rows * ROW + AXIS, ratio = devicePixelRatio, context = this.canvas.getContext("2d");
    Object.assign(this.canvas, { width: this.width * ratio, height: height * ratio });
    context.scale(ratio, ratio);
    if (!this.run) return;
    const colours = KIND_COLOURS.map(name => colour(name, this.element)), ink = colour("--ink", this.element), grid = colour("--grid", this.element);
    const x = time => NAMES + (time - this.from) / (this.to - this.from) * (this.width - NAMES);
    Object.assign(context, { font: "12px sans-serif", textBaseline: "middle", fillStyle: ink, strokeStyle: grid });
    [...this.run.queues, "channel"].forEach((name, row) => context.fillText(name, 0, row * ROW + ROW / 2, NAMES - 6));
    const span = this.to - this.from, rough = span / Math.max(2, (this.width - NAMES) / 110), power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(one => one * power).find(one => one >= rough), first = Math.ceil((this.run.from + this.from) / step) * step;
    context.textAlign = "center";
    for (let time = first; time <= this.run.from + this.to; time += step) {
      const at = x(time - this.run.from);
      context.beginPath();
      context.moveTo(at, 0);
      context.lineTo(at, rows * ROW);
      context.stroke();
      context.fillText(`${(time / 1000).toFixed(Math.max(0, 3 - Math.floor(Math.log10(step))))} ms`, Math.min(at, this.width - 40), height - AXIS / 2);
    }
    context.textAlign = "left";
    const bar = (from, to, row, kind) => {
      const left = Math.max(NAMES, x(from)), right = Math.min(this.width, x(to));
      if (right <= NAMES || left >= this.width) return;
      context.fillStyle = colours[kind];
      context.fillRect(left, row * ROW + 3, Math.max(0.6, right - left), ROW - 6);
    };
    for (const { start, end, until, index } of this.frames)
      for (const row of [this.run.queue[index], rows - 1]) {
        bar(start, end, row, this.run.kind[index]);
        if (until > end) bar(end, until, row, ANSWER);
      }
    if (this.pressed != null && this.pointer != null) {
      context.fillStyle = "rgba(128, 128, 128, .25)";
      context.fillRect(Math.min(this.pressed, this.pointer), 0, Math.abs(this.pointer - this.pressed), rows * ROW);
    }
  }

  hover(event, position) {
    if (!this.run) return;
    this.pointer = position;
    if (this.pressed != null) this.draw();
    const time = this.timeAt(position), row = Math.floor((event.clientY - this.canvas.getBoundingClientRect().top) / ROW);
    const run = this.run, one = this.frames.find(frame => frame.start <= time && time <= frame.until && (row >= run.queues.length || run.queue[frame.index] === row));
    const at = `${((run.from + time) / 1000).toFixed(3)} ms`;
    this.values.textContent = one ? `${at}: ${run.queues[run.queue[one.index]]}, ${this.content.kinds[run.kind[one.index]]}, ${run.mpdus[one.index]} MPDUs, ${run.confirmed[one.index]} confirmed, ${run.length[one.index]} us and ${run.answer[one.index]} us` : `${at}: ${this.frames.some(frame => frame.start <= time && time <= frame.until) ? "another queue" : "idle"}`;
  }
}

for (const page of document.querySelectorAll("[data-air-page]")) {
  let started = false;
  const before = opened.get(page.id);
  opened.set(page.id, async choice => {
    before?.(choice);
    if (started) return;
    started = true;
    const element = page.querySelector(".air");
    try {
      element.air = new Air(element, await unpack(document.getElementById(`air-${page.id}`).textContent));
    } catch (error) {
      element.querySelector(".frame").textContent = `This browser cannot draw the channel (${error.message}).`;
    }
  });
}

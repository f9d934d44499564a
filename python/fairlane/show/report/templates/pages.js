// Shows one page of a report at a time, by the URL fragment; unfolds everything for printing.
const pages = [...document.querySelectorAll(".page")];
const opened = new Map(); // functions to call when a page is shown, by its id

function whenOpened(page, call) {
  opened.set(page.id, [...(opened.get(page.id) ?? []), call]);
}

// Draws packed data of a page when it is first shown: `draw(element, content)`; `message` is where a failure is told.
function drawWhenOpened(selector, prefix, message, draw) {
  for (const element of document.querySelectorAll(selector)) {
    const page = element.closest(".page");
    let started = false;
    whenOpened(page, async () => {
      if (started) return;
      started = true;
      try {
        draw(element, await unpack(document.getElementById(`${prefix}-${page.id}`).textContent));
      } catch (error) {
        element.querySelector(message).textContent = `This browser cannot draw the data (${error.message}).`;
      }
    });
  }
}

// Lets the user choose a point of the sweep; `changed` is told the indices of its values.
function chooseRun(box, content, changed) {
  const at = [...content.runs[0].at];
  content.axes.forEach((axis, place) => {
    const there = new Set(content.runs.map((run) => run.at[place]));
    if (there.size < 2) return;
    const select = made("select");
    axis.labels.forEach((text, index) => {
      if (there.has(index)) select.add(new Option(text, index, false, index === at[place]));
    });
    select.addEventListener("change", () => {
      at[place] = Number(select.value);
      changed();
    });
    box.append(made("label", {}, `${axis.name} `, select));
  });
  return () => content.runs.find((run) => run.at.every((index, place) => index === at[place]));
}

function show() {
  const [id, choice = ""] = decodeURIComponent(location.hash.slice(1)).split("=");
  const target = document.getElementById(id);
  const page = target?.closest(".page") ?? pages[0];
  for (const one of pages) one.classList.toggle("shown", one === page);
  for (const link of document.querySelectorAll(".masthead nav a"))
    link.toggleAttribute("aria-current", page.id.split(".")[0] === link.dataset.part);
  document.title = `${page.querySelector("h1").textContent.trim()} – Fairlane report`;
  for (const call of opened.get(page.id) ?? []) call(choice);
  if (target && target !== page) target.scrollIntoView();
  else window.scrollTo(0, 0);
}

addEventListener("hashchange", () => {
  show();
  document.getElementById("main").focus({ preventScroll: true });
});

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address selects the page
  document.getElementById("main").focus();
});

// Paper is white, and shows folded parts.
let before = null;
addEventListener("beforeprint", () => {
  before = { theme: root.dataset.theme, folded: [...document.querySelectorAll("details:not([open])")] };
  for (const one of before.folded) one.open = true;
  if (isDark()) setTheme("light");
});
addEventListener("afterprint", () => {
  for (const one of before.folded) one.open = false;
  setTheme(before.theme);
});
addEventListener("DOMContentLoaded", show);

// Filters claims by verdict and by words.
for (const page of document.querySelectorAll(".claims")) {
  const form = page.querySelector(".filter"),
    output = form.querySelector("output"),
    search = form.querySelector("input[type=search]");
  const nothing = page.querySelector(".nothing");
  const claims = [...page.querySelectorAll(".claim")].map((element) => ({
    element,
    text: element.textContent.toLowerCase(),
  }));

  const choose = () => {
    const verdict = form.querySelector("input[type=radio]:checked").value;
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { element, text } of claims) {
      element.hidden = (verdict && element.dataset.verdict !== verdict) || !words.every((word) => text.includes(word));
      shown += !element.hidden;
    }
    nothing.hidden = shown > 0;
    output.textContent = shown === claims.length ? "" : `${shown} of ${claims.length}`;
  };
  form.addEventListener("input", choose);
  nothing.querySelector("button").addEventListener("click", () => {
    search.value = "";
    form.querySelector("input[type=radio][value='']").checked = true;
    choose();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  whenOpened(page, (choice) => {
    const radio = [...form.querySelectorAll("input[type=radio]")].find((one) => one.value === choice);
    if (choice && radio) {
      radio.checked = true;
      choose();
    }
  });
}

// The names that the other scripts of a report use.
Object.assign(globalThis, { chooseRun, drawWhenOpened, whenOpened });

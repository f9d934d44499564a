// Shows one page at a time, by the URL fragment; the choice of dark or light; everything unfolded for printing.
"use strict";
const root = document.documentElement;
const pages = [...document.querySelectorAll(".page")];
const opened = new Map();  // what is to be done when a page is shown, by its id

function address() {
  const [id, choice = ""] = decodeURIComponent(location.hash.slice(1)).split("=");
  return { id, choice };
}

function show() {
  const { id, choice } = address();
  const target = document.getElementById(id);
  const page = target?.closest(".page") ?? pages[0];
  for (const one of pages) one.classList.toggle("shown", one === page);
  for (const link of document.querySelectorAll(".masthead nav a"))
    link.toggleAttribute("aria-current", page.id.split(".")[0] === link.dataset.part);
  document.title = `${page.querySelector("h1").textContent.trim()} – Fairlane report`;
  opened.get(page.id)?.(choice);
  if (target && target !== page) target.scrollIntoView();
  else window.scrollTo(0, 0);
}
addEventListener("hashchange", () => { show(); document.getElementById("main").focus({ preventScroll: true }); });

document.querySelector(".skip").addEventListener("click", event => {
  event.preventDefault();  // the address says which page is shown
  document.getElementById("main").focus();
});

// The theme: the system's setting, until the user chooses one.
const themed = [];  // what must be drawn again in other colours
const button = document.getElementById("theme");
const systemDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ?? (systemDark.matches ? "dark" : "light")) === "dark";

function label() { button.textContent = isDark() ? "Light" : "Dark"; button.setAttribute("aria-label", `${button.textContent} colours`); }

function setTheme(theme) {
  root.dataset.theme = theme;
  label();
  for (const draw of themed) draw();
}
button.addEventListener("click", () => {
  setTheme(isDark() ? "light" : "dark");
  try { localStorage.setItem("fairlane-theme", root.dataset.theme); } catch { /* a page from a file may not remember */ }
});
systemDark.addEventListener("change", () => { label(); for (const draw of themed) draw(); });
label();

// Paper is white, and shows what is folded.
let before = null;
addEventListener("beforeprint", () => {
  before = { theme: root.dataset.theme, folded: [...document.querySelectorAll("details:not([open])")] };
  for (const one of before.folded) one.open = true;
  if (isDark()) setTheme("light");
});
addEventListener("afterprint", () => {
  for (const one of before.folded) one.open = false;
  if (before.theme !== root.dataset.theme) {
    if (before.theme) setTheme(before.theme);
    else { delete root.dataset.theme; setTheme(isDark() ? "dark" : "light"); delete root.dataset.theme; }
  }
});
addEventListener("DOMContentLoaded", show);

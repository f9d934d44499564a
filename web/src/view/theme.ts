/** Light or dark: public/theme.js sets the system's theme or the reader's, before anything is drawn. */

const KEY = "fairlane-theme";
const { dataset } = document.documentElement;

function show(theme: string): void {
  dataset.theme = theme;
  dispatchEvent(new Event(KEY));
}

/** Browsers may forbid storage: then the choice lasts as long as the page. */
function allowed<T>(access: () => T): T | null {
  try {
    return access();
  } catch {
    return null;
  }
}

export function toggleTheme(): void {
  const theme = dataset.theme === "dark" ? "light" : "dark";
  show(theme);
  allowed(() => localStorage.setItem(KEY, theme));
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ({ matches }) => {
  if (!allowed(() => localStorage.getItem(KEY))) show(matches ? "dark" : "light");
});

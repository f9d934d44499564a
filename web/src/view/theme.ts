/** Light or dark, as the system has it or as the reader chose. */

import { isDark } from "../drawing/colours";

export function toggleTheme(): void {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("fairlane-theme", theme);
  } catch {
    // Browsers may forbid storage.
  }
  dispatchEvent(new Event("fairlane-theme"));
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => dispatchEvent(new Event("fairlane-theme")));

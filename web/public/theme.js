// Runs before anything is drawn: sets the theme that the reader chose, else the system's.
{
  let theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  try {
    theme = localStorage.getItem("fairlane-theme") ?? theme;
  } catch {
    // Browsers may forbid storage.
  }
  document.documentElement.dataset.theme = theme;
}

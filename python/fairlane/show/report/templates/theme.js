// Runs before anything is drawn: marks that scripts run, and sets the theme that the user chose.
document.documentElement.classList.add("js");
try {
  const theme = localStorage.getItem("fairlane-theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // Browsers may forbid storage to a page from a file.
}

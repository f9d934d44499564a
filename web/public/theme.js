// Runs before anything is drawn: sets the theme that the user chose.
try {
  const theme = localStorage.getItem("fairlane-theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // Browsers may forbid storage.
}

// Before anything is drawn: that scripts run, and the theme that the user chose.
document.documentElement.classList.add("js");
try {
  const t = localStorage.getItem("fairlane-theme");
  if (t) document.documentElement.dataset.theme = t;
} catch { /* a page from a file may not remember */ }

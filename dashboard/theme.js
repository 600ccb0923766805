// Sets the theme that was chosen in this browser. Without a choice, styles follow the system.
try {
  const theme = localStorage.getItem('easel.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // A browser that stores nothing has no choice to read.
}

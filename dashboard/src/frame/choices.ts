/** Choices of one person in this browser, such as the theme. They are kept here only. */
const prefix = 'easel.'

/** Returns a stored choice; the first one when nothing valid is stored. */
export function readChoice<Choice extends string>(name: string, choices: readonly Choice[]): Choice {
  const stored = readStored(name)
  return choices.find((choice) => choice === stored) ?? choices[0]!
}

export function storeChoice(name: string, choice: string): void {
  try {
    localStorage.setItem(prefix + name, choice)
  } catch {
    // A browser that stores nothing forgets the choice with the page.
  }
}

function readStored(name: string): string | null {
  try {
    return localStorage.getItem(prefix + name)
  } catch {
    // As above.
    return null
  }
}

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** Shows a theme and remembers it. The script of the page sets it before the first paint next time. */
export function chooseTheme(theme: Theme): void {
  storeChoice('theme', theme)
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

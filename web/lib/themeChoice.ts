// The theme that was chosen, kept in localStorage under `theme`; light unless chosen (spec 000 §1).

export const THEMES = ['light', 'dark', 'system'] as const
export type Theme = (typeof THEMES)[number]
export type ShownTheme = 'light' | 'dark'

/** The paper of each theme (web/ui/tokens.css), for the browser's own bars. */
export const themeColors: Record<ShownTheme, string> = { light: '#fbf7ee', dark: '#0f141e' }

export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem('theme')
    return THEMES.find((theme) => theme === stored) ?? 'light'
  } catch {
    return 'light'
  }
}

/** The theme to show for a choice; `systemIsDark` is the system's preference. */
export function shownTheme(theme: Theme, systemIsDark: boolean): ShownTheme {
  return theme === 'dark' || (theme === 'system' && systemIsDark) ? 'dark' : 'light'
}

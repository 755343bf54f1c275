// Light or dark, or as the system has it. The document has the same choice before the first paint (app/beforePaint.ts).
import { createContext, type ReactNode, useContext, useEffect, useMemo, useSyncExternalStore } from 'react'
import { type ShownTheme, shownTheme, storedTheme, type Theme, themeColors } from './themeChoice.ts'

type ThemeState = { theme: Theme; resolved: ShownTheme; setTheme: (theme: Theme) => void }

const ThemeContext = createContext<ThemeState>({ theme: 'light', resolved: 'light', setTheme() {} })

const SYSTEM_DARK_QUERY = '(prefers-color-scheme: dark)'

const listeners = new Set<() => void>()
let chosen: Theme | undefined

function currentTheme(): Theme {
  chosen ??= storedTheme()
  return chosen
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function setTheme(next: Theme) {
  try {
    localStorage.setItem('theme', next)
  } catch {
    // The choice then lasts until the page is left.
  }
  chosen = next
  for (const listener of listeners) listener()
}

function subscribeSystem(notify: () => void) {
  const query = matchMedia(SYSTEM_DARK_QUERY)
  query.addEventListener('change', notify)
  return () => query.removeEventListener('change', notify)
}
const systemIsDark = () => matchMedia(SYSTEM_DARK_QUERY).matches

export function ThemeProvider({ children }: { children: ReactNode }) {
  // Pages are rendered in the light theme when they are built.
  const theme = useSyncExternalStore(subscribe, currentTheme, () => 'light' as const)
  const resolved = shownTheme(
    theme,
    useSyncExternalStore(subscribeSystem, systemIsDark, () => false),
  )

  useEffect(() => {
    // After hydration the choice comes a moment later than the page that was built without it.
    const now = shownTheme(currentTheme(), systemIsDark())
    document.documentElement.dataset.theme = now
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', themeColors[resolved])
  }, [resolved])

  const state = useMemo<ThemeState>(() => ({ theme, resolved, setTheme }), [theme, resolved])
  return <ThemeContext value={state}>{children}</ThemeContext>
}

/** `{theme, resolved, setTheme}`; `resolved` is what is shown now. */
export function useTheme(): ThemeState {
  return useContext(ThemeContext)
}

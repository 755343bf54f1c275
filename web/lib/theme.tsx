// Light or dark, or as the system has it. The document has the same choice before the first paint (app/beforePaint.ts).
import { createContext, type ReactNode, useContext, useEffect, useMemo, useSyncExternalStore } from 'react'
import { createStore } from './store.ts'
import { type ShownTheme, shownTheme, storedTheme, type Theme, themeColors } from './themeChoice.ts'
import { useStore } from './useStore.ts'

type ThemeState = { theme: Theme; resolved: ShownTheme; setTheme: (theme: Theme) => void }

const ThemeContext = createContext<ThemeState>({ theme: 'light', resolved: 'light', setTheme() {} })

const SYSTEM_DARK_QUERY = '(prefers-color-scheme: dark)'

// Pages are rendered in the light theme when they are built.
const chosen = createStore<Theme>('light')
if (typeof window !== 'undefined') chosen.set(storedTheme())

function setTheme(next: Theme) {
  try {
    localStorage.setItem('theme', next)
  } catch {
    // The choice then lasts until the page is left.
  }
  chosen.set(next)
}

function subscribeSystem(notify: () => void) {
  const query = matchMedia(SYSTEM_DARK_QUERY)
  query.addEventListener('change', notify)
  return () => query.removeEventListener('change', notify)
}
const systemIsDark = () => matchMedia(SYSTEM_DARK_QUERY).matches

export function ThemeProvider({ children }: { children: ReactNode }) {
  const theme = useStore(chosen)
  const resolved = shownTheme(
    theme,
    useSyncExternalStore(subscribeSystem, systemIsDark, () => false),
  )

  useEffect(() => {
    // After hydration the choice comes a moment later than the page that was built without it.
    const now = shownTheme(chosen.get(), systemIsDark())
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

// Light or dark, or as the system has it; kept in localStorage under `theme`, light unless chosen (spec 000 §1).
// index.html applies the same choice before the first paint.
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'

export const themes = ['light', 'dark', 'system'] as const
export type Theme = (typeof themes)[number]

type ThemeState = { theme: Theme; resolved: 'light' | 'dark'; setTheme: (theme: Theme) => void }

const ThemeContext = createContext<ThemeState>({ theme: 'light', resolved: 'light', setTheme() {} })

const SYSTEM_DARK_QUERY = '(prefers-color-scheme: dark)'

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem('theme')
    return themes.find((theme) => theme === stored) ?? 'light'
  } catch {
    return 'light'
  }
}

export function ThemeProvider({ children }: { children: ReactNode }) {
  const [theme, setTheme] = useState(storedTheme)
  const [system, setSystem] = useState(() => matchMedia(SYSTEM_DARK_QUERY).matches)
  const resolved = theme === 'dark' || (theme === 'system' && system) ? 'dark' : 'light'

  useEffect(() => {
    const query = matchMedia(SYSTEM_DARK_QUERY)
    const follow = () => setSystem(query.matches)
    query.addEventListener('change', follow)
    return () => query.removeEventListener('change', follow)
  }, [])

  useEffect(() => {
    document.documentElement.dataset.theme = resolved
    const paper = getComputedStyle(document.documentElement).getPropertyValue('--paper')
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', paper)
  }, [resolved])

  const state = useMemo<ThemeState>(
    () => ({
      theme,
      resolved,
      setTheme(next) {
        try {
          localStorage.setItem('theme', next)
        } catch {
          // The choice then lasts until the page is left.
        }
        setTheme(next)
      },
    }),
    [theme, resolved],
  )
  return <ThemeContext value={state}>{children}</ThemeContext>
}

/** `{theme, resolved, setTheme}`; `resolved` is what is shown now. */
export function useTheme(): ThemeState {
  return useContext(ThemeContext)
}

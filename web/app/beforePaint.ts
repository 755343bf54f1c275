// Runs in the head of every page before anything is painted (vite.config.ts puts it there). It sets theme, season,
// language and direction on the document, so that nothing flashes. It requests the page in the reader's language if
// the address names none and another one was loaded. A form that is sent before the app has loaded waits for it.
import { direction, manifestOf } from '../i18n/languages.ts'
import { languageOfPath, pathIn, plainPath, preferredLanguage, rememberLanguage } from '../i18n/preference.ts'
import { mayHaveSession } from '../lib/storedSession.ts'
import { reserveSuspensionBar } from '../lib/suspensionBarHeight.ts'
import { shownTheme, storedTheme, themeColors } from '../lib/themeChoice.ts'
import { seasonOf } from '../ui/horizon/season.ts'
import { isPrerendered } from './isPrerendered.ts'

const { documentElement: root } = document
const theme = shownTheme(storedTheme(), matchMedia('(prefers-color-scheme: dark)').matches)
root.dataset.theme = theme
document.querySelector('meta[name="theme-color"]')?.setAttribute('content', themeColors[theme])
if (mayHaveSession()) reserveSuspensionBar()
root.dataset.season = seasonOf(new Date())
// Another page than the prerendered one belongs here. The prerendered one would flash, and lose what is typed into
// it.
if (root.dataset.page && !isPrerendered()) root.dataset.replaced = ''

const addressed = languageOfPath(location.pathname)
const language = addressed ?? preferredLanguage()
// A shared address says nothing about what its reader prefers elsewhere.
if (!addressed) rememberLanguage(language)
document.querySelector('link[rel="manifest"]')?.setAttribute('href', manifestOf(language))
if (language !== root.lang) {
  root.lang = language
  root.dir = direction(language)
  // The page that came is in another language (see arrival.ts).
  if (root.dataset.page) {
    root.dataset.translating = ''
    window.translation = fetch(pathIn(language, plainPath(location.pathname)), {
      headers: { accept: 'text/html' },
    }).then(
      (response) => (response.ok ? response.text() : ''),
      () => '',
    )
  }
}

// The browser alone would send it, and write the password that was typed into the address (arrival.ts goes on with it).
if (root.dataset.page) {
  const keep = (event: SubmitEvent) => {
    event.preventDefault()
    early.submission = event
  }
  const early: NonNullable<Window['early']> = { end: () => removeEventListener('submit', keep, true) }
  window.early = early
  addEventListener('submit', keep, true)
}

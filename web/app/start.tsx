// Begins the app: configuration, language and the screen that the address names, then everything at once.
import { type ReactNode, startTransition, useEffect } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { createBrowserRouter } from 'react-router'
import { showLanguage, startI18n } from '../i18n/index.ts'
import { languageOfPath, preferredLanguage } from '../i18n/preference.ts'
import { loadClient } from '../lib/client.ts'
import { config, readConfig } from '../lib/config.ts'
import { endEarly, takeEarly } from '../lib/earlyData.ts'
import { nextMacrotask } from '../lib/nextMacrotask.ts'
import { queryClient } from '../lib/queryClient.ts'
import { mayHaveSession } from '../lib/storedSession.ts'
import { earlyPartsReplaced } from '../ui/EarlyPart.tsx'
import { App } from './App.tsx'
import { watchMissingChunks } from './newVersion.ts'
import { openScreen, routes } from './router.tsx'
import { StartFailure } from './StartFailure.tsx'

export type Start = typeof start

/**
 * Resolves once the app is rendered; `hydrate` is whether the page holds its prerendered markup.
 * @public for main.tsx, which imports this file while it loads the styles
 */
export async function start(hydrate: boolean): Promise<void> {
  const container = document.getElementById('root') as HTMLElement
  const addressed = languageOfPath(location.pathname)
  const language = addressed ?? preferredLanguage()
  watchMissingChunks()
  const basename = addressed ? `/${addressed}` : '/'
  showLanguage(language)
  const texts = startI18n(language)
  let app: ReactNode
  // A translator has changed the built page, so React renders it anew instead of hydrating.
  let built = hydrate && !container.querySelector('font')
  try {
    const read = readConfig()
    const client = mayHaveSession() ? read.then(loadClient) : undefined
    // Routes are matched for some ten milliseconds, forty on a slow phone, by the router once more.
    await nextMacrotask()
    await Promise.all([read, client, texts, openScreen(location.pathname, basename)])
    document.documentElement.toggleAttribute('data-sandbox', config.sandbox)
    await nextMacrotask()
    takeEarly((key, data, updatedAt) => queryClient.setQueryData(key, data, { updatedAt }))
    app = <App router={createBrowserRouter(routes, { basename, ...(staysInPlace(hydrate) && HYDRATED) })} />
    await nextMacrotask()
  } catch (error) {
    console.error(error)
    await texts
    app = <StartFailure />
    built = false
  }
  await new Promise<void>((resolve) => {
    const whole = <Mounted then={resolve}>{app}</Mounted>
    // As a transition React does it in small pieces, between which the page answers.
    startTransition(() => {
      if (built) hydrateRoot(container, whole)
      else createRoot(container).render(whole)
    })
  })
  await earlyPartsReplaced(container)
  endEarly()
  delete document.documentElement.dataset.translating
  delete document.documentElement.dataset.replaced
}

/** Has the router leave the page where it is scrolled to. */
const HYDRATED = { hydrationData: {} }

/** Whether the reader of a built page may have scrolled it: after a reload, only what the browser has restored counts. */
function staysInPlace(hydrate: boolean): boolean {
  const [arrival] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return hydrate && (scrollY > 0 || arrival?.type === 'navigate')
}

/** Calls back once everything in it is in the document and interactive. */
function Mounted({ then, children }: { then: () => void; children: ReactNode }) {
  useEffect(then, [then])
  return children
}

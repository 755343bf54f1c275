// The list of a built page before the app has started: read without the client library, and drawn by the app's own cards
// into the parts that the page leaves for it (ui/EarlyPart.tsx).
import { type ComponentProps, Fragment, startTransition } from 'react'
import { createPortal } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { startI18n } from '../i18n/index.ts'
import { languageOfPath, pathIn, preferredLanguage } from '../i18n/preference.ts'
import type { AppConfig } from '../lib/config.ts'
import { type EarlyPage, keepEarly } from '../lib/earlyData.ts'
import { formatDateTime, formatNumber } from '../lib/format.ts'
import { readLocaleData } from '../lib/localeData.ts'
import { nextMacrotask } from '../lib/nextMacrotask.ts'
import { paths } from '../lib/paths.ts'
import { type Rest, restOfStranger } from '../lib/rest.ts'
import { classes } from '../ui/classes.ts'
import { LinkKind } from '../ui/Link.tsx'

type LoadList = () => Promise<(rest: Rest) => Promise<EarlyPage>>

const lists: Record<string, LoadList> = {
  [paths.browse]: async () => (await import('../features/tasks/earlyTasks.tsx')).earlyTasks,
  [paths.findTaskers]: async () => (await import('../features/taskers/earlyTaskers.tsx')).earlyTaskers,
}

/** Shows the list of this page; resolves to false where there is none, or none that can be read. */
export async function showEarlyList(page: string, configuration: Promise<AppConfig>): Promise<boolean> {
  const load = lists[page]
  if (!load) return false
  const addressed = languageOfPath(location.pathname)
  const localeData = readLocaleData()
  try {
    const texts = startI18n(addressed ?? preferredLanguage())
    await nextMacrotask()
    const [read, rest] = await Promise.all([load(), configuration.then(restOfStranger)])
    await nextMacrotask()
    const reading = read(rest)
    // Awaited further down.
    reading.catch(() => undefined)
    await Promise.all([texts, localeData])
    await beginFormats()
    const early = await reading
    const place = document.querySelector('[data-early=list]')
    if (!place) return false
    const root = createRoot(place)
    if (keepEarly(early.answers, () => root.unmount())) startTransition(() => root.render(content(early)))
    return true
  } catch (error) {
    console.warn('The list could not be read before the app', error)
    return false
  }
}

/** Does the slow one-time work of the first card in advance, each part in a separate task. */
async function beginFormats(): Promise<void> {
  for (const begin of [() => formatNumber(1), () => formatDateTime(new Date()), () => classes('flex')]) {
    await nextMacrotask()
    begin()
  }
  await nextMacrotask()
}

function content({ parts: { list, ...others } }: EarlyPage) {
  return (
    <LinkKind value={PlainLink}>
      {list}
      {Object.entries(others).map(([name, part]) => {
        const place = document.querySelector(`[data-early=${name}]`)
        return place && <Fragment key={name}>{createPortal(part, place)}</Fragment>
      })}
    </LinkKind>
  )
}

/** As the router's link: in the language of the address. */
function PlainLink({ to, ...rest }: ComponentProps<'a'> & { to: string }) {
  const addressed = languageOfPath(location.pathname)
  return <a href={addressed ? pathIn(addressed, to) : to} {...rest} />
}

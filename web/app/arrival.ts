// When the app starts on a page. A page that was rendered at build (prerender.tsx) is read and left without the app,
// which starts when somebody reaches for the page. Clicks, submissions and typing until then are repeated once the
// app is loaded.
import { readConfig } from '../lib/config.ts'
import { nextMacrotask } from '../lib/nextMacrotask.ts'
import { copyOf, FIELDS, type Field, isChanged, isField, isSameGroup } from './changedFields.ts'
import type { Start } from './start.tsx'
import { allStyles } from './styles.ts'

declare global {
  interface Window {
    /** The page in the reader's language, or '' when it cannot be had (beforePaint.ts). */
    translation?: Promise<string>
    /** The form of a built page that was sent before any of this had loaded; `end` lets further ones go (beforePaint.ts). */
    early?: { submission?: SubmitEvent; end(): void }
  }
}

const REACHING = [
  'pointermove',
  'pointerdown',
  'touchstart',
  'keydown',
  'focusin',
  'wheel',
  'scroll',
  'input',
]
const LANDING = '/'
const AUTH = '/auth'
/** Their lists are shown before the app has started. */
const LISTS = ['/browse', '/find-taskers']
/** Knows by the app alone on which device it is read. */
const INSTALL = '/install'

/** Begins the app on this page; resolves once it is there. */
export async function arrive(load: () => Promise<{ start: Start }>): Promise<void> {
  // beforePaint.ts has found out whether the page belongs here.
  const { page, replaced } = document.documentElement.dataset
  const hydrate = (await showTranslation()) && page !== undefined && replaced === undefined
  const repeat = hydrate ? keepInput() : undefined
  window.early?.end()
  if (hydrate) await wanted()
  try {
    if (hydrate) {
      void allStyles()
      await runLibraries(libraries())
    }
    const { start } = await load()
    if (hydrate) await nextMacrotask()
    await start(hydrate)
  } finally {
    // Where the app cannot be had, links of a built page lead on by themselves.
    repeat?.()
  }
  idle(() => {
    document.documentElement.dataset.quiet = ''
  })
}

/** Puts the page in the reader's language in place of the one that came; false when it cannot be had. */
async function showTranslation(): Promise<boolean> {
  const { documentElement: root } = document
  if (root.dataset.translating === undefined) return true
  const page = new DOMParser().parseFromString((await window.translation) ?? '', 'text/html')
  const container = page.getElementById('root')
  if (page.documentElement.lang !== root.lang || !container || !root.dataset.page) return false
  document.getElementById('root')?.replaceWith(container)
  document.title = page.title
  delete root.dataset.translating
  return true
}

function wanted(): Promise<void> {
  return new Promise((resolve) => {
    const done = (event?: Event) => {
      // Browsers report a resting pointer when the page moves below it.
      if (event?.type === 'pointermove' && isStill(event as PointerEvent)) return
      for (const name of REACHING) document.removeEventListener(name, done, true)
      resolve()
    }
    for (const name of REACHING) document.addEventListener(name, done, { capture: true, passive: true })
    if (document.activeElement?.matches('a, button, input') || scrollY > 0) return done()
    const later = () => painted(() => idle(() => whileUntouched(done)))
    if (document.readyState === 'complete') later()
    else addEventListener('load', later, { once: true })
  })
}

/** Runs what the page needs without the app. Calls `start` if only the app can show it. */
async function whileUntouched(start: () => void): Promise<void> {
  const { page = '' } = document.documentElement.dataset
  if (page === LANDING) fetchAhead(libraries().slice(0, 1))
  if (page === INSTALL) start()
  if (LISTS.includes(page) && !(await earlyList(page))) start()
  if (
    page === AUTH &&
    (await import('./signInOptions.ts').then(({ showSignInOptions }) => showSignInOptions()))
  )
    start()
}

/** Shows the list of this page without the app; resolves to false where only the app can. */
async function earlyList(page: string): Promise<boolean> {
  const configuration = readConfig()
  // Awaited further down.
  configuration.catch(() => undefined)
  try {
    await runLibraries(libraries().slice(0, LIBRARIES_OF_LISTS))
    const { showEarlyList } = await import('./earlyList.tsx')
    return await showEarlyList(page, configuration)
  } catch (error) {
    console.warn('The list could not be shown before the app', error)
    return false
  }
}

const isStill = ({ movementX, movementY }: PointerEvent) => movementX === 0 && movementY === 0

/** After the first picture: a browser has nothing else to do before it, too. A tab in the background waits until it is seen. */
function painted(callback: () => void): void {
  const known = window.PerformanceObserver?.supportedEntryTypes?.includes('paint')
  if (!known) return void requestAnimationFrame(() => requestAnimationFrame(callback))
  const observer = new PerformanceObserver((list) => {
    if (list.getEntriesByName('first-contentful-paint').length === 0) return
    observer.disconnect()
    callback()
  })
  observer.observe({ type: 'paint', buffered: true })
}

const idle = (callback: () => void) =>
  'requestIdleCallback' in window
    ? requestIdleCallback(callback, { timeout: 2000 })
    : setTimeout(callback, 200)

/** How many of them cards need: React, i18next and the smallest parts of screens. */
const LIBRARIES_OF_LISTS = 3
/** Libraries of every screen, each after its own dependencies. */
const libraries = () => document.documentElement.dataset.libraries?.split(' ') ?? []

function fetchAhead(hrefs: string[]) {
  for (const href of hrefs) {
    const link = document.createElement('link')
    Object.assign(link, { rel: 'modulepreload', href })
    document.head.append(link)
  }
}

/** Runs them one by one, each in a separate task: input to the page is handled between them. */
async function runLibraries(hrefs: string[]): Promise<void> {
  fetchAhead(hrefs)
  for (const href of hrefs) {
    // The app misses it as well, and reports it.
    await import(/* @vite-ignore */ href).catch(() => undefined)
    await nextMacrotask()
  }
}

/**
 * Records the typing and submissions so far and all input from now on; the returned function repeats them and ends
 * the recording.
 */
function keepInput(): () => void {
  const filled = new Map<Field, { find: () => Field | undefined; fill: (field: Field) => void }>()
  const keep = (field: Field) => {
    for (const other of filled.keys()) if (isSameGroup(field, other)) filled.delete(other)
    filled.set(field, { find: found(field), fill: copyOf(field) })
  }
  for (const field of document.querySelectorAll<Field>(FIELDS)) if (isChanged(field)) keep(field)
  const sendAgain = ({ target, submitter }: SubmitEvent) => {
    const form = found(target as HTMLFormElement)
    const button = submitter && found(submitter)
    return () => form()?.requestSubmit(button?.())
  }
  const { submission } = window.early ?? {}
  let last = submission && sendAgain(submission)
  const onInput = ({ target }: Event) => {
    if (isField(target)) keep(target)
  }
  const onClick = (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target.closest<HTMLElement>('a, button') : null
    const aside = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    if (!target || aside || target.matches('[target], [href^="#"], [href^="mailto:"]')) return
    event.preventDefault()
    const find = found(target)
    last = () => {
      const again = find()
      if (again) press(again)
    }
  }
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    last = sendAgain(event)
  }
  let focused = found(document.activeElement ?? document.body)
  const onFocus = ({ target }: FocusEvent) => {
    if (target instanceof Element) focused = found(target)
  }
  document.addEventListener('input', onInput, true)
  document.addEventListener('click', onClick, true)
  document.addEventListener('submit', onSubmit, true)
  document.addEventListener('focusin', onFocus, true)
  return () => {
    document.removeEventListener('input', onInput, true)
    document.removeEventListener('click', onClick, true)
    document.removeEventListener('submit', onSubmit, true)
    document.removeEventListener('focusin', onFocus, true)
    // Lost where the app has put its own in the place of the focused element.
    const again = focused()
    if (document.activeElement === document.body && again instanceof HTMLElement)
      again.focus({ preventScroll: true })
    for (const { find, fill } of filled.values()) {
      const field = find()
      if (field) fill(field)
    }
    last?.()
  }
}

/** Finds an element again once the app has come: it may have rendered the page anew, with another one in the same place. */
function found<Kind extends Element>(element: Kind): () => Kind | undefined {
  const root = document.getElementById('root')
  // A card of a list is known by its key: it may be at another place of the app's own list.
  const card = element.closest<HTMLElement>('[data-key]')
  const place: number[] = []
  let at: Element | null = element
  for (; at?.parentElement && at !== root && at !== card; at = at.parentElement)
    place.unshift([...at.parentElement.children].indexOf(at))
  return () => {
    if (element.isConnected) return element
    const from = card ? document.querySelector(`[data-key="${card.dataset.key}"]`) : root
    const other = place.reduce<Element | null | undefined>((parent, index) => parent?.children[index], from)
    return other?.localName === element.localName ? (other as Kind) : undefined
  }
}

/** As a pointer does it: tabs and menus answer to its first half. */
function press(target: HTMLElement): void {
  const how = { bubbles: true, cancelable: true, button: 0 }
  target.dispatchEvent(new PointerEvent('pointerdown', { ...how, pointerType: 'mouse' }))
  target.dispatchEvent(new MouseEvent('mousedown', how))
  target.click()
}

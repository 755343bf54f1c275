// How smoothly a long list scrolls on a slow processor: the open tasks of /browse, loaded page by page as a person does, then
// scrolled as a reader and as a quick finger do. Each step is the page's own, so that no compositor that goes on alone hides
// what the page takes.
import type { Browser, Page } from '@playwright/test'
import { type Figure, percentile } from '../../packages/server/bench/stage/figure.ts'

/** Pixels a second: a window and a half of a phone, and four. */
const READING = 1000
const QUICK = 3000
/** Milliseconds between two pictures after which a person sees a stop: a long task's (https://web.dev/articles/rail). */
const MOST_BETWEEN_PICTURES = 50
/** Milliseconds that the page may be busy at a time: what somebody does meanwhile is answered within 100. */
const MOST_BUSY = 100
/** Elements of a page that Lighthouse calls excessive. */
const MOST_ELEMENTS = 1400
/** Of a hundred pictures, how many may show nothing in the middle of the window. */
const MOST_EMPTY = 1
/** A long list compared with its first page: "ten thousand scroll like twenty". */
const LIKE_THE_FIRST_PAGE = 1.5

export interface Scrolling {
  /** Where /browse has `rows` open tasks or more. */
  origin: string
  rows: number
  /** How many times slower the processor is. */
  slower: number
  log(line: string): void
}

/** Loads the rows, scrolls, and says how it went. */
export async function* scrollingFigures(browser: Browser, scrolling: Scrolling): AsyncIterable<Figure> {
  const { origin, rows, slower, log } = scrolling
  const context = await browser.newContext({
    viewport: { width: 360, height: 780 },
    hasTouch: true,
    isMobile: true,
    serviceWorkers: 'block',
    locale: 'en-CA',
  })
  const page = await context.newPage()
  await page.goto(`${origin}/browse`, { waitUntil: 'networkidle' })
  await untilTheAppHasTheList(page)
  const devtools = await context.newCDPSession(page)
  const slowed = async (work: () => Promise<void>): Promise<Seen> => {
    await page.evaluate(watchPictures)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower })
    await work()
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    return page.evaluate(() => (window as WatchedWindow).seen as Seen)
  }
  const firstPage = await slowed(() => scroll(page, 8000, QUICK))
  const began = performance.now()
  await loadRows(page, rows)
  log(`${rows} rows came within ${((performance.now() - began) / 1000).toFixed(0)} s`)
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight / 4))
  const reading = await slowed(() => scroll(page, 8000, READING))
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight / 2))
  const quick = await slowed(async () => {
    await scroll(page, 30_000, QUICK)
    await scroll(page, -9000, QUICK)
  })
  await context.close()

  const figure = (what: string, ours: number, theirs: number, unit: string): Figure => ({
    name: `scrolling ${rows} tasks, processor ÷ ${slower}: ${what}`,
    ours,
    theirs,
    unit,
    against: 'limit',
    bound: { atMost: 1 },
  })
  const mostOf = ({ between }: Seen) => percentile(between, 0.95)
  const most = '95 of 100 pictures within'
  yield figure(`reading, ${most}`, mostOf(reading), MOST_BETWEEN_PICTURES, 'ms')
  yield {
    ...figure(`quickly, ${most}`, mostOf(quick), mostOf(firstPage), 'ms'),
    against: 'its first page',
    bound: { atMost: LIKE_THE_FIRST_PAGE },
  }
  yield figure('longest task', Math.max(0, ...reading.busy, ...quick.busy), MOST_BUSY, 'ms')
  const empty = (100 * (reading.empty + quick.empty)) / (reading.between.length + quick.between.length)
  yield figure('pictures without a card', empty, MOST_EMPTY, '%')
  yield figure('elements in the page', Math.max(reading.elements, quick.elements), MOST_ELEMENTS, '')
}

/** A scroll starts the app, which takes over the list that is shown before (web/app/earlyList.tsx). */
async function untilTheAppHasTheList(page: Page): Promise<void> {
  await page.mouse.wheel(0, 1)
  await page.locator('html[data-quiet]').waitFor({ state: 'attached' })
  await page.locator('[data-early]').waitFor({ state: 'detached' })
}

/** Presses Load more until so many rows are listed, each time once the last ones are drawn. Throws if there are fewer. */
async function loadRows(page: Page, rows: number): Promise<void> {
  const loaded = await page.evaluate(async (rows) => {
    // "The first 24 tasks", "24 of 1,000 tasks"
    const told = () => /[\d,]+/.exec(document.querySelector('main [aria-live]')?.textContent ?? '')?.[0]
    const listed = () => Number(told()?.replaceAll(',', ''))
    const button = () => document.querySelector<HTMLButtonElement>('main ul + div > button:not([aria-busy])')
    for (let before = 0; listed() < rows; ) {
      const more = button()
      if (more && listed() !== before) {
        before = listed()
        more.click()
      }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return listed()
  }, rows)
  if (!(loaded >= rows)) throw new Error(`/browse lists ${loaded} tasks, not ${rows}`)
}

/** So many pixels, at each picture as far as the finger has gone since the one before. */
async function scroll(page: Page, distance: number, speed: number): Promise<void> {
  await page.evaluate(
    ({ distance, speed }) =>
      new Promise<void>((resolve) => {
        const way = Math.abs(distance)
        let gone = 0
        let last = performance.now()
        const picture = (now: number) => {
          const step = Math.min(way - gone, (speed * Math.max(0, now - last)) / 1000)
          last = now
          gone += step
          window.scrollBy({ top: Math.sign(distance) * step, behavior: 'instant' })
          if (gone < way) requestAnimationFrame(picture)
          else resolve()
        }
        requestAnimationFrame(picture)
      }),
    { distance, speed },
  )
}

type Seen = {
  /** Milliseconds from each picture to the next. */
  between: number[]
  /** Milliseconds of each long task. */
  busy: number[]
  /** Pictures in which the middle of the window showed no card. */
  empty: number
  elements: number
}
type WatchedWindow = Window & { seen?: Seen }

/** Writes down each picture from now on, in the place of what was written before. */
function watchPictures(): void {
  const seen: Seen = { between: [], busy: [], empty: 0, elements: 0 }
  const watched: WatchedWindow = window
  watched.seen = seen
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.busy.push(duration)
  }).observe({ type: 'longtask' })
  let last = performance.now()
  const picture = (now: number) => {
    if (watched.seen !== seen) return
    seen.between.push(now - last)
    last = now
    // Further than the gap between two cards apart, so that one of them lies on a card; above the list there are none.
    const missed = (y: number) => !document.elementFromPoint(180, y)?.closest('main li[data-key]')
    if (window.scrollY > window.innerHeight && missed(380) && missed(410)) seen.empty++
    seen.elements = Math.max(seen.elements, document.getElementsByTagName('*').length)
    requestAnimationFrame(picture)
  }
  requestAnimationFrame(picture)
}

// The cost of the map to the list next to it: 300 open tasks in /browse, in a wide window. The machine may have no graphics processor, and
// then drawing the map blocks the page inside the map's library. So the profiler tells our work from the library's, by the file
// that each function is from.
import type { Browser, CDPSession, Page } from '@playwright/test'
import type { Figure } from '../../packages/server/bench/stage/figure.ts'

const ROWS = 300
/** All do the same. The quickest counts: a longer one waited for the processor. */
const ROUNDS = 5
/** Milliseconds that our work may take at a time: more is a long task. */
const MOST_AT_A_TIME = 50
/** Our work per picture while the list scrolls, compared with the same list and no map. */
const LIKE_WITHOUT_MAP = 1.2
const SAMPLE_MICROSECONDS = 500

/** `origin`: where /browse has 300 open tasks or more. */
export async function* mapAndListFigures(browser: Browser, origin: string): AsyncIterable<Figure> {
  const without = await openList(browser, origin, { hasMap: false })
  const withMap = await openList(browser, origin, { hasMap: true })
  const scrolls = { without: [] as Work[], withMap: [] as Work[] }
  const pans: Work[] = []
  for (let round = 0; round < ROUNDS; round++) {
    scrolls.without.push(await without.work(scrollList))
    scrolls.withMap.push(await withMap.work(scrollList))
    pans.push(await withMap.work(panMap))
  }
  for (const { page } of [without, withMap]) await page.context().close()

  const perPicture = (works: readonly Work[]) => Math.min(...works.map(({ sum, pictures }) => sum / pictures))
  yield {
    name: `scrolling ${ROWS} tasks next to the map: our work per picture`,
    ours: perPicture(scrolls.withMap),
    against: 'without a map',
    theirs: perPicture(scrolls.without),
    unit: 'ms',
    bound: { atMost: LIKE_WITHOUT_MAP },
  }
  for (const [what, works] of [
    ['scrolling the list', scrolls.withMap],
    ['panning the map', pans],
  ] as const)
    yield {
      name: `${what}, ${ROWS} tasks: longest of our work at a time`,
      ours: Math.min(...works.map(({ longest }) => longest)),
      against: 'limit',
      theirs: MOST_AT_A_TIME,
      unit: 'ms',
      bound: { atMost: 1 },
    }
}

/** Milliseconds of our work, all of it and the longest piece without a pause. */
type Work = { sum: number; longest: number; pictures: number }

/** The list with its rows loaded; without a map, the map's place stays empty. */
async function openList(browser: Browser, origin: string, { hasMap }: { hasMap: boolean }) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    serviceWorkers: 'block',
    locale: 'en-CA',
  })
  const page = await context.newPage()
  // A request without an answer, so that the place holds the grey shape of a map that is loading.
  if (!hasMap) await page.route(/maplibre-/, () => {})
  await page.goto(`${origin}/browse?view=map`)
  await page.locator('main li[data-key]').first().waitFor()
  if (hasMap) await page.locator('.maplibregl-marker').first().waitFor()
  await loadRows(page)
  const devtools = await context.newCDPSession(page)
  await devtools.send('Profiler.enable')
  await devtools.send('Profiler.setSamplingInterval', { interval: SAMPLE_MICROSECONDS })
  return { page, work: (does: (page: Page) => Promise<number>) => profiled(page, devtools, does) }
}

async function loadRows(page: Page): Promise<void> {
  const last = page.locator(`main li[aria-posinset="${ROWS}"]`)
  for (let pressed = 0; (await last.count()) === 0; pressed++) {
    if (pressed > ROWS) throw new Error(`/browse lists fewer than ${ROWS} tasks`)
    const more = page.locator('main ul + div > button:not([aria-busy])')
    if (await more.count()) await more.click()
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
    await page.waitForTimeout(50)
  }
  await page.evaluate(() => window.scrollTo(0, 400))
}

/** Scrolls down and up again by the page's own steps, over cards that have the pointer above them; resolves with the number of pictures. */
async function scrollList(page: Page): Promise<number> {
  await page.mouse.move(300, 400)
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const pictures = 240
        let drawn = 0
        const step = () => {
          window.scrollBy({ top: drawn < pictures / 2 ? 40 : -40, behavior: 'instant' })
          if (++drawn < pictures) requestAnimationFrame(step)
          else resolve(pictures)
        }
        requestAnimationFrame(step)
      }),
  )
}

/** Drags the map to and fro; each drag ends with the markers of another area. */
async function panMap(page: Page): Promise<number> {
  const { x, y, width, height } = (await page.locator('.maplibregl-canvas').boundingBox()) ?? {}
  if (!x || !y || !width || !height) throw new Error('there is no map')
  const ways = [-1, 1, 1, -1]
  const steps = 15
  for (const way of ways) {
    await page.mouse.move(x + width / 2, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + width / 2 + way * 150, y + height / 2 + way * 100, { steps })
    await page.mouse.up()
    await page.evaluate(() => new Promise(requestAnimationFrame))
  }
  return ways.length * steps
}

async function profiled(
  page: Page,
  devtools: CDPSession,
  does: (page: Page) => Promise<number>,
): Promise<Work> {
  await devtools.send('Profiler.start')
  const pictures = await does(page)
  const { profile } = await devtools.send('Profiler.stop')
  return { ...ourWork(profile), pictures }
}

type Profile = {
  nodes: { id: number; callFrame: { url: string }; children?: number[] }[]
  samples?: number[]
  /** Microseconds. */
  timeDeltas?: number[]
}

/** Our work: functions of our files, React's included, and all that they call. */
function ourWork({ nodes, samples = [], timeDeltas = [] }: Profile): Omit<Work, 'pictures'> {
  const ours = new Map<number, boolean>()
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const visit = (id: number, isCalled: boolean) => {
    const node = byId.get(id)
    const isOurs = isCalled || /\/assets\/(?!maplibre-)/.test(node?.callFrame.url ?? '')
    ours.set(id, isOurs)
    for (const child of node?.children ?? []) visit(child, isOurs)
  }
  const [root] = nodes
  if (root) visit(root.id, false)
  let sum = 0
  let longest = 0
  let piece = 0
  for (const [i, sample] of samples.entries()) {
    const milliseconds = (timeDeltas[i + 1] ?? 0) / 1000
    piece = ours.get(sample) ? piece + milliseconds : 0
    sum += ours.get(sample) ? milliseconds : 0
    longest = Math.max(longest, piece)
  }
  return { sum, longest }
}

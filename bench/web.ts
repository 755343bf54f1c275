// The web app on a slow phone: Lighthouse on the public pages as a stranger first loads them, and how soon the page
// answers what a person does, on a processor four times slower.
import { type Browser, chromium, type Page } from '@playwright/test'
import { type Figure, type Measured, median } from '../packages/server/bench/stage/figure.ts'
import type { Stage } from '../packages/server/bench/stage/stage.ts'
import { repositoryRoot } from '../plugins/repository.ts'
import { CHROMIUM_FLAGS, findBrowser, WEBGL_FLAGS } from '../scripts/find-browser.mjs'
import { mapAndListFigures } from './stage/map-and-list.ts'
import { startProcess } from './stage/process.ts'
import { scrollingFigures } from './stage/scrolling.ts'
import { fillTaskers, fillTasks, makeDatabase } from './stage/tasks.ts'

export const title = 'The web app on a slow phone'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const PAGES = {
  landing: '/',
  auth: '/auth',
  browse: '/browse',
  'find taskers': '/find-taskers',
  categories: '/categories',
}
const SLOWER = 4
/** Rows of browse that scroll like twenty. */
const MANY = 10_000

type Run = {
  performance: number
  accessibility: number
  bestPractices: number
  seo: number
  /** Milliseconds. */
  firstPaint: number
  largestPaint: number
  blocking: number
  shift: number
  scriptBytes: number
  /** Audits of the last three categories that found something. */
  failed: string[]
}
type Told = Exclude<keyof Run, 'failed'>

const LIMITS: [keyof Run & Told, string, number, string, 'atLeast' | 'atMost'][] = [
  ['performance', 'performance', 95, 'points', 'atLeast'],
  ['accessibility', 'accessibility', 100, 'points', 'atLeast'],
  ['bestPractices', 'best practices', 100, 'points', 'atLeast'],
  ['seo', 'search engines', 100, 'points', 'atLeast'],
  ['firstPaint', 'first paint', 1500, 'ms', 'atMost'],
  ['largestPaint', 'largest paint', 2000, 'ms', 'atMost'],
  ['blocking', 'blocking', 150, 'ms', 'atMost'],
  ['shift', 'layout shift', 0.02, '', 'atMost'],
]

/** Kilobytes of JavaScript, as sent, until an untouched page is quiet. */
const MOST_SCRIPT: Record<string, number> = {
  landing: 110,
  auth: 180,
  browse: 150,
  'find taskers': 150,
  categories: 10,
}
/** Milliseconds from what a person does to the next picture. */
const MOST_ANSWER = 100

export async function* measure(stage: Stage): AsyncIterable<Measured> {
  const chosen = (name: string) => stage.cases.length === 0 || stage.cases.some((word) => name.includes(word))
  await makeDatabase(stage, 'ours')
  await fillTasks(stage, 'ours', { people: 20, tasks: 300 })
  await fillTaskers(stage, 'ours', 60)
  const server = await startProcess<{ port: number }>(stage, 'server.mjs', {
    args: ['--workdir', repositoryRoot, '--production'],
    env: {
      DATA_DIR: `${stage.directory}/data`,
      DATABASE_URL: (await stage.postgres()).url('ours'),
      PORT: '4151',
    },
  })
  const origin = `http://localhost:${server.ready.port}`
  const browserPath = await findBrowser()
  const lighthouse = await startProcess(stage, 'lighthouse.mjs', { args: [browserPath, ...CHROMIUM_FLAGS] })
  for (const [name, path] of Object.entries(PAGES)) {
    if (!chosen(name)) continue
    const runs: Run[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const run = await lighthouse.ask<Run | { error: string }>({ url: origin + path })
      if ('error' in run) throw new Error(`${name}: ${run.error}`)
      runs.push(run)
    }
    const failed = new Set(runs.flatMap((run) => run.failed))
    if (failed.size > 0) stage.log(`${name}: ${[...failed].join(', ')}`)
    yield* pageFigures(name, runs)
  }
  await lighthouse.stop()
  const browser = await chromium.launch({ executablePath: browserPath, args: CHROMIUM_FLAGS })
  stage.onEnd(() => browser.close())
  if (chosen('answers')) yield* answers(browser, origin)
  if (chosen('map')) yield* mapFigures(browserPath, origin)
  if (!chosen('scrolling')) return
  await fillTasks(stage, 'ours', { people: 0, tasks: MANY })
  yield* scrollingFigures(browser, { origin, rows: MANY, slower: SLOWER, log: stage.log })
}

/** The map needs WebGL, which the other runs switch off. */
async function* mapFigures(executablePath: string, origin: string): AsyncIterable<Figure> {
  const browser = await chromium.launch({ executablePath, args: WEBGL_FLAGS })
  try {
    yield* mapAndListFigures(browser, origin)
  } finally {
    await browser.close()
  }
}

function* pageFigures(page: string, runs: readonly Run[]): Iterable<Figure> {
  const middle = (what: Told) => median(runs.map((run) => run[what]))
  for (const [what, name, theirs, unit, kind] of LIMITS)
    yield {
      name: `${page}: ${name}`,
      ours: middle(what),
      against: 'limit',
      theirs,
      unit,
      bound: kind === 'atLeast' ? { atLeast: 1 } : { atMost: 1 },
    }
  yield {
    name: `${page}: JavaScript`,
    ours: middle('scriptBytes') / 1000,
    against: 'limit',
    theirs: MOST_SCRIPT[page] ?? 0,
    unit: 'kB',
    bound: { atMost: 1 },
  }
}

/** Actions on a loaded page: the action and its page. */
const DEEDS: Record<string, { path: string; wide?: boolean; does(page: Page): Promise<void> }> = {
  'typing in the search of tasks': {
    path: '/browse',
    does: async (page) => page.getByRole('searchbox').first().pressSequentially('snow', { delay: 200 }),
  },
  'opening the drawer': {
    path: '/browse',
    does: async (page) => page.getByRole('banner').getByRole('button', { name: 'Open the menu' }).click(),
  },
  'switching the language': {
    path: '/browse',
    wide: true,
    async does(page) {
      await page.getByRole('banner').getByRole('button', { name: 'Language' }).click()
      await page.getByRole('menuitemradio', { name: 'Deutsch' }).click()
      await page.locator('html[lang=de]').waitFor()
    },
  },
}

async function* answers(browser: Browser, origin: string): AsyncIterable<Figure> {
  for (const [name, { path, wide, does }] of Object.entries(DEEDS)) {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const context = await browser.newContext({
        viewport: wide ? { width: 1280, height: 800 } : { width: 360, height: 780 },
        serviceWorkers: 'block',
        locale: 'en-CA',
      })
      const page = await context.newPage()
      await page.addInitScript(watchAnswers)
      await page.goto(origin + path, { waitUntil: 'networkidle' })
      const devtools = await context.newCDPSession(page)
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
      await does(page)
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1000)))
      times.push(await page.evaluate(() => (window as AnsweringWindow).slowest ?? 0))
      await context.close()
    }
    yield {
      name: `${name}, processor ÷ ${SLOWER}`,
      ours: median(times),
      against: 'limit',
      theirs: MOST_ANSWER,
      unit: 'ms',
      bound: { atMost: 1 },
    }
  }
}

type AnsweringWindow = Window & { slowest?: number }

/** Keeps the slowest answer to anything a person did. https://web.dev/articles/inp */
function watchAnswers(): void {
  const answering: AnsweringWindow = window
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { interactionId, duration } = entry as PerformanceEntry & { interactionId?: number }
      if (interactionId) answering.slowest = Math.max(answering.slowest ?? 0, duration)
    }
  }).observe({ type: 'event', buffered: true, durationThreshold: 16 } as PerformanceObserverInit)
}

// Lighthouse as it measures a phone: a slow 4G network and a processor four times slower, both reckoned from what a
// run at full speed did, so that a busy machine shows less. `{ url }` is one run; it answers what the figures are made of.
import { launch } from 'chrome-launcher'
import lighthouse from 'lighthouse'

const [chromePath, ...chromeFlags] = process.argv.slice(2)
const chrome = await launch({ chromePath, chromeFlags: ['--headless', ...chromeFlags] })

async function measure(url) {
  const { lhr } = await lighthouse(url, { port: chrome.port, logLevel: 'error', maxWaitForLoad: 60_000 })
  if (lhr.runtimeError) throw new Error(lhr.runtimeError.message)
  const { audits, categories } = lhr
  const score = (id) => Math.round(categories[id].score * 100)
  return {
    performance: score('performance'),
    accessibility: score('accessibility'),
    bestPractices: score('best-practices'),
    seo: score('seo'),
    firstPaint: audits['first-contentful-paint'].numericValue,
    largestPaint: audits['largest-contentful-paint'].numericValue,
    blocking: audits['total-blocking-time'].numericValue,
    shift: audits['cumulative-layout-shift'].numericValue,
    scriptBytes: audits['network-requests'].details.items
      .filter(({ resourceType }) => resourceType === 'Script')
      .reduce((sum, { transferSize }) => sum + transferSize, 0),
    failed: Object.values(categories)
      .filter(({ id }) => id !== 'performance')
      .flatMap(({ auditRefs }) => auditRefs.map(({ id }) => id))
      .filter((id) => audits[id].score !== null && audits[id].score < 1),
  }
}

process.on('message', async ({ url }) => {
  if (!url) return
  try {
    process.send({ answer: await measure(url) })
  } catch (error) {
    process.send({ answer: { error: error.message } })
  }
})
process.on('exit', () => chrome.kill())
process.on('SIGTERM', () => process.exit(0))
process.send({ ready: true })

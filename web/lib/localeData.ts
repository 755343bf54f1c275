// What browsers know of each language's numbers and dates: Chromium looks through all of it once, before the first number is
// formatted, for 12 ms that nothing can divide (50 on a slow phone). A worker has it do so beside the page.

/** A worker that has not answered by then is not waited for. */
const TIMEOUT_MS = 1000

/** Resolves once the browser has looked, or cannot. */
export function readLocaleData(): Promise<void> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL('./localeDataWorker.ts', import.meta.url), { type: 'module' })
    const timer = setTimeout(done, TIMEOUT_MS)
    function done() {
      clearTimeout(timer)
      worker.terminate()
      resolve()
    }
    worker.addEventListener('message', done)
    worker.addEventListener('error', done)
  })
}

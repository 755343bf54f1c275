// Loads the browser's locale data in a worker. Chromium reads it once, before it formats the first number: 12 ms, or 50 on a slow
// phone, that cannot be split.

/** How long to wait for the worker. */
const TIMEOUT_MS = 1000

/** Resolves once the locale data is loaded, has failed to load, or the time is over. */
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

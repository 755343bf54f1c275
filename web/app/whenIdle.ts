// When a page begins what nobody waits for: its service worker.

/** A page that is never quiet begins it all the same. */
const MAX_WAIT_MS = 10_000

/** Runs `begin` when the page has loaded and the browser has nothing better to do; returns what stops it before. */
export function whenIdle(begin: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let idle: number | undefined
  const loaded = () => {
    // Safari does not know when it is idle.
    if ('requestIdleCallback' in window) idle = requestIdleCallback(begin, { timeout: MAX_WAIT_MS })
    else timer = setTimeout(begin, 2_000)
  }
  if (document.readyState === 'complete') loaded()
  else window.addEventListener('load', loaded, { once: true })
  return () => {
    window.removeEventListener('load', loaded)
    clearTimeout(timer)
    if (idle !== undefined) cancelIdleCallback(idle)
  }
}

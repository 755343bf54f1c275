// All styles of the app. A page that was built has in it what it needs itself (scripts/first-styles.mjs) and names the
// rest: nothing of the app is shown before that is there.

let coming: Promise<void> | undefined

/** Loads what the page has not got yet; resolves when it is there, or cannot be had. */
export function allStyles(): Promise<void> {
  coming ??= new Promise((resolve) => {
    const href = document.querySelector<HTMLMetaElement>('meta[name="styles"]')?.content
    if (!href) return resolve()
    const link = document.createElement('link')
    link.addEventListener('load', () => resolve())
    link.addEventListener('error', () => resolve())
    Object.assign(link, { rel: 'stylesheet', href })
    document.head.append(link)
  })
  return coming
}

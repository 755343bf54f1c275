// A part of a built page that may be filled before the app starts (app/earlyList.tsx). The app leaves what is there as it
// is while it takes over the page, and puts its own in the same place right after.
import { type ReactNode, useDeferredValue, useSyncExternalStore } from 'react'

const never = () => () => {}

/** `<EarlyPart name="list">…</EarlyPart>`; built, it holds its children, as a page does that nothing fills. */
export function EarlyPart({ name, children }: { name: string; children: ReactNode }) {
  const hydrated = useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
  // Deferred, so that its own is drawn in small pieces.
  const own = useDeferredValue(hydrated)
  if (own) return <div>{children}</div>
  if (typeof document === 'undefined') return <div data-early={name}>{children}</div>
  // React looks into no element whose HTML is given, and changes none while it hydrates.
  const left = { __html: '' }
  // biome-ignore lint/security/noDangerouslySetInnerHtml: it is empty
  return <div key="early" data-early={name} dangerouslySetInnerHTML={left} suppressHydrationWarning />
}

/** Resolves once the app shows its own in each of them. */
export function earlyPartsReplaced(root: Element): Promise<void> {
  return new Promise((resolve) => {
    const remaining = () => root.querySelector('[data-early]') !== null
    if (!remaining()) return resolve()
    const observer = new MutationObserver(() => {
      if (remaining()) return
      observer.disconnect()
      resolve()
    })
    observer.observe(root, { childList: true, subtree: true })
  })
}

// The document's title: the screen's name, then ours.
import { useEffect } from 'react'

export function setTitle(title?: string) {
  document.title = title ? `${title} · Meadowlark` : 'Meadowlark'
}

/**
 * Removes the loaded page's metadata except its title. It is wrong for another screen, and phones share the canonical
 * address instead of the open one.
 */
export function dropFirstHead() {
  const outdated =
    'link[rel="canonical"], link[hreflang], meta[property^="og:"], meta[name="robots"], meta[name^="twitter:"], script[type="application/ld+json"]'
  for (const element of document.head.querySelectorAll(outdated)) element.remove()
}

/** For screens whose title is their content (a task, a person); others are named in app/router.tsx. */
export function useTitle(title: string | undefined) {
  useEffect(() => {
    if (title) setTitle(title)
  }, [title])
}

// The document's title: the screen's name, then ours.
import { useEffect } from 'react'

export function setTitle(title?: string) {
  document.title = title ? `${title} · Meadowlark` : 'Meadowlark'
}

/** For screens whose title is their content (a task, a person); others are named in app/router.tsx. */
export function useTitle(title: string | undefined) {
  useEffect(() => {
    if (title) setTitle(title)
  }, [title])
}

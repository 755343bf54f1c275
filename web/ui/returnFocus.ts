// Where focus goes when something modal closes: to what had it before. Radix does this by itself only for dialogs
// that are opened by its own trigger, and ours are opened by state.
import { useRef } from 'react'

/** Handlers for a modal Radix content: `<Radix.Content {...useReturnFocus()}>`. */
export function useReturnFocus() {
  const opener = useRef<Element | null>(null)
  return {
    onOpenAutoFocus() {
      opener.current = document.activeElement
    },
    onCloseAutoFocus(event: Event) {
      event.preventDefault()
      if (opener.current instanceof HTMLElement) opener.current.focus()
    },
  }
}

// Where focus goes when something modal closes: to what had it before. Radix does this by itself only for dialogs
// that are opened by its own trigger, and ours are opened by state.
import { useRef } from 'react'

/** Marks the field that a dialog opens on, instead of its first control: `<textarea {...INITIAL_FOCUS}>`. */
export const INITIAL_FOCUS = { 'data-initial-focus': true }

/** Handlers for a modal Radix content: `<Radix.Content {...useReturnFocus()}>`. */
export function useReturnFocus() {
  const opener = useRef<Element | null>(null)
  return {
    onOpenAutoFocus(event: Event) {
      opener.current = document.activeElement
      const field = (event.currentTarget as Element).querySelector<HTMLElement>('[data-initial-focus]')
      if (!field) return
      event.preventDefault()
      field.focus()
    },
    onCloseAutoFocus(event: Event) {
      event.preventDefault()
      if (opener.current instanceof HTMLElement) opener.current.focus()
    },
  }
}

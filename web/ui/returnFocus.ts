// Where focus goes when something modal opens and closes: to its field, and back to the previous element. Radix does
// this by itself only for dialogs that are opened by its own trigger, and ours are opened by state.
import { useRef } from 'react'

/** Marks the field that a dialog opens on, instead of its first control: `<textarea {...INITIAL_FOCUS}>`. */
export const INITIAL_FOCUS = { 'data-initial-focus': true }

/** Handlers for a modal Radix content: `<Radix.Content {...useReturnFocus()}>`. */
export function useReturnFocus() {
  const opener = useRef<Element | null>(null)
  const awaited = useRef<MutationObserver>(undefined)
  return {
    onOpenAutoFocus(event: Event) {
      opener.current = document.activeElement
      const content = event.currentTarget as Element
      if (focusField(content)) return event.preventDefault()
      // A field that is still being loaded has the focus as soon as it is there, unless the reader has moved on.
      awaited.current = new MutationObserver((_, observer) => {
        const untouched = first === undefined || document.activeElement === first
        if (!untouched || focusField(content)) observer.disconnect()
      })
      awaited.current.observe(content, { subtree: true, childList: true })
      let first: Element | null | undefined
      requestAnimationFrame(() => {
        first = document.activeElement
      })
    },
    onCloseAutoFocus(event: Event) {
      awaited.current?.disconnect()
      event.preventDefault()
      if (opener.current instanceof HTMLElement) opener.current.focus()
    },
  }
}

/** Whether there was a field to focus. */
function focusField(content: Element): boolean {
  const field = content.querySelector<HTMLElement>('[data-initial-focus]:not(:disabled)')
  field?.focus()
  return field !== null
}

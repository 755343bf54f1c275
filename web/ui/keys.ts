// Keys that a person presses for the page, apart from those that steer an input method (Chinese, Japanese, Korean).
import type { KeyboardEvent as ReactKeyboardEvent } from 'react'

/** The only sign in Safari that the Enter which confirms a candidate is one: it comes after the end of the composition. */
const INPUT_METHOD_KEY_CODE = 229

/** Whether the key belongs to an input method: it confirms a candidate, moves to another one or closes the list. */
function isForInputMethod({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === INPUT_METHOD_KEY_CODE
}

/** Whether a person pressed Enter to send or add what they wrote. */
export function isEnter({ key, nativeEvent }: ReactKeyboardEvent): boolean {
  return key === 'Enter' && !isForInputMethod(nativeEvent)
}

/** For `onEscapeKeyDown` of a dialog: Escape that closes a list of candidates leaves the dialog open. */
export function stayForInputMethod(event: KeyboardEvent): void {
  if (isForInputMethod(event)) event.preventDefault()
}

// Copies what somebody filled in on a built page, before the app started, into the app's own fields.
import { setInputValue } from '../ui/setInputValue.ts'

export type Field = HTMLInputElement | HTMLSelectElement

/** Selector of every Field. */
export const FIELDS = 'input, select'

const isChoice = (input: HTMLInputElement) => ['radio', 'checkbox'].includes(input.type)

export const isField = (target: EventTarget | null): target is Field =>
  target instanceof HTMLInputElement || target instanceof HTMLSelectElement

/** Whether `other` loses its choice to `field`: both are radio buttons of one group. */
export function isSameGroup(field: Field, other: Field): boolean {
  return field.type === 'radio' && other.type === 'radio' && field.name === other.name
}

/** Whether the field differs from the page as built. Of a group of radio buttons, only the new choice does. */
export function isChanged(field: Field): boolean {
  if (field instanceof HTMLSelectElement) {
    const first = field.querySelector<HTMLOptionElement>('option[selected]') ?? field.options[0]
    return field.value !== first?.value
  }
  if (field.type === 'radio') return field.checked && !field.defaultChecked
  return isChoice(field) ? field.checked !== field.defaultChecked : field.value !== field.defaultValue
}

/** Returns a function that fills another field in with what `field` holds now, with the events of a person's input. */
export function copyOf(field: Field): (other: Field) => void {
  const { value } = field
  const checked = field instanceof HTMLInputElement && field.checked
  return (other) => {
    if (other instanceof HTMLSelectElement) choose(other, value)
    else if (isChoice(other)) check(other, checked)
    else write(other, value)
  }
}

function choose(select: HTMLSelectElement, value: string): void {
  select.value = value
  select.dispatchEvent(new Event('change', { bubbles: true }))
}

// React regards the state that it finds as its own, so the field has to change from another state.
function check(input: HTMLInputElement, checked: boolean): void {
  if (input.type === 'radio' && !checked) return
  input.checked = !checked
  input.click()
}

function write(input: HTMLInputElement, value: string): void {
  // Null in those that know no selection, as that of an e-mail address.
  const { selectionStart, selectionEnd } = input
  input.value = ''
  setInputValue(input, value)
  // A person who is typing continues at the same position.
  if (selectionStart !== null) input.setSelectionRange(selectionStart, selectionEnd)
}

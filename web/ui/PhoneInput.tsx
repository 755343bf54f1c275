// Entering a phone number. Typing at its end adds spaces and brackets; leaving the field formats what is a number. Other text is
// never changed.
import type { ComponentProps, FocusEvent, FormEvent } from 'react'
import { useField } from './form/Field.tsx'
import { Input } from './Input.tsx'
import { formatPhone, formatWhileTyping } from './phone.ts'
import { setInputValue } from './setInputValue.ts'

/** `<PhoneInput />` inside a Field; the value is the text as it is shown, brackets included. */
export function PhoneInput(props: ComponentProps<'input'>) {
  const field = useField()
  const leave = (event: FocusEvent<HTMLInputElement>) => {
    void field.onBlur?.(event)
    void format(event.currentTarget)
  }
  return (
    <Input
      type="tel"
      autoComplete="tel"
      inputMode="tel"
      dir="ltr"
      onInput={arrange}
      onBlur={leave}
      {...props}
    />
  )
}

async function format(input: HTMLInputElement) {
  const typed = input.value
  const text = await formatPhone(typed).catch(() => typed)
  if (input.value === typed && text !== typed) setInputValue(input, text)
}

async function arrange({ currentTarget: input, nativeEvent }: FormEvent<HTMLInputElement>) {
  // Only what a person typed: not a deletion, which would be undone, nor what is set below.
  if ((nativeEvent as InputEvent).inputType !== 'insertText') return
  const typed = input.value
  const text = await formatWhileTyping(typed).catch(() => typed)
  const atEnd = input.selectionStart === typed.length
  if (input.value === typed && text !== typed && atEnd) setInputValue(input, text)
}

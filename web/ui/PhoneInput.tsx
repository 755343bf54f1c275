// Entering a phone number: spaces and brackets come by themselves while one types at its end, and change nothing else.
import type { ComponentProps, FormEvent } from 'react'
import { Input } from './Input.tsx'
import { formatWhileTyping } from './phone.ts'
import { setInputValue } from './setInputValue.ts'

/** `<PhoneInput />` inside a Field; the value is what stands there, brackets included. */
export function PhoneInput(props: ComponentProps<'input'>) {
  return <Input type="tel" autoComplete="tel" inputMode="tel" dir="ltr" onInput={arrange} {...props} />
}

async function arrange({ currentTarget: input, nativeEvent }: FormEvent<HTMLInputElement>) {
  // Only what a person typed: not a deletion, which would be undone, nor what is set below.
  if ((nativeEvent as InputEvent).inputType !== 'insertText') return
  const typed = input.value
  const text = await formatWhileTyping(typed).catch(() => typed)
  const atEnd = input.selectionStart === typed.length
  if (input.value === typed && text !== typed && atEnd) setInputValue(input, text)
}

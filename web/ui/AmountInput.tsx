// Entering an amount of dollars, with the separators of any language. Where there are some, what is understood is shown
// below: nobody finds out afterwards that 1.250 was read as 1.25.
import type { ComponentProps } from 'react'
import { useWatch } from 'react-hook-form'
import { centsFrom } from '../lib/amounts.ts'
import { latinDigits } from '../lib/digits.ts'
import { useField } from './form/Field.tsx'
import { Input } from './Input.tsx'
import { Money } from './Money.tsx'

/** `<AmountInput />` inside a FormField. */
export function AmountInput(props: ComponentProps<'input'>) {
  const { name = '' } = useField()
  const typed = String(useWatch({ name }) ?? '')
  const understood = /^\d*$/.test(latinDigits(typed)) ? null : centsFrom(typed)
  return (
    <div>
      <Input inputMode="decimal" autoComplete="off" {...props} />
      <p role="status" className="text-sm text-ink-soft not-empty:mt-1">
        {understood !== null && (
          <>
            <span>{'= '}</span>
            <Money amount={understood} exact />
          </>
        )}
      </p>
    </div>
  )
}

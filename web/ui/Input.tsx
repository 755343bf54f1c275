// Text inputs. Inside a Field they take its id, hint and error by themselves.
import type { ComponentProps } from 'react'
import { classes } from './classes.ts'
import { useField } from './form/Field.tsx'

export const CONTROL_CLASSES = classes(
  'w-full rounded-md border border-line-strong bg-surface text-ink placeholder:text-ink-faint',
  'transition-colors hover:border-ink-soft focus-visible:rounded-md focus-visible:outline-offset-0',
  'aria-invalid:border-danger aria-invalid:border-2 disabled:bg-sunken disabled:text-ink-faint read-only:bg-sunken',
)

/** Of a field with suggestions: its place is kept also where nothing shows it, on the wrong side of text in another direction. */
const WITHOUT_ARROW = '[&[list]::-webkit-calendar-picker-indicator]:hidden!'

/** `<Input type="email" {...register('email')} />` */
export function Input({ className, type = 'text', ...rest }: ComponentProps<'input'>) {
  return (
    <input
      type={type}
      {...useField()}
      className={classes(CONTROL_CLASSES, WITHOUT_ARROW, 'h-11 px-3', className)}
      {...rest}
    />
  )
}

/** `<Textarea rows={5} {...register('description')} />`; grows with its text where the browser can. */
export function Textarea({ className, rows = 4, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea
      rows={rows}
      {...useField()}
      className={classes(CONTROL_CLASSES, 'field-sizing-content min-h-24 px-3 py-2.5', className)}
      {...rest}
    />
  )
}

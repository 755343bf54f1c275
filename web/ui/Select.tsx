// A select in our looks. It is the browser's own: phones show their wheel, keyboards just work.
import { ChevronDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import { classes } from './classes.ts'
import { useField } from './form/Field.tsx'
import { CONTROL_CLASSES } from './Input.tsx'

/** `<Select {...register('category')}><option value="">…</option>…</Select>`; outside a Field give it an aria-label. */
export function Select({ className, children, ...rest }: ComponentProps<'select'>) {
  return (
    <div className={classes('relative', className)}>
      <select
        {...useField()}
        className={classes(
          CONTROL_CLASSES,
          'h-11 appearance-none text-ellipsis ps-3 pe-10 enabled:read-only:bg-surface',
        )}
        {...rest}
      >
        {children}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute end-3 top-1/2 size-5 -translate-y-1/2 text-ink-soft"
      />
    </div>
  )
}

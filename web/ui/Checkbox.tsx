// Checkbox and Switch: the browser's own checkbox drawn our way, so forms can register them.
import { Check } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { classes } from './classes.ts'

type ToggleProps = Omit<ComponentProps<'input'>, 'type' | 'children'> & { label: ReactNode; hint?: ReactNode }

/** `<Checkbox label={t('…')} {...register('tools_provided')} />` */
export function Checkbox({ label, hint, className, ...rest }: ToggleProps) {
  return (
    <label className={classes('group flex items-start gap-3 py-1', className)}>
      <span className="relative mt-0.5 size-5 shrink-0">
        <input
          type="checkbox"
          className="peer absolute inset-0 size-5 appearance-none rounded-sm border border-line-strong bg-surface checked:border-on-wheat/40 checked:bg-wheat disabled:opacity-55"
          {...rest}
        />
        <Check
          aria-hidden
          strokeWidth={3}
          className="pointer-events-none absolute inset-0.5 hidden size-4 text-on-wheat peer-checked:block"
        />
      </span>
      <ToggleText label={label} hint={hint} />
    </label>
  )
}

/** `<Switch label={t('…')} checked={on} onChange={…} />`; takes effect at once, unlike a Checkbox. */
export function Switch({ label, hint, className, ...rest }: ToggleProps) {
  return (
    <label className={classes('flex items-start justify-between gap-4 py-1', className)}>
      <ToggleText label={label} hint={hint} />
      <span className="relative mt-0.5 h-6 w-11 shrink-0">
        <input
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a native checkbox tells its own state
          role="switch"
          className="peer absolute inset-0 size-full appearance-none rounded-full border border-line-strong bg-sunken transition-colors checked:bg-wheat focus-visible:rounded-full disabled:opacity-55"
          {...rest}
        />
        <span
          aria-hidden
          className="pointer-events-none absolute start-1 top-1 size-4 rounded-full bg-ink-soft transition-transform peer-checked:translate-x-5 peer-checked:bg-on-wheat rtl:peer-checked:-translate-x-5"
        />
      </span>
    </label>
  )
}

function ToggleText({ label, hint }: Pick<ToggleProps, 'label' | 'hint'>) {
  return (
    <span className="min-w-0">
      <span className="block">{label}</span>
      {hint && <span className="block text-sm text-ink-faint">{hint}</span>}
    </span>
  )
}

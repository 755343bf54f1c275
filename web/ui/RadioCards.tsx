// A choice among a few, each a card. Native radio buttons, so forms can register the group.
import type { LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { classes } from './classes.ts'
import { FieldError, useErrorInView } from './form/Field.tsx'

type RadioCardsProps = Omit<ComponentProps<'input'>, 'type' | 'value' | 'defaultValue'> & {
  legend: string
  options: { value: string; title: string; hint?: string; icon?: LucideIcon; disabled?: boolean }[]
  /** The chosen value, when the group is controlled; with `register` leave it out. */
  value?: string
  error?: string
}

/** `<RadioCards legend={…} options={[…]} {...register('role')} />` */
export function RadioCards({ legend, options, value, error, className, ...rest }: RadioCardsProps) {
  const whole = useErrorInView<HTMLFieldSetElement>(error)
  return (
    <fieldset ref={whole} className={classes('@container flex min-w-0 flex-col gap-2', className)}>
      <legend className="mb-1.5 font-semibold">{legend}</legend>
      {/* Two are side by side where the words of both fit. */}
      <div className={classes('grid gap-2', options.length === 2 && '@lg:grid-cols-2')}>
        {options.map(({ icon: Icon, ...option }) => (
          <label
            key={option.value}
            className="flex items-start gap-3 rounded-md border border-line-strong bg-surface p-3 transition-colors hover:bg-sunken has-disabled:bg-sunken has-disabled:text-ink-faint has-checked:border-wheat-ink has-checked:bg-wheat-soft has-checked:shadow-[inset_0_0_0_1px_var(--wheat-ink)] has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-sky"
          >
            <input
              type="radio"
              value={option.value}
              checked={value === undefined ? undefined : value === option.value}
              disabled={option.disabled}
              className="mt-1 size-4 shrink-0 appearance-none rounded-full border border-line-strong bg-surface checked:border-[5px] checked:border-wheat-ink focus-visible:outline-none"
              {...rest}
            />
            <span className="min-w-0 flex-1">
              <span className="block font-semibold">{option.title}</span>
              {option.hint && <span className="block text-sm text-ink-soft">{option.hint}</span>}
            </span>
            {Icon && <Icon aria-hidden className="size-5 shrink-0 text-ink-soft" />}
          </label>
        ))}
      </div>
      {error && <FieldError>{error}</FieldError>}
    </fieldset>
  )
}

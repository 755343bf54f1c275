// A bar that fills: a trust score, a wizard's way.
import { Progress as Radix } from 'radix-ui'
import { classes } from './classes.ts'

/** `<Progress label={t('…')} value={72} />`; value and max in the same unit, max 100 by default. */
export function Progress({
  label,
  value,
  max = 100,
  className,
}: {
  label: string
  value: number
  max?: number
  className?: string
}) {
  const share = Math.max(0, Math.min(1, value / max))
  return (
    <Radix.Root
      aria-label={label}
      value={Math.max(0, Math.min(max, value))}
      max={max}
      className={classes('h-2 w-full overflow-hidden rounded-full bg-sunken', className)}
    >
      <Radix.Indicator
        className="h-full rounded-full bg-success transition-[width] duration-500"
        style={{ width: `${share * 100}%` }}
      />
    </Radix.Root>
  )
}

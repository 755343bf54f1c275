// A small turning circle. Alone on a page, give it a label.
import { LoaderCircle } from 'lucide-react'
import { classes } from './classes.ts'

/** `<Spinner />` inside a control, `<Spinner label={t('ui.loading')} />` where it is alone. */
export function Spinner({ label, className }: { label?: string; className?: string }) {
  const icon = <LoaderCircle aria-hidden className={classes('size-5 animate-spin', className)} />
  if (!label) return icon
  return (
    <div role="status" data-waiting className="flex items-center justify-center gap-3 py-12 text-ink-soft">
      {icon}
      <span>{label}</span>
    </div>
  )
}

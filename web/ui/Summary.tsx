// The line that opens a `<details className="group">`, with a chevron that turns over.
import { ChevronDown } from 'lucide-react'
import { classes } from './classes.ts'

/** `<details className="group"><Summary className="text-sky">{t('…')}</Summary>…</details>` */
export function Summary({ className, children }: { className?: string; children: string }) {
  return (
    <summary
      className={classes(
        'flex w-fit cursor-pointer list-none items-center gap-1 [&::-webkit-details-marker]:hidden',
        className,
      )}
    >
      <span>{children}</span>
      <ChevronDown aria-hidden className="size-4 shrink-0 transition-transform group-open:rotate-180" />
    </summary>
  )
}

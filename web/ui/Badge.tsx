// A short word on the state of a thing.
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { classes } from './classes.ts'

const tones = {
  neutral: 'bg-sunken text-ink-soft',
  waiting: 'bg-wheat-soft text-wheat-ink',
  info: 'bg-sky-soft text-sky-deep',
  success: 'bg-success-soft text-success',
  danger: 'bg-danger-soft text-danger',
}

export type Tone = keyof typeof tones

/** `<Badge tone="success" icon={BadgeCheck}>Verified</Badge>` */
export function Badge({
  tone = 'neutral',
  icon: Icon,
  className,
  children,
}: {
  tone?: Tone
  icon?: LucideIcon
  className?: string
  children: ReactNode
}) {
  return (
    <span
      className={classes(
        'inline-flex h-7 items-center gap-1.5 rounded-full px-2.5 text-sm font-semibold whitespace-nowrap',
        tones[tone],
        className,
      )}
    >
      {Icon && <Icon aria-hidden className="size-4 shrink-0" />}
      <span className="contents">{children}</span>
    </span>
  )
}

// The frame of what a booking's money is doing: its progress, and its state in a few words.
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { EscrowSteps } from './EscrowSteps.tsx'

export function Panel({
  icon: Icon,
  title,
  reached,
  children,
}: {
  icon: LucideIcon
  title: string
  /** Steps of the four that are behind; left out when the booking went another way. */
  reached?: number
  children: ReactNode
}) {
  return (
    <section className="flex flex-col gap-4">
      {reached !== undefined && <EscrowSteps reached={reached} />}
      <h3 className="flex items-start gap-2 text-lg leading-snug">
        <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-ink-soft" />
        <span>{title}</span>
      </h3>
      {children}
    </section>
  )
}

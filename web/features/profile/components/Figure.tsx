// One line of a person's record: what it is, and how much; stands in a <dl>.
import type { ReactNode } from 'react'

export function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4 py-2.5">
      <dt className="text-ink-soft">{label}</dt>
      <dd className="tabular font-semibold">{children}</dd>
    </div>
  )
}

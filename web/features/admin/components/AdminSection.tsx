// A part of an admin's page, under its own heading.
import { type ReactNode, useId } from 'react'

export function AdminSection({
  title,
  lead,
  children,
}: {
  title: string
  lead?: string
  children: ReactNode
}) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="mb-10">
      <h2 id={id} className="mb-3 text-xl">
        {title}
      </h2>
      {lead && <p className="-mt-1 mb-3 max-w-prose text-ink-soft">{lead}</p>}
      {children}
    </section>
  )
}

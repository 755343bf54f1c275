// One line of a person's record: its name and its value; used in a <dl>.
import type { ReactNode } from 'react'

/** Whether a count of done tasks says something of this person: who posts tasks or runs the place has none. */
export function worksFor(person: { role: string | null; completed_tasks: number | null }): boolean {
  const works = person.role !== 'task_giver' && person.role !== 'admin'
  return works || (person.completed_tasks ?? 0) > 0
}

type FigureProps = {
  label: string
  /** A button that explains the figure. */
  about?: ReactNode
  children: ReactNode
}

export function Figure({ label, about, children }: FigureProps) {
  return (
    <div className="flex justify-between gap-x-4 py-2.5 max-sm:flex-col max-sm:py-1.5 sm:items-baseline">
      <dt className="flex items-center gap-1 text-ink-soft max-sm:text-sm">
        <span>{label}</span>
        {about}
      </dt>
      <dd className="tabular font-semibold">{children}</dd>
    </div>
  )
}

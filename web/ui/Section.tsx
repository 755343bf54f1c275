// One section of the landing: a heading, a line under it, and the same rhythm throughout.
import { type ReactNode, useId } from 'react'
import { classes } from './classes.ts'

export function Section({
  title,
  lead,
  action,
  className,
  children,
}: {
  title: string
  lead?: string
  action?: ReactNode
  className?: string
  children: ReactNode
}) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={classes('py-16 sm:py-24', className)}>
      <div className="measure">
        <div className="mb-8 flex flex-wrap items-end justify-between gap-x-8 gap-y-4 sm:mb-12">
          <div className="max-w-2xl">
            <h2 id={id} className="text-3xl sm:text-[2.75rem]">
              {title}
            </h2>
            {lead && <p className="mt-3 text-lg text-ink-soft">{lead}</p>}
          </div>
          {action}
        </div>
        {children}
      </div>
    </section>
  )
}

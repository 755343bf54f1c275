// The parts of the Security tab: a group with its heading, next to it on wide screens, and a row of one.
import { type ReactNode, useId } from 'react'

export function SettingGroup({
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
    <section
      aria-labelledby={id}
      className="grid gap-x-8 gap-y-4 @2xl:grid-cols-[15rem_minmax(0,1fr)] @2xl:items-start"
    >
      <header>
        <h2 id={id} className="font-sans text-lg font-semibold">
          {title}
        </h2>
        {lead && <p className="text-ink-soft @2xl:mt-1 @2xl:text-sm">{lead}</p>}
      </header>
      <div className="flex min-w-0 flex-col items-stretch gap-4">{children}</div>
    </section>
  )
}

/** A setting with its state and the button that changes it. */
export function Setting({
  name,
  mark,
  value,
  action,
  children,
}: {
  name: string
  /** An icon before the name. */
  mark?: ReactNode
  value: ReactNode
  action: ReactNode
  /** Below both, over the whole width. */
  children?: ReactNode
}) {
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <div className="min-w-0 flex-1 basis-32">
          <h3 className="flex items-center gap-2 font-sans text-base font-medium">
            {mark}
            <span>{name}</span>
          </h3>
          <div className="text-ink-soft wrap-anywhere">{value}</div>
        </div>
        {action}
      </div>
      {children}
    </div>
  )
}

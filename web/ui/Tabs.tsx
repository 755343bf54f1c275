// Tabs over Radix; the row of tabs scrolls sideways where it does not fit.
import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { formatNumber } from '../lib/format.ts'
import { classes } from './classes.ts'
import { useChosenInSight } from './useChosenInSight.ts'

type Tab<T extends string> = {
  value: T
  label: string
  /** Null while nobody has counted. */
  count?: number | null
  content: ReactNode
}

/** `<Tabs label={…} value={tab} onChange={setTab} tabs={[{ value, label, count, content }]} />` */
export function Tabs<T extends string>({
  label,
  tabs,
  value,
  onChange,
  stretch = false,
}: {
  /** What the tabs choose between, for screen readers. */
  label: string
  tabs: Tab<T>[]
  value: T
  onChange: (value: T) => void
  /** Tabs share the whole width. */
  stretch?: boolean
}) {
  const list = useChosenInSight<HTMLDivElement>(
    '[data-state=active]',
    `${value} ${tabs.map(({ count }) => count)}`,
  )
  return (
    <Radix.Root value={value} onValueChange={(next) => onChange(next as T)}>
      <Radix.List
        ref={list}
        aria-label={label}
        className="mb-6 flex gap-1 overflow-x-auto border-b border-line pt-1 [scrollbar-width:none]"
      >
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className={classes(
              '-mb-px flex h-11 shrink-0 items-center justify-center gap-2 border-b-2 border-transparent px-3 font-semibold whitespace-nowrap text-ink-soft transition-colors hover:text-ink',
              'focus-visible:outline-offset-[-3px] data-[state=active]:border-wheat-deep data-[state=active]:text-ink',
              stretch && 'flex-1',
            )}
          >
            <span>{tab.label}</span>
            {tab.count !== undefined && (
              <span
                translate="no"
                className="tabular min-w-6 rounded-full bg-sunken px-1.5 text-center text-sm font-medium"
              >
                {tab.count === null ? '\u00a0' : formatNumber(tab.count)}
              </span>
            )}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="focus-visible:outline-offset-4">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}

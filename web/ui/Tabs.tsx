// Tabs over Radix. Where the row does not fit, it scrolls sideways, or on a phone becomes a block in which all are in view.
import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { formatNumber } from '../lib/format.ts'
import { classes } from './classes.ts'
import { useScrollSelectedIntoView } from './useScrollSelectedIntoView.ts'

type Tab<T extends string> = {
  value: T
  label: string
  /** Null while nobody has counted. */
  count?: number | null
  content: ReactNode
}

/** How a phone shows them all: so many side by side, a long word with more room. Four are shown two by two. */
const COLUMNS = { two: 'max-sm:grid-cols-[repeat(2,auto)]', three: 'max-sm:grid-cols-[repeat(3,auto)]' }
const BLOCK =
  'max-sm:mb-4 max-sm:grid max-sm:rounded-md max-sm:border max-sm:border-line max-sm:bg-sunken max-sm:p-1'
const CELL =
  'max-sm:mb-0 max-sm:h-auto max-sm:min-h-11 max-sm:flex-wrap max-sm:gap-x-1 max-sm:gap-y-0 max-sm:rounded-sm max-sm:px-0.5 max-sm:py-1 max-sm:text-[0.8125rem] max-sm:leading-tight max-sm:whitespace-normal max-sm:data-[state=active]:bg-surface'

/** `<Tabs label={…} value={tab} onChange={setTab} tabs={[{ value, label, count, content }]} />` */
export function Tabs<T extends string>({
  label,
  tabs,
  value,
  onChange,
  stretch = false,
  allInView = false,
}: {
  /** The purpose of the tabs, for screen readers. */
  label: string
  tabs: Tab<T>[]
  value: T
  onChange: (value: T) => void
  /** Tabs share the whole width. */
  stretch?: boolean
  /** On a phone they are a block of two or three columns, none out of sight. */
  allInView?: boolean
}) {
  const list = useScrollSelectedIntoView<HTMLDivElement>(
    '[data-state=active]',
    `${value} ${tabs.map(({ count }) => count)}`,
  )
  return (
    <Radix.Root value={value} onValueChange={(next) => onChange(next as T)}>
      <Radix.List
        ref={list}
        aria-label={label}
        className={classes(
          'mb-6 flex gap-1 overflow-x-auto border-b border-line pt-1 [scrollbar-width:none]',
          allInView && [BLOCK, tabs.length === 2 || tabs.length === 4 ? COLUMNS.two : COLUMNS.three],
        )}
      >
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className={classes(
              '-mb-px flex h-11 shrink-0 items-center justify-center gap-2 border-b-2 border-transparent px-3 font-semibold whitespace-nowrap text-ink-soft transition-colors hover:text-ink',
              'focus-visible:outline-offset-[-3px] data-[state=active]:border-wheat-deep data-[state=active]:text-ink',
              stretch && 'flex-1',
              allInView && CELL,
            )}
          >
            <span>{tab.label}</span>
            {tab.count !== undefined && (
              <span
                translate="no"
                className={classes(
                  'tabular min-w-6 rounded-full bg-sunken px-1.5 text-center text-sm font-medium',
                  allInView && 'max-sm:min-w-0 max-sm:px-1 max-sm:text-xs',
                )}
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

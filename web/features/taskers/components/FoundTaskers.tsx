// The taskers that a search has found, with how many there are and the button for more.
import { type ComponentProps, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { MorePages } from '../../../ui/MorePages.tsx'
import { MAX_COUNTED, type Tasker } from '../api/search.ts'
import { TaskerGrid } from './TaskerCard.tsx'

type FoundTaskersProps = Pick<
  ComponentProps<typeof TaskerGrid>,
  'heart' | 'reader' | 'className' | 'gradual' | 'onClickCapture'
> & {
  /** At least one. */
  taskers: Tasker[]
  /** Of how many, up to MAX_COUNTED; undefined while it is not known. */
  all: number | undefined
  pages: ComponentProps<typeof MorePages>['pages']
}

export function FoundTaskers({ taskers, all, pages, ...grid }: FoundTaskersProps) {
  const { t } = useTranslation()
  const list = useRef<HTMLElement>(null)
  const shown = taskers.length
  const more = pages.hasNextPage
  return (
    <>
      <p role="status" className="mb-4 text-ink-soft max-sm:mb-1 max-sm:text-xs max-sm:leading-tight">
        {!more || all === undefined || shown >= all
          ? t(more ? 'taskers.foundFirst' : 'taskers.found', { count: shown })
          : t('taskers.foundOf', { shown, all: allOf(all) })}
      </p>
      <TaskerGrid ref={list} taskers={taskers} total={more ? counted(all) : shown} {...grid} />
      {/* Above the list it says how many there are. */}
      <MorePages pages={pages} list={list} shown={shown} total={null} label={t('taskers.more')} />
    </>
  )

  function allOf(count: number) {
    return count < MAX_COUNTED ? formatNumber(count) : t('taskers.orMore', { count: formatNumber(count) })
  }
}

/** As many as were counted, where the database counted them all. */
const counted = (all = MAX_COUNTED) => (all < MAX_COUNTED ? all : undefined)

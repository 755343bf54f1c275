// Below a list that is read page by page: how many of how many are shown, and the button for the next ones.
import { type RefObject, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../lib/format.ts'
import { Button } from './Button.tsx'

type MorePagesProps = {
  /** An infinite query that has another page. */
  pages: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
  /** The list itself, whose rows are its children or say their places: the focus goes on in it when the button is gone. */
  list: RefObject<HTMLElement | null>
  shown: number
  /** Of how many; undefined while it is being counted, null where nobody counts. */
  total: number | null | undefined
  /** From this number on the total means as many or more. */
  maxCounted?: number
  label: string
}

export function MorePages({ pages, list, shown, total, maxCounted, label }: MorePagesProps) {
  const { t } = useTranslation()
  /** How many rows there were when the last page was asked for. */
  const [asked, setAsked] = useState<number>()
  useEffect(() => {
    if (asked === undefined || shown <= asked) return
    setAsked(undefined)
    if (pages.hasNextPage) return
    const next =
      list.current?.querySelector<HTMLElement>(`[aria-posinset="${asked + 1}"]`) ??
      (list.current?.children[asked] as HTMLElement | undefined)
    const target = next?.querySelector<HTMLElement>('a, button') ?? next
    if (target && !target.matches('a, button')) target.tabIndex = -1
    target?.focus()
  }, [asked, shown, pages.hasNextPage, list])
  if (!pages.hasNextPage) return null
  return (
    <div className="mt-6 flex flex-col items-center gap-3">
      {total !== null && (total === undefined || total > shown) && (
        <p role="status" className="tabular min-h-lh text-sm text-ink-soft">
          {total !== undefined &&
            t('ui.shownOf', {
              shown: formatNumber(shown),
              total:
                maxCounted && total >= maxCounted
                  ? t('ui.orMore', { count: formatNumber(total) })
                  : formatNumber(total),
            })}
        </p>
      )}
      <Button
        variant="secondary"
        loading={pages.isFetchingNextPage}
        onClick={() => {
          setAsked(shown)
          pages.fetchNextPage()
        }}
      >
        {label}
      </Button>
    </div>
  )
}

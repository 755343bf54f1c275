// The list of what a search finds, page by page.
import { skipToken, useQuery } from '@tanstack/react-query'
import { Children, type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { classes } from '../../../ui/classes.ts'
import { MorePages } from '../../../ui/MorePages.tsx'
import { type CountQuery, MAX_COUNTED } from '../api/counts.ts'

type PagesProps = {
  /** An infinite query. */
  pages: {
    isPlaceholderData: boolean
    hasNextPage: boolean
    isFetchingNextPage: boolean
    fetchNextPage: () => unknown
  }
  /** How many rows there are in all. */
  count: CountQuery
  /** One for each row. */
  children: ReactNode
}

/** Rows in a frame, faded while another search is on its way, with a way to the next ones. */
export function ListPages({ pages, count, children }: PagesProps) {
  const { t } = useTranslation()
  const list = useRef<HTMLUListElement>(null)
  // Without another page, the list itself shows how many there are.
  const total = useQuery(
    pages.hasNextPage ? count : { queryKey: ['admin', 'count'], queryFn: skipToken },
  ).data
  return (
    <>
      <ul
        ref={list}
        aria-busy={pages.isPlaceholderData}
        className={classes(
          'divide-y divide-line rounded-lg border border-line bg-surface transition-opacity',
          pages.isPlaceholderData && 'opacity-55',
        )}
      >
        {children}
      </ul>
      <MorePages
        pages={pages}
        list={list}
        shown={Children.count(children)}
        total={total}
        maxCounted={MAX_COUNTED}
        label={t('admin.more')}
      />
    </>
  )
}

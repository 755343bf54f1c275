// The list of what a search finds, page by page.
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/Button.tsx'
import { classes } from '../../../ui/classes.ts'

type PagesProps = {
  /** An infinite query. */
  pages: {
    isPlaceholderData: boolean
    hasNextPage: boolean
    isFetchingNextPage: boolean
    fetchNextPage: () => unknown
  }
  children: ReactNode
}

/** Rows in a frame, faded while another search is on its way, with a way to the next ones. */
export function ListPages({ pages, children }: PagesProps) {
  const { t } = useTranslation()
  return (
    <>
      <ul
        className={classes(
          'divide-y divide-line rounded-lg border border-line bg-surface transition-opacity',
          pages.isPlaceholderData && 'opacity-55',
        )}
      >
        {children}
      </ul>
      {pages.hasNextPage && (
        <div className="mt-6 flex justify-center">
          <Button
            variant="secondary"
            loading={pages.isFetchingNextPage}
            onClick={() => pages.fetchNextPage()}
          >
            {t('admin.more')}
          </Button>
        </div>
      )}
    </>
  )
}

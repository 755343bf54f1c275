// The search above a list, and the list of what it finds, page by page.
import { Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/Button.tsx'
import { classes } from '../../ui/classes.ts'
import { Input } from '../../ui/Input.tsx'

type SearchProps = { label: string; text: string; onType: (text: string) => void }

export function ListSearch({ label, text, onType }: SearchProps) {
  return (
    <search className="relative mb-5 block max-w-md">
      <Search
        aria-hidden
        className="pointer-events-none absolute start-3.5 top-1/2 size-5 -translate-y-1/2 text-ink-faint"
      />
      <Input
        type="search"
        enterKeyHint="search"
        maxLength={200}
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => onType(event.target.value)}
        className="ps-11"
      />
    </search>
  )
}

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

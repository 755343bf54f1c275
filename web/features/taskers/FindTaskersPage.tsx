// /find-taskers: verified taskers, searched by name, skills or bio (spec 000 §2 'Find taskers').
import { useInfiniteQuery } from '@tanstack/react-query'
import { UserSearch } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { useDebounced } from '../../lib/useDebounced.ts'
import { Button } from '../../ui/Button.tsx'
import { classes } from '../../ui/classes.ts'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { taskersQuery } from './api/queries.ts'
import { TaskerGrid } from './TaskerCard.tsx'

const TYPING_DELAY_MS = 300

export default function FindTaskersPage() {
  const { t } = useTranslation()
  const [address] = useSearchParams()
  const [text, setText] = useState(address.get('search') ?? '')
  const search = useDebounced(text.trim(), TYPING_DELAY_MS)
  useEffect(() => keepInAddress(search), [search])
  const taskers = useInfiniteQuery(taskersQuery(search))
  const { isError } = taskers
  useEffect(() => {
    if (isError) toast.error(t('taskers.failed'))
  }, [isError, t])

  const found = taskers.data
  return (
    <Page>
      <PageHeader title={t('taskers.title')} subtitle={t('taskers.lead')} />
      <SearchField label={t('taskers.search')} text={text} onType={setText} size="lg" />
      {taskers.isPending && <Spinner label={t('ui.loading')} />}
      {isError && !found && (
        <ErrorState
          title={t('taskers.failed')}
          error={taskers.error}
          onRetry={() => void taskers.refetch()}
        />
      )}
      {found && found.length === 0 && (
        <EmptyState
          icon={UserSearch}
          title={t('taskers.none')}
          body={search ? t('taskers.noneSearch') : t('taskers.noneYet')}
        />
      )}
      {found && found.length > 0 && (
        <>
          <p role="status" className="sr-only">
            {t('taskers.found', { count: found.length })}
          </p>
          <TaskerGrid
            taskers={found}
            // Also when a profile is followed before the clock has ended.
            onClickCapture={() => keepInAddress(text.trim())}
            className={classes('transition-opacity', taskers.isPlaceholderData && 'opacity-55')}
          />
          {taskers.hasNextPage && (
            <div className="mt-8 flex justify-center">
              <Button
                variant="secondary"
                size="lg"
                loading={taskers.isFetchingNextPage}
                onClick={() => taskers.fetchNextPage()}
              >
                {t('taskers.more')}
              </Button>
            </div>
          )}
        </>
      )}
    </Page>
  )
}

/** Keeps the search in the address, for who comes back from a profile; no step of its own in the history. */
function keepInAddress(search: string) {
  const url = new URL(location.href)
  // A profile was followed while the clock ran: the address is the profile's already.
  if (url.pathname !== paths.findTaskers || (url.searchParams.get('search') ?? '') === search) return
  if (search) url.searchParams.set('search', search)
  else url.searchParams.delete('search')
  history.replaceState(history.state, '', url)
}

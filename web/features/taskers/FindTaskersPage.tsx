// /find-taskers: verified taskers, searched by name, skills or bio (spec 000 §2 'Find taskers') and narrowed by city,
// category, rate and availability. The address has all of it.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { isUnreachable } from '../../lib/errorText.ts'
import { paths } from '../../lib/paths.ts'
import { useRole, useSession } from '../../lib/session.tsx'
import { useDebounced } from '../../lib/useDebounced.ts'
import { classes } from '../../ui/classes.ts'
import { EarlyPart } from '../../ui/EarlyPart.tsx'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { taskerCountQuery, taskersQuery } from './api/queries.ts'
import { FavouriteButton } from './components/FavouriteButton.tsx'
import { FoundTaskers } from './components/FoundTaskers.tsx'
import { NoTaskers } from './components/NoTaskers.tsx'
import { TaskerFilters } from './components/TaskerFilters.tsx'
import { type TaskerFilters as Filters, filtersFrom, noFilters } from './filters.ts'

const TYPING_DELAY_MS = 300

export default function FindTaskersPage() {
  const { t } = useTranslation()
  const [address, setAddress] = useSearchParams()
  const filters = filtersFrom(address)
  const { text, setText, search } = useSearchText(address)
  const narrow = (change: Partial<Filters> & { search?: string }) => {
    const next = { ...filters, search: text.trim(), ...change }
    setAddress(
      Object.entries(next).filter(([, value]) => value !== ''),
      { preventScrollReset: true },
    )
  }
  const { user } = useSession()
  const posts = useRole() !== 'task_doer'
  const taskers = useInfiniteQuery(taskersQuery(search, filters))
  const count = useQuery({ ...taskerCountQuery(search, filters), enabled: taskers.hasNextPage })
  const { isError } = taskers
  // The page itself reports a lost connection, and fills itself once it is back.
  const refused = isError && !isUnreachable(taskers.error)
  // Cards are drawn in small pieces, between which the page answers.
  const found = useDeferredValue(taskers.data)
  useEffect(() => {
    if (refused) toast.error(t('taskers.failed'))
  }, [refused, t])
  const narrowed = [search, ...Object.values(filters)].some(Boolean)
  return (
    <Page className="max-sm:pt-1.5">
      <PageHeader
        title={<span className="block max-sm:text-xl">{t('taskers.title')}</span>}
        subtitle={<span className="max-sm:hidden">{t('taskers.lead')}</span>}
        className="max-sm:mb-1"
      />
      <SearchField label={t('taskers.search')} text={text} onType={setText} size="lg" />
      <TaskerFilters filters={filters} onChange={narrow} />
      <EarlyPart name="list">
        {!found && !taskers.isError && (
          // As high as most lists: what is below them does not move when one has come.
          <div className="min-h-dvh">
            <Spinner label={t('ui.loading')} />
          </div>
        )}
        {isError && !found && (
          <ErrorState
            offlineTitle={t('taskers.failed')}
            error={taskers.error}
            onRetry={() => void taskers.refetch()}
          />
        )}
        {found && found.length === 0 && (
          <NoTaskers
            narrowed={narrowed}
            posts={posts}
            {...filters}
            onShowAll={() => narrow({ search: '', ...noFilters })}
          />
        )}
        {found && found.length > 0 && (
          <FoundTaskers
            taskers={found}
            all={count.data}
            pages={taskers}
            heart={FavouriteButton}
            reader={{ id: user?.id, asks: posts, free: filters.free, minutes: filters.minutes }}
            // Also when a profile is followed before the clock has ended.
            onClickCapture={() => keepInAddress(text.trim())}
            className={classes('transition-opacity', taskers.isPlaceholderData && 'opacity-55')}
          />
        )}
      </EarlyPart>
    </Page>
  )
}

/** The typed search, and what is searched for once the typing pauses. */
function useSearchText(address: URLSearchParams) {
  const asked = address.get('search') ?? ''
  const [text, setText] = useState(asked)
  const [before, setBefore] = useState(address)
  // The address changed by itself (back, forward, a filter): the box follows it.
  if (address !== before) {
    setBefore(address)
    setText(asked)
  }
  const search = useDebounced(text.trim(), TYPING_DELAY_MS)
  useEffect(() => keepInAddress(search), [search])
  return { text, setText, search }
}

/** Keeps the search in the address, for people who come back from a profile, without a separate step in the history. */
function keepInAddress(search: string) {
  const url = new URL(location.href)
  // A profile was followed while the clock ran: the address is the profile's already.
  if (!url.pathname.endsWith(paths.findTaskers) || (url.searchParams.get('search') ?? '') === search) return
  if (search) url.searchParams.set('search', search)
  else url.searchParams.delete('search')
  history.replaceState(history.state, '', url)
}

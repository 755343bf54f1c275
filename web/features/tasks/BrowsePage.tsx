// /browse: open tasks for anyone, the ones that suit a tasker first (specification 001 §2, §6). The address holds
// the search, the filters and the order, so that back and shared links work.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense, useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useRoleQuery, useSession } from '../../lib/session.tsx'
import { classes } from '../../ui/classes.ts'
import { EarlyPart } from '../../ui/EarlyPart.tsx'
import { lazyPart } from '../../ui/lazyPart.ts'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { appliedTasksQuery, openTasksQuery, taskCountQuery } from './api/queries.ts'
import {
  type Browsing,
  browsingFrom,
  everywhere,
  type Filters,
  isSpecific,
  NEAR_SORTS,
  noFilters,
  SORTS,
  type Sort,
  STRANGER_SORTS,
  searchOf,
} from './browsing.ts'
import { CategoryChoice, SearchBox, SortChoice } from './components/BrowseFilters.tsx'
import { NearChoice } from './components/NearChoice.tsx'
import { NoTasks } from './components/NoTasks.tsx'
import { TaskCardSkeleton } from './components/TaskCard.tsx'
import { TaskFilterChips, TaskFilters } from './components/TaskFilters.tsx'
import { ShownTasks, TaskList } from './components/TaskList.tsx'
import { type Near, useNear } from './useNear.ts'

const NearBar = lazyPart(() => import('./components/NearBar.tsx'))
const SaveSearch = lazyPart(() => import('./components/SaveSearch.tsx'))

export default function BrowsePage() {
  const { status, user } = useSession()
  const role = useRoleQuery()
  const isDoer = role.data === 'task_doer'
  const known = status === 'signedOut' || (status === 'signedIn' && !role.isPending)

  const tasker = isDoer ? user?.id : undefined
  const offered = isDoer ? SORTS : STRANGER_SORTS
  const { browsing, narrow } = useBrowsing(offered)
  const { near, origin } = useNear(browsing, tasker)
  const shown = near.state === 'lost' ? everywhere(browsing, offered) : browsing
  const around = near.state === 'found' ? near.position : undefined
  const located = near.state !== 'reading' && near.state !== 'failed'
  const tasks = useInfiniteQuery({ ...openTasksQuery(shown, around), enabled: known && located })
  const applied = useQuery({ ...appliedTasksQuery(user?.id), enabled: isDoer && user !== null })
  // Cards are drawn in small pieces, between which the page answers.
  const listed = useDeferredValue(tasks.data)
  const count = useQuery({ ...taskCountQuery(shown, around), enabled: known && located && tasks.hasNextPage })
  const narrowed = [shown.search, shown.category, shown.near, ...Object.values(filtersOf(shown))].some(
    Boolean,
  )

  return (
    <Page className="max-sm:pt-1.5">
      <Header isDoer={isDoer} narrowed={narrowed}>
        {listed && (
          <ShownTasks
            shown={listed.length}
            more={tasks.hasNextPage}
            all={count.isError ? undefined : count.data}
          />
        )}
      </Header>
      <Choices
        browsing={browsing}
        near={near.state}
        offered={shown.near ? NEAR_SORTS : offered}
        narrow={narrow}
        saves={user !== null}
        tasker={tasker}
      />
      <EarlyPart name="list">
        {listed?.length ? (
          <div className={classes('transition-opacity', tasks.isPlaceholderData && 'opacity-55')}>
            <TaskList
              tasks={listed}
              reader={{ id: user?.id, isDoer, applied: applied.data }}
              origin={origin}
              more={
                tasks.hasNextPage
                  ? { loading: tasks.isFetchingNextPage, onLoad: () => void tasks.fetchNextPage() }
                  : undefined
              }
            />
          </div>
        ) : listed ? (
          <NoTasks
            filtered={narrowed}
            posts={!isDoer}
            category={browsing.category}
            onShowAll={() =>
              narrow({ search: '', category: '', ...noFilters, ...NOWHERE }, { replace: false })
            }
          />
        ) : near.state === 'failed' ? (
          <ErrorState error={near.error} onRetry={near.onRetry} />
        ) : tasks.isLoadingError || role.isLoadingError ? (
          <ErrorState
            error={tasks.error ?? role.error}
            onRetry={() => (role.isLoadingError ? role.refetch() : tasks.refetch())}
          />
        ) : (
          <Loading />
        )}
      </EarlyPart>
    </Page>
  )
}

/** Changes what is given; '' takes it out of the address. */
type Narrow = (change: Partial<Record<keyof Browsing, string>>, options: { replace: boolean }) => void

/** Without a point; the orders of lists near a point are others. */
const NOWHERE = { near: '', km: '', sort: '' }

/** The choices in the address, and changing some of them. */
function useBrowsing(offered: readonly Sort[]): { browsing: Browsing; narrow: Narrow } {
  const [address, setAddress] = useSearchParams()
  const narrow: Narrow = (change, { replace }) =>
    setAddress(
      () => {
        // As the address is now: a search that was typed may come after filters that are not drawn yet.
        const now = Object.fromEntries(new URLSearchParams(window.location.search))
        const next = { ...now, ...change }
        return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ''))
      },
      { replace, preventScrollReset: true },
    )
  return { browsing: browsingFrom(address, offered), narrow }
}

const filtersOf = ({ place, min, max, from, to }: Browsing) => ({ place, min, max, from, to })

type HeaderProps = { isDoer: boolean; narrowed: boolean; children: ReactNode }

/** `children`: how many tasks are shown. */
function Header({ isDoer, narrowed, children }: HeaderProps) {
  const { t } = useTranslation()
  return (
    <PageHeader
      title={
        <span className="block max-sm:text-xl">
          {t(isDoer ? 'tasks.recommendedTitle' : 'tasks.browseTitle')}
        </span>
      }
      subtitle={
        <span className="max-sm:hidden">
          {t(isDoer ? 'tasks.recommendedSubtitle' : 'tasks.browseSubtitle')}
        </span>
      }
      actions={
        // On a phone the screen is for cards, until one has asked for some of them.
        <div
          aria-live="polite"
          className={classes(
            'text-ink-soft sm:min-h-6',
            narrowed ? 'max-sm:min-h-5 max-sm:text-sm' : 'max-sm:sr-only',
          )}
        >
          <EarlyPart name="count">{children}</EarlyPart>
        </div>
      }
      className="mb-6 max-sm:mb-1 max-sm:gap-y-0"
    />
  )
}

type ChoicesProps = {
  browsing: Browsing
  near: Near['state']
  offered: readonly Sort[]
  narrow: Narrow
  saves: boolean
  tasker: string | undefined
}

function Choices({ browsing, near, offered, narrow, saves, tasker }: ChoicesProps) {
  const filters = filtersOf(browsing)
  const search = searchOf(browsing)
  const choose = (change: Parameters<Narrow>[0]) => narrow(change, { replace: false })
  const filter = (next: Filters) => choose({ ...next, ...(next.place && browsing.near && NOWHERE) })
  return (
    <div className="mb-5 flex flex-col gap-3 max-sm:mb-1.5 max-sm:gap-1">
      {/* On a wide screen the categories have the second row for themselves. */}
      <div className="grid grid-cols-[auto_minmax(0,1fr)_auto_auto] gap-3 max-sm:gap-x-2 max-sm:gap-y-1 lg:grid-cols-[minmax(0,1fr)_auto_auto_auto]">
        <div className="col-span-2 flex lg:col-span-1">
          <SearchBox search={browsing.search} onSearch={(search) => narrow({ search }, { replace: true })} />
        </div>
        <TaskFilters filters={filters} onChange={filter} />
        <SortChoice
          sort={browsing.sort}
          offered={offered}
          onChoose={(sort: Sort) => choose({ sort: sort === offered[0] ? '' : sort })}
        />
        <NearChoice
          isChosen={browsing.near !== ''}
          tasker={tasker}
          onChoose={(near, km) => choose({ ...NOWHERE, place: '', near, ...(km && { km: String(km) }) })}
        />
        <div className="min-w-0 max-lg:col-span-3 lg:col-span-4">
          <CategoryChoice category={browsing.category} onChoose={(category) => choose({ category })} />
        </div>
      </div>
      {browsing.near && (
        <Suspense fallback={<div className="h-9" />}>
          <NearBar
            browsing={browsing}
            state={near}
            onRadius={(km) => choose({ km: String(km) })}
            onClear={() => choose(NOWHERE)}
          />
        </Suspense>
      )}
      <TaskFilterChips filters={filters} onChange={filter} />
      {saves && isSpecific(search) && (
        <Suspense>
          <SaveSearch search={search} />
        </Suspense>
      )}
    </div>
  )
}

function Loading() {
  const { t } = useTranslation()
  return (
    <div aria-busy className="grid gap-2.5 lg:grid-cols-2">
      <span role="status" className="sr-only">
        {t('ui.loading')}
      </span>
      {[1, 2, 3, 4, 5, 6].map((card) => (
        <TaskCardSkeleton key={card} />
      ))}
    </div>
  )
}

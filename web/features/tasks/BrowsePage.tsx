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
  isSpecific,
  noFilters,
  SORTS,
  type Sort,
  STRANGER_SORTS,
  searchOf,
} from './browsing.ts'
import { CategoryChoice, SearchBox, SortChoice } from './components/BrowseFilters.tsx'
import { NoTasks } from './components/NoTasks.tsx'
import { TaskCardSkeleton } from './components/TaskCard.tsx'
import { TaskFilterChips, TaskFilters } from './components/TaskFilters.tsx'
import { ShownTasks, TaskList } from './components/TaskList.tsx'

const SaveSearch = lazyPart(() => import('./components/SaveSearch.tsx'))

export default function BrowsePage() {
  const { status, user } = useSession()
  const role = useRoleQuery()
  const isDoer = role.data === 'task_doer'
  const known = status === 'signedOut' || (status === 'signedIn' && !role.isPending)

  const offered = isDoer ? SORTS : STRANGER_SORTS
  const { browsing, narrow } = useBrowsing(offered)
  const tasks = useInfiniteQuery({ ...openTasksQuery(browsing), enabled: known })
  const applied = useQuery({ ...appliedTasksQuery(user?.id), enabled: isDoer && user !== null })
  // Cards are drawn in small pieces, between which the page answers.
  const listed = useDeferredValue(tasks.data)
  const count = useQuery({ ...taskCountQuery(browsing), enabled: known && tasks.hasNextPage })
  const narrowed = [browsing.search, browsing.category, ...Object.values(filtersOf(browsing))].some(Boolean)

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
      <Choices browsing={browsing} offered={offered} narrow={narrow} saves={user !== null} />
      <EarlyPart name="list">
        {listed?.length ? (
          <div className={classes('transition-opacity', tasks.isPlaceholderData && 'opacity-55')}>
            <TaskList
              tasks={listed}
              reader={{ id: user?.id, isDoer, applied: applied.data }}
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
            onShowAll={() => narrow({ search: '', category: '', ...noFilters }, { replace: false })}
          />
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

type Narrow = (change: Partial<Browsing>, options: { replace: boolean }) => void

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

type ChoicesProps = { browsing: Browsing; offered: readonly Sort[]; narrow: Narrow; saves: boolean }

function Choices({ browsing, offered, narrow, saves }: ChoicesProps) {
  const filters = filtersOf(browsing)
  const search = searchOf(browsing)
  return (
    <div className="mb-5 flex flex-col gap-3 max-sm:mb-1.5 max-sm:gap-1">
      <div className="flex gap-3 max-sm:gap-2">
        <SearchBox search={browsing.search} onSearch={(search) => narrow({ search }, { replace: true })} />
        <TaskFilters filters={filters} onChange={(next) => narrow(next, { replace: false })} />
        <SortChoice
          sort={browsing.sort}
          offered={offered}
          onChoose={(sort: Sort) =>
            narrow({ sort: sort === offered[0] ? ('' as Sort) : sort }, { replace: false })
          }
        />
      </div>
      <CategoryChoice
        category={browsing.category}
        onChoose={(category) => narrow({ category }, { replace: false })}
      />
      <TaskFilterChips filters={filters} onChange={(next) => narrow(next, { replace: false })} />
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

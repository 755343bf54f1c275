// /browse: open tasks for anyone, the ones that suit a tasker first (specification 001 §2, §6). The address holds
// the search, the filters and the order, so that back and shared links work.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import type { Position } from '../../../shared/distances.ts'
import { useRoleQuery, useSession } from '../../lib/session.tsx'
import { useStore } from '../../lib/useStore.ts'
import { rememberWideMap, wideMap } from '../../lib/wideMap.ts'
import { classes } from '../../ui/classes.ts'
import { EarlyPart } from '../../ui/EarlyPart.tsx'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { useWide } from '../../ui/windowWidth.ts'
import { appliedTasksQuery, openTasksQuery, taskCountQuery } from './api/queries.ts'
import {
  type Browsing,
  browsingFrom,
  everywhere,
  filtersOf,
  NEAR_SORTS,
  noFilters,
  SORTS,
  type Sort,
  STRANGER_SORTS,
  searchOf,
} from './browsing.ts'
import { BrowseChoices, type Narrow, NOWHERE } from './components/BrowseChoices.tsx'
import { NoTasks } from './components/NoTasks.tsx'
import { TaskCardSkeleton } from './components/TaskCard.tsx'
import { ShownTasks, TaskList } from './components/TaskList.tsx'
import { useMarks } from './useMarks.ts'
import { useNear } from './useNear.ts'

// Far larger than the page itself.
const TaskMap = lazy(() => import('./components/TaskMap.tsx'))

export default function BrowsePage() {
  const { role, reader } = useReader()
  const { id, isDoer } = reader
  const tasker = isDoer ? id : undefined
  const offered = isDoer ? SORTS : STRANGER_SORTS
  const { browsing, hasMap, narrow, switchMap } = useBrowsing(offered)
  const { pointed, chosen, onChosen, listEvents } = useMarks()
  const { near, origin } = useNear(browsing, tasker)
  const shown = near.state === 'lost' ? everywhere(browsing, offered) : browsing
  const around = near.state === 'found' ? near.position : undefined
  const isLocated = near.state !== 'reading' && near.state !== 'failed'
  const { tasks, listed, all, more } = useTasks(shown, around, isLocated)
  const narrowed = isNarrowedBy(shown)
  const showAll = () => narrow({ search: '', category: '', ...noFilters, ...NOWHERE }, { replace: false })
  const search = (near: string, km: number) =>
    narrow({ ...NOWHERE, place: '', near, km: String(km) }, { replace: false })
  const retry = () =>
    near.state === 'failed' ? near.onRetry() : role.isLoadingError ? role.refetch() : tasks.refetch()

  return (
    <Page className="max-sm:pt-1.5">
      <Header isDoer={isDoer} narrowed={narrowed}>
        {listed && <ShownTasks shown={listed.length} more={tasks.hasNextPage} all={all} />}
      </Header>
      <BrowseChoices
        browsing={browsing}
        near={near.state}
        offered={shown.near ? NEAR_SORTS : offered}
        narrow={narrow}
        search={id && isLocated ? searchOf(shown, around) : null}
        tasker={tasker}
        hasMap={hasMap}
        onMap={switchMap}
      />
      <div className={classes(hasMap && 'xl:grid xl:grid-cols-2 xl:gap-5')}>
        <div className={classes(hasMap && 'max-xl:hidden')} {...listEvents}>
          <EarlyPart name="list">
            {listed?.length ? (
              <div className={classes('transition-opacity', tasks.isPlaceholderData && 'opacity-55')}>
                <TaskList
                  tasks={listed}
                  reader={reader}
                  origin={origin}
                  isNarrow={hasMap}
                  current={chosen}
                  more={more}
                />
              </div>
            ) : listed ? (
              <NoTasks filtered={narrowed} posts={!isDoer} category={browsing.category} onShowAll={showAll} />
            ) : near.state === 'failed' || tasks.isLoadingError || role.isLoadingError ? (
              <ErrorState
                error={near.state === 'failed' ? near.error : (tasks.error ?? role.error)}
                onRetry={retry}
              />
            ) : (
              <Loading isNarrow={hasMap} />
            )}
          </EarlyPart>
        </div>
        {hasMap && (
          <MapPane>
            <TaskMap
              tasks={listed}
              reader={reader}
              origin={origin}
              around={around}
              km={shown.km}
              more={more}
              pointed={pointed}
              onChosen={onChosen}
              onSearch={search}
            />
          </MapPane>
        )}
      </div>
    </Page>
  )
}

const isNarrowedBy = (browsing: Browsing) =>
  [browsing.search, browsing.category, browsing.near, ...Object.values(filtersOf(browsing))].some(Boolean)

function useReader() {
  const { user } = useSession()
  const role = useRoleQuery()
  const isDoer = role.data === 'task_doer'
  const applied = useQuery({ ...appliedTasksQuery(user?.id), enabled: isDoer && user !== null })
  return { role, reader: { id: user?.id, isDoer, applied: applied.data } }
}

/** The listed tasks, with their number in `all` once it is known; not read before `isLocated`. */
function useTasks(browsing: Browsing, around: Position | undefined, isLocated: boolean) {
  const { status } = useSession()
  const role = useRoleQuery()
  const enabled = isLocated && (status === 'signedOut' || (status === 'signedIn' && !role.isPending))
  const tasks = useInfiniteQuery({ ...openTasksQuery(browsing, around), enabled })
  const count = useQuery({ ...taskCountQuery(browsing, around), enabled: enabled && tasks.hasNextPage })
  // Cards are drawn in small pieces, between which the page answers.
  const listed = useDeferredValue(tasks.data)
  const more = tasks.hasNextPage
    ? { loading: tasks.isFetchingNextPage, onLoad: () => void tasks.fetchNextPage() }
    : undefined
  return { tasks, listed, all: count.isError ? undefined : count.data, more }
}

/** As high as the window below the header; next to the list it stays in view. */
function MapPane({ children }: { children: ReactNode }) {
  return (
    <div className="h-[calc(100dvh-12rem)] min-h-96 max-sm:h-[calc(100dvh-15.5rem)] max-sm:min-h-80 xl:sticky xl:top-20 xl:h-[calc(100dvh-6rem)]">
      <Suspense fallback={<Skeleton className="size-full rounded-lg" />}>{children}</Suspense>
    </div>
  )
}

/** The choices in the address, and changing some of them. */
function useBrowsing(offered: readonly Sort[]) {
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
  const isWide = useWide()
  const isKept = useStore(wideMap)
  const hasMap = address.get('view') === 'map' || (isWide && isKept)
  // In a wide window the map is a setting of the device; in others, Back leaves it.
  const switchMap = () => {
    if (isWide) rememberWideMap(!hasMap)
    if (!isWide || hasMap) narrow({ view: hasMap ? '' : 'map' }, { replace: isWide })
  }
  return { browsing: browsingFrom(address, offered), hasMap, narrow, switchMap }
}

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

function Loading({ isNarrow }: { isNarrow: boolean }) {
  const { t } = useTranslation()
  return (
    <div aria-busy className={classes('grid gap-2.5', !isNarrow && 'lg:grid-cols-2')}>
      <span role="status" className="sr-only">
        {t('ui.loading')}
      </span>
      {[1, 2, 3, 4, 5, 6].map((card) => (
        <TaskCardSkeleton key={card} />
      ))}
    </div>
  )
}

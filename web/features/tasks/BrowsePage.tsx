// /browse: open tasks for anyone, the ones that suit a tasker first (specification 001 §2, §6). The address holds
// the search, the category and the order, so that back and shared links work.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useRoleQuery, useSession } from '../../lib/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { classes } from '../../ui/classes.ts'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { appliedTasksQuery, type Browsing, openTasksQuery, type Sort, sorts } from './api/queries.ts'
import { CategoryChoice, SearchBox, SortChoice } from './components/BrowseFilters.tsx'
import { TaskCard, TaskCardSkeleton } from './components/TaskCard.tsx'

export default function BrowsePage() {
  const { t } = useTranslation()
  const { status, user } = useSession()
  const role = useRoleQuery()
  const isDoer = role.data === 'task_doer'
  const known = status === 'signedOut' || (status === 'signedIn' && !role.isPending)

  const offered = isDoer ? sorts : sorts.filter((sort) => sort !== 'recommended')
  const [address, setAddress] = useSearchParams()
  const browsing: Browsing = {
    search: address.get('search')?.trim() ?? '',
    category: address.get('category') ?? '',
    sort: offered.find((sort) => sort === address.get('sort')) ?? offered[0] ?? 'newest',
  }
  const narrow = (change: Partial<Browsing>, { replace }: { replace: boolean }) =>
    setAddress(
      (now) => {
        const next = { ...Object.fromEntries(now), ...change }
        return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ''))
      },
      { replace, preventScrollReset: true },
    )

  const tasks = useInfiniteQuery({ ...openTasksQuery(browsing), enabled: known })
  const applied = useQuery({ ...appliedTasksQuery(user?.id), enabled: isDoer && user !== null })
  const listed = tasks.data

  return (
    <Page>
      <PageHeader
        title={t(isDoer ? 'tasks.recommendedTitle' : 'tasks.browseTitle')}
        subtitle={t(isDoer ? 'tasks.recommendedSubtitle' : 'tasks.browseSubtitle')}
        className="mb-6"
      />
      <div className="flex flex-col gap-3">
        <SearchBox search={browsing.search} onSearch={(search) => narrow({ search }, { replace: true })} />
        <CategoryChoice
          category={browsing.category}
          onChoose={(category) => narrow({ category }, { replace: false })}
        />
      </div>
      <div className="mt-6 mb-4 flex items-center justify-between gap-4">
        <p aria-live="polite" className="text-ink-soft">
          {listed &&
            (tasks.hasNextPage
              ? t('tasks.shownMore', { count: listed.length })
              : t('tasks.shown', { count: listed.length }))}
        </p>
        <SortChoice
          sort={browsing.sort}
          offered={offered}
          onChoose={(sort: Sort) =>
            narrow({ sort: sort === offered[0] ? ('' as Sort) : sort }, { replace: false })
          }
        />
      </div>
      {listed?.length ? (
        <div className={classes('transition-opacity', tasks.isPlaceholderData && 'opacity-55')}>
          <ul className="grid items-stretch gap-4 lg:grid-cols-2">
            {listed.map((task) => (
              <li key={task.id} className="min-w-0">
                <TaskCard
                  task={task}
                  forTasker={isDoer}
                  applied={applied.data?.includes(task.id) ?? false}
                  suits={task.score > 0}
                />
              </li>
            ))}
          </ul>
          {tasks.hasNextPage && (
            <div className="mt-8 flex justify-center">
              <Button
                variant="secondary"
                size="lg"
                loading={tasks.isFetchingNextPage}
                onClick={() => tasks.fetchNextPage()}
              >
                {t('tasks.loadMore')}
              </Button>
            </div>
          )}
        </div>
      ) : listed ? (
        <NoTasks
          filtered={browsing.search !== '' || browsing.category !== ''}
          onShowAll={() => narrow({ search: '', category: '' }, { replace: false })}
        />
      ) : tasks.isLoadingError || role.isLoadingError ? (
        <ErrorState
          error={tasks.error ?? role.error}
          onRetry={() => (role.isLoadingError ? role.refetch() : tasks.refetch())}
        />
      ) : tasks.isPaused ? (
        <ErrorState title={t('tasks.offlineTitle')} body={t('tasks.offlineBody')} onRetry={tasks.refetch} />
      ) : (
        <Loading />
      )}
    </Page>
  )
}

function NoTasks({ filtered, onShowAll }: { filtered: boolean; onShowAll: () => void }) {
  const { t } = useTranslation()
  return (
    <EmptyState
      icon={SearchX}
      title={t('tasks.noTasks')}
      body={t(filtered ? 'tasks.noTasksFiltered' : 'tasks.noTasksAtAll')}
      action={
        filtered && (
          <Button variant="secondary" onClick={onShowAll}>
            {t('tasks.clearFilters')}
          </Button>
        )
      }
    />
  )
}

function Loading() {
  const { t } = useTranslation()
  return (
    <div aria-busy className="grid gap-4 lg:grid-cols-2">
      <span role="status" className="sr-only">
        {t('ui.loading')}
      </span>
      {[1, 2, 3, 4, 5, 6].map((card) => (
        <TaskCardSkeleton key={card} />
      ))}
    </div>
  )
}

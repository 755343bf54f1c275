// /saved-taskers: the taskers whom a person has saved, to ask them again. Only they see the list.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Heart } from 'lucide-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { useRole, useUserId } from '../../lib/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { MorePages } from '../../ui/MorePages.tsx'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { favouritesCountQuery, favouritesQuery } from './api/favourites.ts'
import { FavouriteButton } from './components/FavouriteButton.tsx'
import { TaskerGrid } from './components/TaskerCard.tsx'

export default function SavedTaskersPage() {
  const { t } = useTranslation()
  const userId = useUserId()
  const saved = useInfiniteQuery(favouritesQuery(userId))
  const count = useQuery({ ...favouritesCountQuery(userId), enabled: saved.hasNextPage })
  const list = useRef<HTMLElement>(null)
  const asks = useRole() !== 'task_doer'
  return (
    <Page>
      <PageHeader title={t('taskers.savedTitle')} subtitle={t('taskers.savedLead')} />
      {saved.isPending ? (
        <Spinner label={t('ui.loading')} />
      ) : saved.isLoadingError ? (
        <ErrorState title={t('taskers.failed')} error={saved.error} onRetry={() => saved.refetch()} />
      ) : saved.data.length === 0 ? (
        <EmptyState
          icon={Heart}
          title={t('taskers.savedNone')}
          body={t('taskers.savedNoneBody')}
          action={
            <Button asChild>
              <Link to={paths.findTaskers}>{t('taskers.title')}</Link>
            </Button>
          }
        />
      ) : (
        <>
          <TaskerGrid
            taskers={saved.data}
            total={count.data ?? saved.data.length}
            ref={list}
            heart={FavouriteButton}
            reader={{ id: userId, asks }}
          />
          <MorePages
            pages={saved}
            list={list}
            shown={saved.data.length}
            total={count.data}
            label={t('taskers.more')}
          />
        </>
      )}
    </Page>
  )
}

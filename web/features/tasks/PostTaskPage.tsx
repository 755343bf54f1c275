// /post-task: a giver posts a task (specification 001 §2, §5, §8). What was typed is kept in this tab until posted.
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { useRoleQuery, useUserId } from '../../lib/session.tsx'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { PostTaskForm } from './components/PostTaskForm.tsx'

export default function PostTaskPage() {
  const { t } = useTranslation()
  const userId = useUserId()
  const role = useRoleQuery()
  const refused = role.isSuccess && role.data !== 'task_giver' && role.data !== 'admin'

  useEffect(() => {
    if (refused) toast.error(t('tasks.onlyGiversPost'), { id: 'only-givers-post' })
  }, [refused, t])

  if (refused) return <Navigate to={paths.dashboard} replace />
  return (
    <Page>
      <PageHeader title={t('tasks.postTitle')} subtitle={t('tasks.postSubtitle')} />
      {role.isLoadingError ? (
        <ErrorState error={role.error} onRetry={role.refetch} />
      ) : role.isPending ? (
        <Loading />
      ) : (
        <PostTaskForm key={userId} userId={userId} />
      )}
    </Page>
  )
}

function Loading() {
  const { t } = useTranslation()
  return (
    <div aria-busy className="flex max-w-2xl flex-col gap-6">
      <span role="status" className="sr-only">
        {t('ui.loading')}
      </span>
      <Skeleton className="h-11" />
      <Skeleton className="h-32" />
      <Skeleton className="h-11" />
      <Skeleton className="h-11" />
    </div>
  )
}

// /post-task: a giver posts a task (specification 001 §2, §5, §8), to every tasker or to one first, anew or as a past one was.
// What was typed is kept in this tab until posted.
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, useSearchParams } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { useRoleQuery, useUserId } from '../../lib/session.tsx'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { askedTaskerQuery, repeatedTaskQuery } from './api/posting.ts'
import { PostTaskForm } from './components/PostTaskForm.tsx'

export default function PostTaskPage() {
  const { t } = useTranslation()
  const userId = useUserId()
  const role = useRoleQuery()
  const refused = role.isSuccess && role.data !== 'task_giver' && role.data !== 'admin'

  useEffect(() => {
    if (refused) toast.error(t('tasks.onlyGiversPost'), { id: 'only-givers-post' })
  }, [refused, t])

  const [address, setAddress] = useSearchParams()
  const ask = address.get('ask')
  const repeat = address.get('repeat')
  const asked = useQuery({ ...askedTaskerQuery(ask ?? ''), enabled: ask !== null })
  const past = useQuery({ ...repeatedTaskQuery(repeat ?? '', userId), enabled: repeat !== null })
  const askNobody = () => {
    address.delete('ask')
    setAddress(address, { replace: true, preventScrollReset: true })
  }
  const nobody = ask !== null && asked.data === null
  useEffect(() => {
    if (nobody) toast.info(t('tasks.askNobody'), { id: 'ask-nobody' })
  }, [nobody, t])
  const failed = [role, asked, past].find((query) => query.isLoadingError)

  if (refused) return <Navigate to={paths.dashboard} replace />
  return (
    <Page>
      <PageHeader title={t('tasks.postTitle')} subtitle={t('tasks.postSubtitle')} />
      {failed ? (
        <ErrorState error={failed.error} onRetry={failed.refetch} />
      ) : role.isPending || asked.isLoading || past.isLoading ? (
        <Loading />
      ) : (
        <PostTaskForm
          key={`${userId} ${repeat}`}
          userId={userId}
          asked={asked.data ?? null}
          onAskNobody={askNobody}
          repeated={repeat && past.data ? { id: repeat, task: past.data } : undefined}
        />
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

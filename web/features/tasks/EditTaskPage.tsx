// /task/{id}/edit: a giver changes their own open task, in the form that it was posted with. The input is kept in
// this tab until saved.
import { useQuery } from '@tanstack/react-query'
import { LockKeyhole } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link, Navigate, useParams } from 'react-router'
import { taskPath } from '../../lib/paths.ts'
import { useUserId } from '../../lib/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { taskQuery } from './api/queries.ts'
import { FormLoading } from './components/FormLoading.tsx'
import { PostTaskForm } from './components/PostTaskForm.tsx'

export default function EditTaskPage() {
  const { t } = useTranslation()
  const { id = '' } = useParams()
  const userId = useUserId()
  const task = useQuery(taskQuery(id, userId))
  const found = task.data
  if (found === null || (found && found.task_giver_id !== userId))
    return <Navigate to={taskPath(id)} replace />
  const open = (found?.status === 'open' || found?.status === 'asked') && !found.on_hold
  return (
    <Page>
      <PageHeader
        title={t('tasks.editTitle')}
        subtitle={open ? t('tasks.editSubtitle') : undefined}
        back={{ to: taskPath(id), label: t('tasks.backToTask') }}
      />
      {task.isLoadingError ? (
        <ErrorState error={task.error} onRetry={task.refetch} />
      ) : !found ? (
        <FormLoading />
      ) : open ? (
        <PostTaskForm key={found.id} user={{ id: userId }} changed={found} />
      ) : (
        <EmptyState
          icon={LockKeyhole}
          title={t(found.on_hold ? 'tasks.onHold.title' : 'tasks.locked')}
          body={t(found.on_hold ? 'tasks.onHold.own' : `tasks.lockedBody.${found.status}`)}
          action={
            <Button asChild variant="secondary">
              <Link to={taskPath(id)}>{t('tasks.backToTask')}</Link>
            </Button>
          }
        />
      )}
    </Page>
  )
}

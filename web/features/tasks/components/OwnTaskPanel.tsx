// The giver's part of the screen of a task: applicants who wait for an answer, and changing, withdrawing and
// reposting the task.
import { useQuery } from '@tanstack/react-query'
import { Pencil, Repeat } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { applicationsPath, editTaskPath, paths, postTaskPath } from '../../../lib/paths.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Button } from '../../../ui/Button.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { withdrawTask } from '../api/actions.ts'
import type { Task } from '../api/openTasks.ts'
import { waitingApplicationsQuery } from '../api/queries.ts'
import { ASIDE_CLASSES } from './ApplyPanel.tsx'
import { AskedOfOne } from './AskedFirst.tsx'
import { HeadAction } from './HeadAction.tsx'

export function OwnTaskPanel({ task, head }: { task: Task; head: HTMLElement | null }) {
  const { t } = useTranslation()
  const [confirming, setConfirming] = useState(false)
  const open = task.status === 'open' || task.status === 'asked'
  const over = task.status === 'cancelled' || task.status === 'completed'
  const waiting = useQuery({ ...waitingApplicationsQuery(task.id), enabled: open })
  const withdrawing = useAction(withdrawTask(task.id), {
    onSuccess: () => setConfirming(false),
    onError: t('tasks.error'),
  })

  return (
    <section className={ASIDE_CLASSES}>
      <h2 className="text-xl">{t('tasks.ownTask')}</h2>
      {open && waiting.isSuccess && (
        <p className="mt-1 text-ink-soft">{t('tasks.waiting', { count: waiting.data })}</p>
      )}
      {task.status === 'asked' && <AskedOfOne task={task} />}
      {!open && <p className="mt-1 text-ink-soft">{t(`tasks.lockedBody.${task.status}`)}</p>}
      <div className="mt-4 flex flex-col gap-2">
        {over ? (
          <Button asChild>
            <Link to={postTaskPath({ repeat: task.id })}>
              <Repeat aria-hidden />
              <span>{t('tasks.postAgain')}</span>
            </Link>
          </Button>
        ) : open && !waiting.data ? null : (
          <Button asChild variant={open ? 'primary' : 'secondary'}>
            <Link to={open ? applicationsPath(task.id) : paths.bookings}>
              {t(open ? 'tasks.seeApplications' : 'tasks.toBookings')}
            </Link>
          </Button>
        )}
        {open && (
          <>
            {!task.on_hold && (
              <Button asChild variant="secondary">
                <Link to={editTaskPath(task.id)}>
                  <Pencil aria-hidden />
                  <span>{t('tasks.edit')}</span>
                </Link>
              </Button>
            )}
            <Button variant="ghost" className="text-danger" onClick={() => setConfirming(true)}>
              {t('tasks.withdraw')}
            </Button>
          </>
        )}
      </div>
      {open && waiting.data ? (
        <HeadAction place={head}>
          <Button asChild>
            <Link to={applicationsPath(task.id)}>{t('tasks.seeApplications')}</Link>
          </Button>
          <p className="min-w-0 font-semibold">{t('tasks.applications', { count: waiting.data })}</p>
        </HeadAction>
      ) : null}
      <AlertDialog
        // Not of a task that was withdrawn or given to somebody meanwhile, in another tab say.
        open={confirming && open}
        onOpenChange={setConfirming}
        title={t('tasks.withdrawTitle')}
        description={t('tasks.withdrawBody')}
        confirmLabel={t('tasks.withdraw')}
        cancelLabel={t('tasks.keepTask')}
        onConfirm={() => withdrawing.mutate()}
        loading={withdrawing.isPending}
        danger
      />
    </section>
  )
}

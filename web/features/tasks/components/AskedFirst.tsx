// Explains "ask first" to both: on the form, on the giver's own task, and to the asked tasker.
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { formatDateTime } from '../../../lib/format.ts'
import { paths } from '../../../lib/paths.ts'
import { travelAreaQuery } from '../../../lib/queries/travelArea.ts'
import { Avatar } from '../../../ui/Avatar.tsx'
import { Button } from '../../../ui/Button.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { declineRequest, openToEveryone } from '../api/actions.ts'
import type { Task } from '../api/openTasks.ts'
import { type AskedTasker, askedTaskerQuery } from '../api/posting.ts'
import { distanceText, kmFrom } from './TaskFacts.tsx'

/** Above the form of a new task. */
export function AskingFirst({ tasker, onAskNobody }: { tasker: AskedTasker; onAskNobody: () => void }) {
  const { t } = useTranslation()
  const name = tasker.full_name
  return (
    <section
      aria-label={t('tasks.asksFirst', { name })}
      className="flex flex-wrap items-start gap-4 rounded-lg bg-wheat-soft p-4"
    >
      <Avatar name={name} src={tasker.avatar_url} />
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-semibold wrap-anywhere">{t('tasks.asksFirst', { name })}</p>
        <p className="mt-0.5 text-ink-soft">{t('tasks.asksFirstBody', { name })}</p>
        <Button variant="link" onClick={onAskNobody} className="mt-2">
          {t('tasks.askEveryone')}
        </Button>
      </div>
    </section>
  )
}

/** On the giver's own task while it is asked of one tasker. */
export function AskedOfOne({ task }: { task: Task }) {
  const { t } = useTranslation()
  const tasker = useQuery(askedTaskerQuery(task.asked_tasker_id ?? ''))
  const name =
    tasker.data === undefined ? t('tasks.someone') : (tasker.data?.full_name ?? t('ui.deletedUser'))
  const opening = useAction(openToEveryone(task.id), {
    onError: t('tasks.error'),
  })
  return (
    <div className="mt-2 flex flex-col items-start gap-3 rounded-md bg-wheat-soft p-3">
      <p>
        {`${t('tasks.askedOf', { name, at: task.asked_until ? formatDateTime(task.asked_until) : '' })} ${t('tasks.askedOfThen')}`}
      </p>
      <Button variant="secondary" size="sm" loading={opening.isPending} onClick={() => opening.mutate()}>
        {t('tasks.openNow')}
      </Button>
    </div>
  )
}

/** For the tasker who is asked: who asks and until when, how far it is from where they start, and saying no. */
export function AskedOfYou({ task, userId }: { task: Task; userId: string }) {
  const { t } = useTranslation()
  const { data: area } = useQuery(travelAreaQuery(userId))
  const km = kmFrom(area ?? undefined, task)
  const navigate = useNavigate()
  const declining = useAction(declineRequest(task.id), {
    onSuccess: () => {
      toast.success(t('tasks.requestDeclined'))
      navigate(paths.browse)
    },
    onError: t('tasks.error'),
  })
  return (
    <div className="mb-5 flex flex-col items-start gap-3 rounded-md bg-wheat-soft p-3">
      <p>
        <strong className="font-semibold">
          {t('tasks.askedYou', { name: task.giver?.full_name ?? t('ui.deletedUser') })}
        </strong>{' '}
        <span>
          {t('tasks.askedYouUntil', { at: task.asked_until ? formatDateTime(task.asked_until) : '' })}
        </span>
      </p>
      {area && km !== undefined && (
        <p>
          {[distanceText(km, t), km > area.radius_km && t('near.reach.outside')].filter(Boolean).join(' · ')}
        </p>
      )}
      <Button variant="secondary" size="sm" loading={declining.isPending} onClick={() => declining.mutate()}>
        {t('tasks.declineRequest')}
      </Button>
    </div>
  )
}

// /post-task: a giver posts a task (specification 001 §2, §5, §8), to every tasker or to one first, anew or as a past
// one was. Whoever has no account writes first and signs up then. The input is kept in this tab until posted.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, useLocation, useNavigate, useSearchParams } from 'react-router'
import { categoryOf } from '../../../shared/taskKinds.ts'
import { dropDraft } from '../../lib/drafts.ts'
import { localFromInstant } from '../../lib/format.ts'
import { useWaiting } from '../../lib/outbox.ts'
import { paths, signInPath, signUpPath, WAITING_PARAMETER } from '../../lib/paths.ts'
import { isLeaving, roleOn, useRoleQuery, useRoles, useSession } from '../../lib/session.tsx'
import { takeSharedPhotos } from '../../lib/sharedPhotos.ts'
import { markTaskShown, onWaitingTaskGone, taskDraft } from '../../lib/taskBeforeSignUp.ts'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { useOpenedSide } from '../../ui/useRoleSwitch.ts'
import { askedTaskerQuery, repeatedTaskQuery } from './api/posting.ts'
import { FormLoading } from './components/FormLoading.tsx'
import { OnlyGiversPost } from './components/OnlyGiversPost.tsx'
import { PostTaskForm } from './components/PostTaskForm.tsx'
import { DURATIONS } from './schema.ts'

export default function PostTaskPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { status, user } = useSession()
  const userId = user?.id
  const role = useRoleQuery()
  const { pathname, search, key } = useLocation()
  // React Router's key of a page that was not reached through a link of ours.
  const typed = key === 'default'
  const held = useRoles()?.held
  const poster = held && roleOn('task_giver', held)
  const tasker = held !== undefined && poster !== 'task_giver' && poster !== 'admin'
  useOpenedSide(tasker ? null : poster)
  const refused = tasker && typed

  useEffect(() => {
    if (refused) toast.error(t('tasks.onlyGiversPost'), { id: 'only-givers-post' })
  }, [refused, t])

  const { address, asked, askNobody, repeat, past, waiting } = useNamedInAddress(userId)
  const restarts = useRestarts(userId, user?.email)

  const before = useRef(userId)
  useEffect(() => {
    if (userId) before.current = userId
  }, [userId])

  const failed = [role, asked, past].find((query) => query.isLoadingError)
  if (refused) return <Navigate to={paths.dashboard} replace />
  if (status === 'signedOut') {
    if (isLeaving()) return <Navigate to={paths.landing} replace />
    // A session that ended, or an own task to repeat: their draft waits behind signing in.
    if (before.current || repeat) return <Navigate to={signInPath(pathname + search)} replace />
  }
  if (tasker) return <OnlyGiversPost />
  const loading =
    status === 'loading' || (userId !== undefined && role.isPending) || asked.isLoading || past.isLoading
  return (
    <Page>
      <PageHeader
        title={t('tasks.postTitle')}
        subtitle={
          status === 'signedOut' ? (
            t('tasks.postSubtitleStranger')
          ) : (
            <span className="max-sm:hidden">{t('tasks.postSubtitle')}</span>
          )
        }
      />
      {failed ? (
        <ErrorState error={failed.error} onRetry={failed.refetch} />
      ) : loading ? (
        <FormLoading />
      ) : (
        <PostTaskForm
          key={`${userId} ${repeat} ${waiting?.id} ${restarts}`}
          user={user ?? undefined}
          onStranger={() => navigate(signUpPath('task_giver', pathname + search))}
          asked={waiting?.content.asked ?? asked.data ?? null}
          waiting={waiting}
          onAskNobody={askNobody}
          category={categoryOf(address.get('category') ?? '')}
          title={address.get('title')?.trim()}
          at={comingTime(address.get('at'))}
          minutes={DURATIONS.find((minutes) => String(minutes) === address.get('minutes'))}
          repeated={repeat && past.data ? { id: repeat, task: past.data } : undefined}
          brought={address.has('shared') ? takeSharedPhotos : undefined}
        />
      )}
    </Page>
  )
}

/** A moment as inputs have it, unless it is past or none. */
function comingTime(at: string | null): string | undefined {
  if (!at || !/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(at) || Number.isNaN(Date.parse(`${at}Z`))) return undefined
  return at > localFromInstant(new Date()) ? at : undefined
}

/** The tasker to ask first, the past task to repeat and the waiting task to change, as the address names them. */
function useNamedInAddress(userId: string | undefined) {
  const { t } = useTranslation()
  const [address, setAddress] = useSearchParams()
  const ask = address.get('ask')
  const repeat = address.get('repeat')
  const asked = useQuery({ ...askedTaskerQuery(ask ?? ''), enabled: ask !== null })
  const past = useQuery({
    ...repeatedTaskQuery(repeat ?? '', userId ?? ''),
    enabled: repeat !== null && userId !== undefined,
  })
  const askNobody = () => {
    address.delete('ask')
    setAddress(address, { replace: true, preventScrollReset: true })
  }
  // It is sent as soon as that is possible, also while it is changed here: the form stays.
  const found = useWaiting('task').find(({ id }) => id === address.get(WAITING_PARAMETER))
  const [waiting, setWaiting] = useState(found)
  if (found && found.id !== waiting?.id) setWaiting(found)
  const nobody = ask !== null && asked.data === null
  useEffect(() => {
    if (nobody) toast.info(t('tasks.askNobody'), { id: 'ask-nobody' })
  }, [nobody, t])
  return { address, asked, askNobody, repeat, past, waiting }
}

/** How often the form has begun anew because the waiting task was posted in another tab. */
function useRestarts(userId: string | undefined, email: string | undefined) {
  const [restarts, setRestarts] = useState(0)
  useEffect(() => {
    markTaskShown(email)
    return onWaitingTaskGone(() => {
      dropDraft(taskDraft(userId))
      setRestarts((now) => now + 1)
    })
  }, [userId, email])
  return restarts
}

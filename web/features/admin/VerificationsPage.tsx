// /admin/verifications: one decision at a time, the longest waiting person first, the picture of the ID next to the
// facts. After a decision, or when one is left for later, the next one opens; the address holds whose it is.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ArrowRight, CircleCheck } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { formatNumber } from '../../lib/format.ts'
import { adminPersonPath, paths } from '../../lib/paths.ts'
import { useUserId } from '../../lib/session.tsx'
import { Avatar } from '../../ui/Avatar.tsx'
import { Button } from '../../ui/Button.tsx'
import { PageHeader } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { type Person, waitingCountQuery, waitingQuery } from './api/people.ts'
import { submissionQuery } from './api/verifications.ts'
import { DocumentViewer } from './components/DocumentViewer.tsx'
import { SubmissionReview } from './components/SubmissionReview.tsx'

export default function VerificationsPage() {
  const { t } = useTranslation()
  const userId = useUserId()
  const [address, setAddress] = useSearchParams()
  const waiting = useInfiniteQuery(waitingQuery(''))
  const count = useQuery(waitingCountQuery).data
  // One's own is another admin's to decide.
  const queue = waiting.data?.filter(({ id }) => id !== userId)
  const place = Math.max(queue?.findIndex(({ id }) => id === address.get('person')) ?? 0, 0)
  const person = queue?.[place]
  const next = queue?.[place + 1] ?? (place > 0 ? queue?.[0] : undefined)
  const open = (id?: string) => setAddress(id ? { person: id } : {}, { replace: true })
  return (
    <>
      <PageHeader
        title={t('backOffice.verifications.title')}
        subtitle={
          person && count
            ? t('backOffice.verifications.place', {
                place: formatNumber(place + 1),
                count: formatNumber(Math.max(count, queue?.length ?? 0)),
              })
            : t('backOffice.verifications.subtitle')
        }
        actions={
          person &&
          next && (
            <Button variant="secondary" onClick={() => open(next.id)}>
              <span>{t('backOffice.verifications.later')}</span>
              <ArrowRight aria-hidden className="rtl:-scale-x-100" />
            </Button>
          )
        }
        className="mb-6"
      />
      {waiting.isPending && <Skeleton className="h-96 w-full rounded-lg" />}
      {waiting.isError && !waiting.data && (
        <ErrorState title={t('admin.loadFailed')} onRetry={() => waiting.refetch()} />
      )}
      {queue && !person && (
        <EmptyState
          icon={CircleCheck}
          title={t('admin.nobodyWaits')}
          body={t('backOffice.verifications.doneBody')}
          action={
            <Button asChild variant="secondary">
              <Link to={paths.admin}>{t('backOffice.nav.overview')}</Link>
            </Button>
          }
        />
      )}
      {person && <Desk key={person.id} person={person} onDecided={() => open(next?.id)} />}
    </>
  )
}

/** A person's submission: the picture first, the facts and the decision next to it. */
function Desk({ person, onDecided }: { person: Person; onDecided: () => void }) {
  const { t } = useTranslation()
  const submission = useQuery(submissionQuery(person.id))
  const name = person.full_name || person.email || t('admin.unnamed')
  const heading = useRef<HTMLHeadingElement>(null)
  // Screen readers announce the next person.
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1.1fr)_minmax(0,1fr)]">
      <div className="min-w-0 lg:sticky lg:top-20">
        <div className="mb-4 flex items-center gap-4">
          <Avatar name={person.full_name} src={person.avatar_url} />
          <div className="min-w-0">
            <h2 ref={heading} tabIndex={-1} className="text-2xl wrap-anywhere outline-none">
              <bdi>{name}</bdi>
            </h2>
            <p className="flex flex-wrap gap-x-4 text-sm text-ink-soft wrap-anywhere">
              <bdi>{person.email}</bdi>
              <Link to={adminPersonPath(person.id)} className="text-sky underline underline-offset-4">
                {t('backOffice.verifications.person')}
              </Link>
            </p>
          </div>
        </div>
        <DocumentViewer personId={person.id} name={name} />
      </div>
      {submission.isPending && <Skeleton className="h-96 w-full rounded-lg" />}
      {submission.isError && <ErrorState error={submission.error} onRetry={() => submission.refetch()} />}
      {submission.data?.verification_status === 'pending' && (
        <SubmissionReview
          person={person}
          submission={submission.data}
          name={name}
          picturesBeside
          onDecided={onDecided}
        />
      )}
      {submission.isSuccess && submission.data?.verification_status !== 'pending' && (
        <EmptyState
          title={t('admin.decidedMeanwhile')}
          action={<Button onClick={onDecided}>{t('backOffice.verifications.next')}</Button>}
        />
      )}
    </div>
  )
}

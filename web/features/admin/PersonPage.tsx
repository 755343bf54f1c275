// /admin/people/:id: one person with all that belongs to them, and what an admin can do: suspend, lift, other roles, the badge.
import { useQuery } from '@tanstack/react-query'
import { Ban, UserRound, UserX } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useParams } from 'react-router'
import { formatDate, formatDateTime, formatRating } from '../../lib/format.ts'
import { paths, publicProfilePath } from '../../lib/paths.ts'
import { useUserId } from '../../lib/session.tsx'
import { Avatar } from '../../ui/Avatar.tsx'
import { Button } from '../../ui/Button.tsx'
import { PageHeader } from '../../ui/Page.tsx'
import { PhoneText } from '../../ui/PhoneText.tsx'
import { Quote } from '../../ui/Quote.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { personQuery, type Whole } from './api/directory.ts'
import { AdminSection } from './components/AdminSection.tsx'
import { Belongings } from './components/Belongings.tsx'
import { PersonBadges } from './components/PersonBadges.tsx'
import { Reference } from './components/Reference.tsx'
import { RoleDialog } from './components/RoleDialog.tsx'
import { StoppedEmails } from './components/StoppedEmails.tsx'
import { LiftDialog, SuspendDialog } from './components/SuspendDialog.tsx'
import { VerifyDialog } from './components/VerifyDialog.tsx'

export default function PersonPage() {
  const { t } = useTranslation()
  const { id = '' } = useParams()
  const found = useQuery(personQuery(id))
  const back = { to: paths.adminPeople, label: t('backOffice.people.back') }
  if (!found.data) {
    return (
      <>
        <PageHeader title={t('backOffice.people.one')} back={back} />
        {found.isPending && <Skeleton className="h-96 w-full rounded-lg" />}
        {found.isError && <ErrorState error={found.error} onRetry={() => found.refetch()} />}
        {found.isSuccess && <EmptyState icon={UserX} title={t('backOffice.people.notFound')} />}
      </>
    )
  }
  const person = found.data
  const suspension = person.suspensions.find(({ lifted_at }) => lifted_at === null)
  return (
    <>
      <PageHeader
        title={
          <span className="flex items-center gap-4">
            <Avatar name={person.full_name} src={person.avatar_url} size="lg" />
            <bdi className="min-w-0 wrap-anywhere">{person.full_name || t('admin.unnamed')}</bdi>
          </span>
        }
        subtitle={
          <span className="flex flex-wrap gap-2 max-sm:py-2">
            <PersonBadges person={{ ...person, suspended: suspension !== undefined }} />
          </span>
        }
        back={back}
        actions={!person.deleted_at && <PersonActions person={person} suspended={suspension !== undefined} />}
        className="mb-6"
      />
      {person.deleted_at && (
        <p className="mb-6 rounded-lg bg-sunken p-4">
          {t('backOffice.people.left', { at: formatDate(person.deleted_at) })}
        </p>
      )}
      {suspension && (
        <div className="mb-6 rounded-lg bg-danger-soft p-4 sm:p-5">
          <p className="flex items-center gap-2 font-semibold text-danger">
            <Ban aria-hidden className="size-5 shrink-0" />
            <span>
              {t('backOffice.people.suspendedSince', { at: formatDateTime(suspension.created_at) })}
            </span>
          </p>
          <p className="mt-1 whitespace-pre-line wrap-anywhere">{suspension.reason}</p>
        </div>
      )}
      {person.stoppedEmails && <StoppedEmails personId={person.id ?? id} stopped={person.stoppedEmails} />}
      <div className="grid items-start gap-x-8 lg:grid-cols-[minmax(0,20rem)_minmax(0,1fr)]">
        <Facts person={person} />
        <div className="min-w-0">
          <Belongings personId={person.id ?? id} role={person.role} />
          <Suspensions person={person} />
        </div>
      </div>
    </>
  )
}

function PersonActions({ person, suspended }: { person: Whole; suspended: boolean }) {
  const { t } = useTranslation()
  const own = person.id === useUserId()
  const [open, setOpen] = useState<'suspend' | 'lift' | 'role' | 'badge'>()
  const id = person.id ?? ''
  const name = person.full_name || person.email || t('admin.unnamed')
  const close = () => setOpen(undefined)
  return (
    <>
      {!own && (
        <Button variant="secondary" onClick={() => setOpen('badge')}>
          {t('backOffice.people.verification')}
        </Button>
      )}
      <Button variant="secondary" onClick={() => setOpen('role')}>
        {t('backOffice.people.changeRole')}
      </Button>
      {suspended ? (
        <Button onClick={() => setOpen('lift')}>{t('backOffice.people.lift')}</Button>
      ) : (
        !person.roles.includes('admin') && (
          <Button variant="danger" onClick={() => setOpen('suspend')}>
            {t('backOffice.people.suspend')}
          </Button>
        )
      )}
      {open === 'suspend' && <SuspendDialog personId={id} name={name} onClose={close} />}
      {open === 'lift' && <LiftDialog personId={id} name={name} onClose={close} />}
      {open === 'role' && <RoleDialog personId={id} name={name} roles={person.roles} onClose={close} />}
      {open === 'badge' && <VerifyDialog person={{ ...person, id }} onClose={close} />}
    </>
  )
}

function Facts({ person }: { person: Whole }) {
  const { t } = useTranslation()
  const facts: [string, ReactNode][] = [
    [t('backOffice.people.fact.email'), person.email],
    [t('backOffice.people.fact.phone'), person.phone && <PhoneText key="phone" phone={person.phone} />],
    [t('backOffice.people.fact.city'), person.city],
    [t('backOffice.people.fact.joined'), person.created_at && formatDate(person.created_at)],
    [t('backOffice.people.fact.active'), person.last_active && formatDateTime(person.last_active)],
    [
      t('backOffice.people.fact.verification'),
      t(`backOffice.people.handedIn.${person.verification?.verification_status ?? 'none'}`),
    ],
    [
      t('backOffice.people.fact.rating'),
      person.total_reviews
        ? `${formatRating(Number(person.rating))} (${person.total_reviews})`
        : t('backOffice.unrated'),
    ],
    [t('backOffice.people.fact.jobs'), String(person.completed_tasks)],
    [t('backOffice.people.fact.trust'), String(person.trust_score)],
    [
      t('backOffice.people.fact.id'),
      person.id && <Reference key="id" id={person.id} label={t('backOffice.people.fact.id')} />,
    ],
  ]
  return (
    <section
      aria-label={t('backOffice.people.facts')}
      className="mb-8 rounded-lg border border-line bg-surface p-5"
    >
      <dl className="divide-y divide-line">
        {facts
          .filter(([, value]) => value)
          .map(([label, value]) => (
            <div key={label} className="flex justify-between gap-6 py-2">
              <dt className="shrink-0 text-ink-soft">{label}</dt>
              <dd className="tabular min-w-0 text-end wrap-anywhere">
                <bdi>{value}</bdi>
              </dd>
            </div>
          ))}
      </dl>
      {person.bio && <Quote by={t('backOffice.people.fact.bio')}>{person.bio}</Quote>}
      {!person.deleted_at && (
        <Link
          to={publicProfilePath(person.id ?? '')}
          className="mt-4 inline-flex min-h-11 items-center gap-2 text-sky underline underline-offset-4"
        >
          <UserRound aria-hidden className="size-4" />
          <span>{t('backOffice.people.publicProfile')}</span>
        </Link>
      )}
    </section>
  )
}

/** Suspensions that are over. */
function Suspensions({ person }: { person: Whole }) {
  const { t } = useTranslation()
  const past = person.suspensions.filter(({ lifted_at }) => lifted_at !== null)
  if (past.length === 0) return null
  return (
    <AdminSection title={t('backOffice.people.pastSuspensions')}>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {past.map(({ id, reason, created_at, lifted_at }) => (
          <li key={id} className="p-4">
            <p className="text-sm text-ink-soft">
              {t('backOffice.people.wasSuspended', {
                from: formatDateTime(created_at),
                to: formatDateTime(lifted_at ?? ''),
              })}
            </p>
            <p className="whitespace-pre-line wrap-anywhere">{reason}</p>
          </li>
        ))}
      </ul>
    </AdminSection>
  )
}

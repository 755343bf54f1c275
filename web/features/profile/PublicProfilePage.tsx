// /profile/{id}: a person as anyone may see them (specification 001 §2).
import { useQuery } from '@tanstack/react-query'
import { FileCheck, MapPin, ShieldCheck, Umbrella } from 'lucide-react'
import { type ComponentType, type ReactNode, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, Navigate, useParams } from 'react-router'
import { formatDate, formatMoney, formatNumber, formatRating } from '../../lib/format.ts'
import { paths, postTaskPath } from '../../lib/paths.ts'
import { useRole, useSession } from '../../lib/session.tsx'
import { useTitle } from '../../lib/title.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { BadgeList } from '../../ui/EarnedBadges.tsx'
import { Page } from '../../ui/Page.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { ReportButton } from '../../ui/ReportButton.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { VerifiedBadge } from '../../ui/VerifiedMark.tsx'
import { type PublicProfile, publicProfileQuery } from './api/queries.ts'
import { Figure, worksFor } from './components/Figure.tsx'
import { NextFree } from './components/NextFree.tsx'
import { OnTimeRule } from './components/OnTimeRule.tsx'
import { ReviewList } from './components/ReviewList.tsx'

type Slots = {
  /** The heart that saves a tasker to one's own list. */
  FavouriteButton: ComponentType<{ taskerId: string; name: string; className?: string }>
}

export function PublicProfilePage({ FavouriteButton }: Slots) {
  const { t } = useTranslation()
  const { id = '' } = useParams()
  const profile = useQuery(publicProfileQuery(id))
  const { user } = useSession()
  const role = useRole()
  useTitle(profile.data?.full_name ?? undefined)

  // An id that is not a uuid is refused by the database; for the visitor it is simply nobody's.
  const malformed = profile.error !== null && 'code' in profile.error && profile.error.code === '22P02'
  const missing = malformed || profile.data === null
  useEffect(() => {
    if (missing) toast.error(t('profile.notFound'), { id: 'profile-not-found' })
  }, [missing, t])

  if (missing) return <Navigate to={paths.findTaskers} replace />
  if (profile.isLoadingError) {
    return (
      <Page width="narrow">
        <ErrorState
          title={t('profile.loadFailed')}
          // For visitors, only tasks are kept.
          offlineTitle={user ? undefined : t('profile.loadFailed')}
          onRetry={() => profile.refetch()}
        />
      </Page>
    )
  }
  if (!profile.data) return <Spinner label={t('ui.loading')} />

  const person = profile.data
  return (
    <Page>
      <div className="grid items-start gap-x-10 gap-y-8 lg:grid-cols-[20rem_minmax(0,1fr)]">
        <PersonCard person={person} FavouriteButton={FavouriteButton} />
        <div className="in-order flex min-w-0 flex-col gap-8">
          <About person={person} />
          {person.is_tasker && person.id && (
            <NextFree personId={person.id} asks={person.id !== user?.id && role !== 'task_doer'} />
          )}
          <ReviewList personId={person.id} />
        </div>
      </div>
    </Page>
  )
}

type PersonCardProps = Slots & { person: PublicProfile }

/** The face and the record, and what the visitor can do: save, ask or report. */
function PersonCard({ person, FavouriteButton }: PersonCardProps) {
  const { t } = useTranslation()
  const role = useRole()
  const { user } = useSession()
  return (
    <Card className="relative p-6">
      {person.is_tasker && person.id && person.id !== user?.id && (
        <FavouriteButton
          taskerId={person.id}
          name={person.full_name ?? ''}
          className="absolute end-3 top-3"
        />
      )}
      <div className="flex flex-col items-center text-center">
        <Avatar name={person.full_name} src={person.avatar_url} size="xl" />
        <h1 className="mt-4 text-3xl wrap-anywhere">{person.full_name}</h1>
        <VerifiedBadge person={person} className="mt-3" />
        {person.city && (
          <p className="mt-3 flex items-center gap-1.5 text-ink-soft">
            <MapPin aria-hidden className="size-4" />
            <span>{person.city}</span>
          </p>
        )}
        <p className="mt-1 text-sm text-ink-faint">
          {t('profile.memberSince', { date: formatDate(person.created_at) })}
        </p>
      </div>
      <dl className="mt-6 border-t border-line max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-4 max-sm:py-2 sm:divide-y sm:divide-line">
        <Figure label={t('profile.rating')}>
          {person.total_reviews ? formatRating(Number(person.rating)) : t('profile.new')}
        </Figure>
        <Figure label={t('profile.reviews')}>
          {person.total_reviews ? formatNumber(person.total_reviews) : t('profile.noReviews')}
        </Figure>
        {worksFor(person) && (
          <Figure label={t('profile.tasksCompleted')}>{formatNumber(person.completed_tasks)}</Figure>
        )}
        {/* Before the first job it would be 100%, which says nothing. */}
        {person.is_tasker && (person.completed_tasks ?? 0) > 0 && (
          <Figure label={t('profile.onTime')} about={<OnTimeRule />}>
            {formatNumber((person.on_time_rate ?? 0) / 100, { style: 'percent' })}
          </Figure>
        )}
        {person.hourly_rate !== null && (
          <Figure label={t('profile.hourlyRate')}>
            {t('profile.hourly', { rate: formatMoney(person.hourly_rate) })}
          </Figure>
        )}
        <Figure label={t('profile.trustScore')}>{formatNumber(person.trust_score)}</Figure>
      </dl>
      <Progress className="mt-1" label={t('profile.trustScore')} value={person.trust_score} />
      {person.is_tasker && person.id !== user?.id && role !== 'task_doer' && (
        <div className="mt-6 flex flex-col gap-3">
          <p className="text-ink-soft">{t('profile.askBody', { name: person.full_name })}</p>
          <Button asChild>
            <Link to={postTaskPath({ ask: person.id })}>{t('profile.ask', { name: person.full_name })}</Link>
          </Button>
        </div>
      )}
      {user && person.id && person.id !== user.id && (
        <ReportButton kind="profile" subject={person.id} className="mt-4 w-full" />
      )}
    </Card>
  )
}

/** The bio, skills and badges, and the proofs that were checked. */
function About({ person }: { person: PublicProfile }) {
  const { t } = useTranslation()
  const skills = person.skills ?? []
  return (
    <>
      <section>
        <h2 className="text-2xl">{t('profile.about')}</h2>
        <p className="mt-3 max-w-prose text-lg whitespace-pre-line text-ink-soft">
          {person.is_hidden
            ? t('profile.isHidden', { name: person.full_name })
            : person.bio || t('profile.noBio', { name: person.full_name })}
        </p>
      </section>
      {skills.length > 0 && (
        <section>
          <h2 className="text-2xl">{t('profile.skills')}</h2>
          <ul className="mt-3 flex flex-wrap gap-2">
            {skills.map((skill) => (
              <li key={skill} className="rounded-full bg-sunken px-3 py-1 font-medium wrap-anywhere">
                {skill}
              </li>
            ))}
          </ul>
        </section>
      )}
      {person.earned_badges && person.earned_badges.length > 0 && (
        <section>
          <h2 className="text-2xl">{t('profile.badges')}</h2>
          <BadgeList earned={person.earned_badges} className="mt-3 sm:grid-cols-2" />
        </section>
      )}
      {(person.id_verified || person.background_checked || person.insured) && (
        <section>
          <h2 className="text-2xl">{t('profile.verification')}</h2>
          <ul className="mt-3 flex flex-wrap gap-x-8 gap-y-3">
            {person.id_verified && (
              <Proof icon={<ShieldCheck aria-hidden />}>{t('profile.idVerified')}</Proof>
            )}
            {person.background_checked && (
              <Proof icon={<FileCheck aria-hidden />}>{t('profile.backgroundCheck')}</Proof>
            )}
            {person.insured && <Proof icon={<Umbrella aria-hidden />}>{t('profile.insured')}</Proof>}
          </ul>
        </section>
      )}
    </>
  )
}

function Proof({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <li className="flex items-center gap-2 font-medium text-success [&_svg]:size-5">
      {icon}
      <span>{children}</span>
    </li>
  )
}

// The left card of one's profile: face, name, role, and the record so far.
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber, formatRating } from '../../../lib/format.ts'
import { publicProfilePath } from '../../../lib/paths.ts'
import type { Role } from '../../../lib/session.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Progress } from '../../../ui/Progress.tsx'
import { SIDES } from '../../../ui/RoleSwitch.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { VerifiedBadge } from '../../../ui/VerifiedMark.tsx'
import type { OwnProfile } from '../api/queries.ts'
import { Figure, worksFor } from './Figure.tsx'
import { OnTimeRule } from './OnTimeRule.tsx'
import { type PhotoDraft, PhotoEditor } from './PhotoEditor.tsx'

export function ProfileCard({
  profile,
  roles,
  photo,
  onPhoto,
}: {
  profile: OwnProfile | undefined
  roles: Role[]
  photo: PhotoDraft
  onPhoto: (photo: string | null) => void
}) {
  const { t } = useTranslation()
  if (!profile) {
    return (
      <Card className="flex flex-col p-5 max-sm:p-3.5 sm:items-center lg:p-6" aria-busy>
        <Skeleton className="size-20 rounded-full max-sm:size-16 sm:size-28" />
        <Skeleton className="mt-4 h-7 w-40 sm:mt-16" />
        <Skeleton className="mt-1 h-5 w-52 max-sm:hidden" />
        <Skeleton className="mt-3 h-7 w-36 rounded-full max-sm:hidden" />
        <Skeleton className="mt-7 h-10 w-full max-sm:mt-4" />
        <Skeleton className="mt-6 h-18 w-full max-sm:mt-3 sm:h-24" />
        <Skeleton className="mt-5 h-6 w-44 self-start" />
      </Card>
    )
  }
  const works = worksFor(profile)
  const percent = (value: number) => formatNumber(value / 100, { style: 'percent' })
  return (
    <Card className="p-5 max-sm:p-3.5 lg:p-6">
      {/* On a phone in few lines: the editable part is below, and must be visible at once. */}
      <div className="items-center max-sm:grid max-sm:grid-cols-[auto_minmax(0,1fr)] max-sm:gap-x-3.5 max-sm:gap-y-1.5 sm:flex sm:flex-col sm:text-center">
        <PhotoEditor profile={profile} draft={photo} onDraft={onPhoto} />
        <div className="min-w-0">
          <h2 className="mt-4 text-2xl wrap-anywhere max-sm:mt-0 max-sm:text-xl">{profile.full_name}</h2>
          <p className="text-ink-soft wrap-anywhere max-sm:text-sm">{profile.email}</p>
          <p className="mt-3 flex flex-wrap gap-2 max-sm:mt-1 max-sm:gap-1.5 sm:justify-center">
            {SIDES.filter((role) => roles.includes(role)).map((role) => (
              <Badge key={role} tone="info">
                {t(`profile.role.${role}`)}
              </Badge>
            ))}
            <VerifiedBadge person={profile} />
          </p>
        </div>
      </div>
      <div className="mt-6 max-sm:mt-2">
        <p className="mb-2 flex items-baseline justify-between max-sm:mb-1">
          <span className="font-semibold">{t('profile.trustScore')}</span>
          <span className="tabular text-sm text-ink-soft">
            {t('profile.trustScoreOf', { score: formatNumber(profile.trust_score) })}
          </span>
        </p>
        <Progress label={t('profile.trustScore')} value={profile.trust_score} />
      </div>
      <dl className="mt-6 border-y border-line max-sm:mt-2 max-sm:flex max-sm:flex-wrap max-sm:gap-x-4 max-sm:py-1.5 max-sm:text-sm max-sm:*:flex-row max-sm:*:gap-x-1.5 max-sm:*:py-0 sm:divide-y sm:divide-line">
        <Figure label={t('profile.rating')}>
          {profile.total_reviews ? formatRating(Number(profile.rating)) : t('profile.new')}
        </Figure>
        <Figure label={t('profile.reviews')}>{formatNumber(profile.total_reviews)}</Figure>
        {works && <Figure label={t('profile.completed')}>{formatNumber(profile.completed_tasks)}</Figure>}
        <Figure label={t('profile.response')}>{percent(profile.response_rate)}</Figure>
        {works && (
          <Figure label={t('profile.onTime')} about={<OnTimeRule />}>
            {percent(profile.on_time_rate)}
          </Figure>
        )}
      </dl>
      <Link
        to={publicProfilePath(profile.id)}
        className="mt-5 inline-block py-1 max-sm:mt-1 max-sm:text-sm font-medium text-sky underline underline-offset-4"
      >
        {t('profile.viewPublic')}
      </Link>
    </Card>
  )
}

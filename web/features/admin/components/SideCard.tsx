// One of the two people of a case: how to reach them, their record, and the way to all that is known of them.
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDate, formatNumber, formatRating } from '../../../lib/format.ts'
import { adminPersonPath } from '../../../lib/paths.ts'
import { Avatar } from '../../../ui/Avatar.tsx'
import { Card } from '../../../ui/Card.tsx'
import { PhoneText } from '../../../ui/PhoneText.tsx'
import type { Side } from '../api/case.ts'

export function SideCard({ side, part }: { side: Side | undefined; part: 'giver' | 'tasker' }) {
  const { t } = useTranslation()
  const facts: [name: string, fact: ReactNode][] = side
    ? [
        ['email', side.email],
        ['phone', side.phone && <PhoneText phone={side.phone} />],
        ['joined', t('admin.joined', { date: formatDate(side.created_at ?? '') })],
        [
          'record',
          t(recordText(side, part), {
            rating: formatRating(Number(side.rating)),
            reviews: formatNumber(side.total_reviews ?? 0),
            jobs: formatNumber(side.completed_tasks ?? 0),
          }),
        ],
      ]
    : []
  return (
    <Card className="flex min-w-0 gap-4">
      <Avatar name={side?.full_name} src={side?.avatar_url} />
      <div className="min-w-0">
        <p className="text-sm text-ink-faint">{t(`backOffice.complaints.part.${part}`)}</p>
        <p className="font-semibold wrap-anywhere">
          {side?.id ? (
            <Link to={adminPersonPath(side.id)} className="text-sky underline underline-offset-4">
              <bdi>{side.full_name || t('admin.unnamed')}</bdi>
            </Link>
          ) : (
            t('backOffice.complaints.left')
          )}
        </p>
        {facts.map(
          ([name, fact]) =>
            fact && (
              <p key={name} className="text-sm text-ink-soft wrap-anywhere">
                <bdi>{fact}</bdi>
              </p>
            ),
        )}
      </div>
    </Card>
  )
}

/** The text for a person's record: a giver does no jobs, and a person without reviews has no rating. */
function recordText({ total_reviews }: Side, part: 'giver' | 'tasker') {
  if (part === 'giver') return total_reviews ? 'backOffice.complaints.recordOfGiver' : 'backOffice.unrated'
  return total_reviews ? 'backOffice.complaints.record' : 'backOffice.complaints.recordUnrated'
}

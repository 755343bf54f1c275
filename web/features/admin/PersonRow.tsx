// One person in the admin's list.
import { BadgeCheck, Hourglass } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { formatDate } from '../../lib/format.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import type { Person } from './api.ts'

type PersonRowProps = {
  person: Person
  /** Handed in a verification that nobody has decided. */
  waiting: boolean
  onChoose: () => void
}

export function PersonRow({ person, waiting, onChoose }: PersonRowProps) {
  const { t } = useTranslation()
  const byAdmin = person.verified_by_admin
  const verified = byAdmin || person.is_verified
  return (
    <li className="flex flex-wrap items-center gap-4 p-4 sm:p-5">
      <Avatar name={person.full_name} src={person.avatar_url} />
      <div className="min-w-0 flex-[1_1_14rem]">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-semibold wrap-anywhere">{person.full_name || t('admin.unnamed')}</span>
          <Badge tone={verified ? 'success' : 'neutral'} icon={verified ? BadgeCheck : undefined}>
            {t(verified ? 'admin.verified' : 'admin.notVerified')}
          </Badge>
          {waiting && (
            <Badge tone="waiting" icon={Hourglass}>
              {t('admin.waiting')}
            </Badge>
          )}
        </p>
        <p className="flex flex-wrap gap-x-4 text-sm text-ink-soft">
          <span className="wrap-anywhere">{person.email}</span>
          <span className="tabular">{person.phone || t('admin.noPhone')}</span>
          <span>{t('admin.joined', { date: formatDate(person.created_at) })}</span>
        </p>
        {person.verification_notes && (
          <p className="mt-1 text-sm whitespace-pre-line text-ink-soft wrap-anywhere">
            <span className="font-semibold">{t('admin.notes')}: </span>
            {person.verification_notes}
          </p>
        )}
      </div>
      <Button variant="secondary" size="sm" onClick={onChoose}>
        {t(byAdmin ? 'admin.manage' : 'admin.verifyUser')}
      </Button>
    </li>
  )
}

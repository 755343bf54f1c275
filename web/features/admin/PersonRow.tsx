// One person in the admin's list.
import { BadgeCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { formatDate } from '../../lib/format.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import type { Person } from './api.ts'

export function PersonRow({ person, onChoose }: { person: Person; onChoose: () => void }) {
  const { t } = useTranslation()
  const verified = person.verified_by_admin
  return (
    <li className="flex flex-wrap items-center gap-4 p-4 sm:p-5">
      <Avatar name={person.full_name} src={person.avatar_url} />
      <div className="min-w-0 flex-[1_1_14rem]">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-semibold wrap-anywhere">{person.full_name || t('admin.unnamed')}</span>
          <Badge tone={verified ? 'success' : 'neutral'} icon={verified ? BadgeCheck : undefined}>
            {t(verified ? 'admin.verified' : 'admin.notVerified')}
          </Badge>
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
        {t(verified ? 'admin.manage' : 'admin.verifyUser')}
      </Button>
    </li>
  )
}

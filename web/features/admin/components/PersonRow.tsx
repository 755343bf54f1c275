// One person in the admin's list.

import { BadgeCheck, Hourglass } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { formatDate, formatDateTime } from '../../../lib/format.ts'
import { Avatar } from '../../../ui/Avatar.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { PhoneText } from '../../../ui/PhoneText.tsx'
import type { Person } from '../api/people.ts'

type PersonRowProps = {
  person: Person
  /** The admin who looks: nobody decides about themselves. */
  own: boolean
  onChoose: () => void
}

export function PersonRow({ person, own, onChoose }: PersonRowProps) {
  const { t } = useTranslation()
  const verified = person.is_verified
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-2 px-4 py-3 max-sm:items-start sm:grid-cols-[auto_minmax(0,1fr)_auto] sm:px-5">
      <Avatar name={person.full_name} src={person.avatar_url} />
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <bdi className="font-semibold wrap-anywhere">{person.full_name || t('admin.unnamed')}</bdi>
          <Badge tone={verified ? 'success' : 'neutral'} icon={verified ? BadgeCheck : undefined}>
            {t(verified ? 'admin.verified' : 'admin.notVerified')}
          </Badge>
          {person.waiting_since && (
            <Badge tone="waiting" icon={Hourglass}>
              {t('admin.waiting')}
            </Badge>
          )}
        </p>
        <p className="flex flex-wrap gap-x-4 text-sm text-ink-soft">
          <span className="wrap-anywhere">{person.email}</span>
          <span>{person.phone ? <PhoneText phone={person.phone} /> : t('admin.noPhone')}</span>
          <span>{t('admin.joined', { date: formatDate(person.created_at) })}</span>
          {person.waiting_since && (
            <span>{t('admin.handedIn', { at: formatDateTime(person.waiting_since) })}</span>
          )}
        </p>
        {person.verification_notes && (
          <p className="in-page-order mt-1 text-sm whitespace-pre-line text-ink-soft wrap-anywhere">
            <span className="font-semibold">{t('ui.labelled', { label: t('admin.notes'), value: '' })}</span>
            <bdi>{person.verification_notes}</bdi>
          </p>
        )}
      </div>
      {own ? (
        <p className="text-sm text-ink-faint max-sm:col-start-2 sm:max-w-64 sm:text-end">
          {t('admin.ownVerification')}
        </p>
      ) : (
        <Button
          variant="secondary"
          size="sm"
          onClick={onChoose}
          className="max-sm:col-start-2 max-sm:justify-self-start"
        >
          <span>{t(verified ? 'admin.manage' : 'admin.verifyUser')}</span>
          <span className="sr-only">{person.full_name || person.email}</span>
        </Button>
      )}
    </li>
  )
}

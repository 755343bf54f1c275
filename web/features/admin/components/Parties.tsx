// The two people of a payment, each with the way to all that is known of them.
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { adminPersonPath } from '../../../lib/paths.ts'

type Party = { id: string; name: string | null | undefined }

export function Parties({ giver, tasker }: { giver: Party; tasker: Party }) {
  const { t } = useTranslation()
  return (
    <p className="flex flex-wrap gap-x-4 text-sm text-ink-soft wrap-anywhere">
      <Person {...giver} part={t('backOffice.complaints.part.giver')} />
      <Person {...tasker} part={t('backOffice.complaints.part.tasker')} />
    </p>
  )
}

function Person({ id, name, part }: Party & { part: string }) {
  const { t } = useTranslation()
  return (
    <span>
      <span>{t('ui.labelled', { label: part, value: '' })}</span>
      <Link to={adminPersonPath(id)} className="text-sky underline underline-offset-4">
        <bdi>{name || t('admin.unnamed')}</bdi>
      </Link>
    </span>
  )
}

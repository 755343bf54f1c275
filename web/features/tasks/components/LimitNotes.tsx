// Notes about a limit for expenses that the giver changed, before and after an application.
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Cents } from '../../../../shared/money.ts'
import { formatMoney } from '../../../lib/format.ts'

const NOTE_CLASSES = 'rounded-md bg-wheat-soft p-3'

/** For a tasker who is writing an application: the limit is not the one that they first saw. */
export function ChangedLimit({ now }: { now: Cents | null }) {
  const { t } = useTranslation()
  const [seen] = useState(now ?? 0)
  return (now ?? 0) === seen ? null : (
    <p role="status" className={NOTE_CLASSES}>
      {t('applying.limit.changed')}
    </p>
  )
}

/** For an applicant whose application has another limit than the task has now. */
export function KeptLimit({ limit, now }: { limit: Cents | null; now: Cents | null }) {
  const { t } = useTranslation()
  if ((limit ?? 0) === (now ?? 0)) return null
  return (
    <p className={`mt-3 ${NOTE_CLASSES}`}>
      {limit
        ? t('applying.limit.kept', { amount: formatMoney(limit, { exact: true }) })
        : t('applying.limit.keptNone')}
    </p>
  )
}

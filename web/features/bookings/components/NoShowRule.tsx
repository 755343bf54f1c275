// The fee rule of a missed booking, the same for both who read it.
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { formatNumber } from '../../../lib/format.ts'

export function NoShowRule({ missing }: { missing: 'giver' | 'tasker' }) {
  const { t } = useTranslation()
  return (
    <p className="text-sm">
      {t(`schedule.noShow.rule.${missing}`, { hours: formatNumber(limits.noShow.answerHours) })}
    </p>
  )
}

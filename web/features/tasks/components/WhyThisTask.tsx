// Why a task suits the tasker who reads its card: what its score counted, and how far it is within their travel area.
import { useTranslation } from 'react-i18next'
import { formatList } from '../../../lib/format.ts'
import type { Reasons } from '../api/openTasks.ts'
import { distanceText } from './TaskFacts.tsx'

/** One line; what does not fit is cut at its end, the names of skills first. */
export function WhyThisTask({ reasons: { category, km, skills } }: { reasons: Reasons }) {
  const { t } = useTranslation()
  const parts = [
    category && t('tasks.why.category'),
    km !== null && distanceText(km, t),
    skills.length > 0 && t('tasks.why.skills', { count: skills.length, skills: formatList(skills) }),
  ]
  return (
    <p className="mt-1 truncate text-sm text-ink-soft max-sm:mt-0 max-sm:text-[0.8125rem]">
      {parts.filter(Boolean).join(' · ')}
    </p>
  )
}

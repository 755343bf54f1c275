// Whether a person is verified, shown the same way wherever a giver and a tasker meet. The database decides (is_verified).
import { BadgeCheck, ShieldQuestionMark } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Badge } from './Badge.tsx'
import { classes } from './classes.ts'

export type Verifiable = { is_verified: boolean | null; role: string | null }

/** The text of a person's mark; null for people who need no verification (only taskers do). */
export function verifiedState(person: Verifiable | null | undefined): 'verified' | 'notVerifiedYet' | null {
  if (person?.is_verified) return 'verified'
  return person?.role === 'task_doer' ? 'notVerifiedYet' : null
}

/** The mark next to a name; on a phone "verified" is the sign alone, "Not verified yet" is always read. */
export function VerifiedMark({ person }: { person: Verifiable | null | undefined }) {
  const { t } = useTranslation()
  const state = verifiedState(person)
  if (!state) return null
  const verified = state === 'verified'
  const Icon = verified ? BadgeCheck : ShieldQuestionMark
  return (
    <span
      className={classes(
        'inline-flex items-center gap-1 text-sm font-semibold',
        verified ? 'text-success' : 'text-wheat-ink',
      )}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      <span className={classes(verified && 'max-sm:sr-only')}>{t(`ui.${state}`)}</span>
    </span>
  )
}

/** The same as a separate badge. */
export function VerifiedBadge({ person, className }: { person: Verifiable; className?: string }) {
  const { t } = useTranslation()
  const state = verifiedState(person)
  if (!state) return null
  return (
    <Badge
      className={className}
      tone={state === 'verified' ? 'success' : 'waiting'}
      icon={state === 'verified' ? BadgeCheck : ShieldQuestionMark}
    >
      {t(`ui.${state}`)}
    </Badge>
  )
}

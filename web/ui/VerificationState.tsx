// The state of one's verification, next to the link to it.
import { useTranslation } from 'react-i18next'
import { Badge, type Tone } from './Badge.tsx'

const tones = {
  none: 'neutral',
  pending: 'waiting',
  verified: 'success',
  rejected: 'danger',
} as const satisfies Record<string, Tone>

/** `<VerificationState state="pending" />`: "In review". */
export function VerificationState({ state, className }: { state: keyof typeof tones; className?: string }) {
  const { t } = useTranslation()
  return (
    <Badge tone={tones[state]} className={className}>
      {t(`ui.verification.${state}`)}
    </Badge>
  )
}

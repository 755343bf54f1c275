// Why a verification is refused or taken back: the person reads it, so there must be one.
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { trimmed } from '../../../../shared/text.ts'
import { Field } from '../../../ui/form/Field.tsx'
import { Textarea } from '../../../ui/Input.tsx'

/** The text of a reason; `checked()` is it, or null after saying in the field what is wrong. */
export function useReason() {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const checked = () => {
    const reason = trimmed(text)
    const tooLong = [...reason].length > limits.decisionReason.max
    setError(reason ? (tooLong ? t('admin.reasonTooLong') : undefined) : t('admin.refusalReasonRequired'))
    return reason && !tooLong ? reason : null
  }
  return { text, setText, error, checked }
}

export function ReasonField({ reason, label }: { reason: ReturnType<typeof useReason>; label: string }) {
  const { t } = useTranslation()
  return (
    <Field label={label} hint={t('admin.refusalReasonHint')} error={reason.error} required>
      <Textarea
        autoFocus
        rows={3}
        value={reason.text}
        onChange={(event) => reason.setText(event.target.value)}
      />
    </Field>
  )
}

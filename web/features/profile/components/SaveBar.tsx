// The foot of a profile form: whether something is unsaved, and the buttons that save or discard it.
import type { FieldValues } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/Button.tsx'
import { SubmitButton } from '../../../ui/form/Form.tsx'
import type { ZodForm } from '../../../ui/form/useZodForm.ts'

export function SaveBar<Values extends FieldValues, Output extends FieldValues>({
  form,
  saving,
  label,
  onDiscard,
}: {
  form: ZodForm<Values, Output>
  saving: boolean
  /** Of the button that saves; "Save Changes" if left out. */
  label?: string
  onDiscard?: () => void
}) {
  const { t } = useTranslation()
  const { isDirty } = form.formState
  const discard = () => {
    form.reset()
    form.dropDraft()
    onDiscard?.()
  }
  return (
    <div className="flex flex-wrap items-center justify-end gap-4 border-t border-line pt-5">
      {isDirty && <p className="me-auto text-sm text-ink-soft">{t('profile.unsaved')}</p>}
      {isDirty && (
        <Button variant="secondary" disabled={saving} onClick={discard}>
          {t('profile.discard')}
        </Button>
      )}
      <SubmitButton disabled={!isDirty}>{label ?? t('profile.save')}</SubmitButton>
    </div>
  )
}

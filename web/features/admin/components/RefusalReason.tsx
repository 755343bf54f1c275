// The field in which an admin says why a verification is refused or taken back, and why that failed.
import { useTranslation } from 'react-i18next'
import { SubmissionError } from '../../../ui/form/Form.tsx'
import { FormField } from '../../../ui/form/FormField.tsx'
import { Textarea } from '../../../ui/Input.tsx'

/** Used in a Form over refusalSchema. */
export function RefusalReason({ label }: { label: string }) {
  const { t } = useTranslation()
  return (
    <>
      <FormField<{ reason: string }> name="reason" label={label} hint={t('admin.refusalReasonHint')} required>
        <Textarea autoFocus rows={3} />
      </FormField>
      <div className="mt-3 empty:hidden">
        <SubmissionError />
      </div>
    </>
  )
}

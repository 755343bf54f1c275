// Step 2: which government ID one holds, its pictures, and consent to a background check.
import { useFormContext } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { FormField } from '../../../ui/form/FormField.tsx'
import { Select } from '../../../ui/Select.tsx'
import { type Answers, ID_TYPES } from '../schema.ts'
import { Documents } from './Documents.tsx'

export function Identity() {
  const { t } = useTranslation()
  const { register } = useFormContext<Answers>()
  return (
    <>
      <FormField<Answers>
        label={t('verification.idType')}
        hint={t('verification.idTypeHint')}
        name="id_type"
        required
      >
        <Select>
          <option value="">{t('verification.chooseIdType')}</option>
          {ID_TYPES.map((type) => (
            <option key={type} value={type}>
              {t(`verification.${type}`)}
            </option>
          ))}
        </Select>
      </FormField>
      <Documents />
      <Checkbox
        label={t('verification.backgroundConsent')}
        hint={t('verification.backgroundConsentHint')}
        {...register('background_check_consent')}
      />
    </>
  )
}

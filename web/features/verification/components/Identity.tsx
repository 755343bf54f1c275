// Step 2: which government ID one holds, its pictures, and consent to a background check.
import { useFormContext } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { useErrorText } from '../../../ui/form/errors.ts'
import { Field } from '../../../ui/form/Field.tsx'
import { Select } from '../../../ui/Select.tsx'
import { type Answers, idTypes } from '../schema.ts'
import { Documents } from './Documents.tsx'

export function Identity() {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const { register, formState } = useFormContext<Answers>()
  return (
    <>
      <Field
        label={t('verification.idType')}
        hint={t('verification.idTypeHint')}
        error={errorText(formState.errors.id_type)}
        required
      >
        <Select {...register('id_type')}>
          <option value="">{t('verification.chooseIdType')}</option>
          {idTypes.map((type) => (
            <option key={type} value={type}>
              {t(`verification.${type}`)}
            </option>
          ))}
        </Select>
      </Field>
      <Documents />
      <Checkbox
        label={t('verification.backgroundConsent')}
        hint={t('verification.backgroundConsentHint')}
        {...register('background_check_consent')}
      />
    </>
  )
}

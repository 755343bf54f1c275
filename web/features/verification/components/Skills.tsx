// Step 3: insurance, if any, and what one can do.
import { useFormContext } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { useErrorText } from '../../../ui/form/errors.ts'
import { Field } from '../../../ui/form/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import type { Answers } from '../schema.ts'

export function Skills() {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const { register, watch, formState } = useFormContext<Answers>()
  const { errors } = formState
  return (
    <>
      <Checkbox label={t('verification.hasInsurance')} {...register('has_insurance')} />
      {watch('has_insurance') && (
        <div className="flex flex-col gap-5 border-s-2 border-line ps-4">
          <Field
            label={t('verification.insuranceProvider')}
            error={errorText(errors.insurance_provider)}
            optional
          >
            <Input {...register('insurance_provider')} />
          </Field>
          <Field
            label={t('verification.insurancePolicy')}
            error={errorText(errors.insurance_policy_number)}
            optional
          >
            <Input {...register('insurance_policy_number')} />
          </Field>
          <Field label={t('verification.insuranceExpiry')} optional>
            <Input type="date" {...register('insurance_expiry_date')} />
          </Field>
        </div>
      )}
      <Field
        label={t('verification.skills')}
        hint={t('verification.skillsHint')}
        error={errorText(errors.skills)}
        optional
      >
        <Input {...register('skills')} />
      </Field>
      <Field
        label={t('verification.certifications')}
        hint={t('verification.certificationsHint')}
        error={errorText(errors.certifications)}
        optional
      >
        <Input {...register('certifications')} />
      </Field>
    </>
  )
}

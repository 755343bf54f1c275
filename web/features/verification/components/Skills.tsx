// Step 3: insurance, if any, and what one can do.

import { useFormContext } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { DateInput } from '../../../ui/DateInput.tsx'
import { FormField } from '../../../ui/form/FormField.tsx'
import { Input } from '../../../ui/Input.tsx'
import type { Answers } from '../schema.ts'

export function Skills() {
  const { t } = useTranslation()
  const { register, watch } = useFormContext<Answers>()
  return (
    <>
      <Checkbox label={t('verification.hasInsurance')} {...register('has_insurance')} />
      {watch('has_insurance') && (
        <div className="flex flex-col gap-5 border-s-2 border-line ps-4">
          <FormField<Answers> label={t('verification.insuranceProvider')} name="insurance_provider" optional>
            <Input />
          </FormField>
          <FormField<Answers>
            label={t('verification.insurancePolicy')}
            hint={t('verification.insurancePolicyHint')}
            name="insurance_policy_number"
            optional
          >
            <Input />
          </FormField>
          <FormField<Answers> name="insurance_expiry_date" label={t('verification.insuranceExpiry')} optional>
            <DateInput />
          </FormField>
        </div>
      )}
      <FormField<Answers>
        label={t('verification.skills')}
        hint={t('verification.skillsHint')}
        name="skills"
        optional
      >
        <Input />
      </FormField>
      <FormField<Answers>
        label={t('verification.certifications')}
        hint={t('verification.certificationsHint')}
        name="certifications"
        optional
      >
        <Input />
      </FormField>
    </>
  )
}

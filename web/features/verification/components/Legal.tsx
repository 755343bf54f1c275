// Step 1, Legal Compliance: both agreements, the legal name and the date of birth.

import { useFormContext } from 'react-hook-form'
import { Trans, useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths } from '../../../lib/paths.ts'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { DateInput } from '../../../ui/DateInput.tsx'
import { FormField } from '../../../ui/form/FormField.tsx'
import { Input } from '../../../ui/Input.tsx'
import { type Answers, latestDateOfBirth } from '../schema.ts'

export function Legal() {
  const { t } = useTranslation()
  const { register, formState } = useFormContext<Answers>()
  const link = (to: string) => <Link to={to} target="_blank" className="text-sky underline" />
  return (
    <>
      <div>
        <Checkbox
          label={<Trans i18nKey="verification.acceptTerms" components={{ page: link(paths.terms) }} />}
          {...register('terms_accepted')}
        />
        <Checkbox
          label={<Trans i18nKey="verification.acceptPrivacy" components={{ page: link(paths.privacy) }} />}
          {...register('privacy_accepted')}
        />
      </div>
      <FormField<Answers>
        label={t('verification.legalName')}
        hint={t('verification.legalNameHint')}
        name="legal_name"
        required
      >
        <Input autoComplete="name" />
      </FormField>
      <FormField<Answers>
        label={t('verification.dateOfBirth')}
        // The error says the same.
        hint={formState.errors.date_of_birth ? undefined : t('verification.dateOfBirthHint')}
        name="date_of_birth"
        required
      >
        <DateInput autoComplete="bday" max={latestDateOfBirth()} />
      </FormField>
    </>
  )
}

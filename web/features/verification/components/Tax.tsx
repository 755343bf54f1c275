// Step 4: the tax question, and a last look at what is about to be submitted.
import { useQuery } from '@tanstack/react-query'
import { useFormContext } from 'react-hook-form'
import { Trans, useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { limits } from '../../../../shared/limits.ts'
import { fromDollars } from '../../../../shared/money.ts'
import { formatList, formatMoney, formatNumber } from '../../../lib/format.ts'
import { paths } from '../../../lib/paths.ts'
import { useUserId } from '../../../lib/session.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { myDocumentsQuery } from '../api/documents.ts'
import { type Answers, ageOf, listOf } from '../schema.ts'

export function Tax() {
  const { t } = useTranslation()
  const { register, getValues } = useFormContext<Answers>()
  const answers = getValues()
  const documents = useQuery(myDocumentsQuery(useUserId()))
  const yesNo = (value: boolean) => t(value ? 'verification.yes' : 'verification.no')
  const summary = [
    [t('verification.legalName'), answers.legal_name],
    [t('verification.ageVerified'), yesNo(ageOf(answers.date_of_birth) >= limits.minimumAge)],
    [t('verification.idType'), answers.id_type && t(`verification.${answers.id_type}`)],
    [t('verification.documents'), documents.data ? formatNumber(documents.data.length) : ''],
    [t('verification.backgroundSummary'), yesNo(answers.background_check_consent)],
    [
      t('verification.insuranceSummary'),
      answers.has_insurance ? answers.insurance_provider || yesNo(true) : yesNo(false),
    ],
    // As they are stored: without empty ones.
    [t('verification.skills'), formatList(listOf(answers.skills))],
    [t('verification.certifications'), formatList(listOf(answers.certifications))],
  ]
  const filled = summary.filter(([, value]) => value)
  return (
    <>
      <p className="text-ink-soft">
        {t('verification.taxCopy', { amount: formatMoney(fromDollars(limits.taxInformationAbove)) })}
      </p>
      <Checkbox
        label={t('verification.sinProvided')}
        hint={t('verification.sinHint')}
        {...register('sin_provided')}
      />
      {documents.data?.length === 0 && (
        <p className="rounded-md bg-wheat-soft p-4 text-wheat-ink">{t('verification.noDocumentYet')}</p>
      )}
      <div className="rounded-md bg-sunken p-4">
        <h3 className="text-lg">{t('verification.review')}</h3>
        <dl className="mt-2 divide-y divide-line">
          {filled.map(([label, value]) => (
            <div key={label} className="flex justify-between gap-6 py-2">
              <dt className="min-w-min text-ink-soft">{label}</dt>
              <dd className="min-w-1/3 max-w-2/3 text-end font-semibold wrap-break-word">{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      {answers.skills.trim() && (
        <p className="text-ink-soft">
          <Trans
            i18nKey="verification.skillsOnProfile"
            components={{ page: <Link to={paths.profile} target="_blank" className="text-sky underline" /> }}
          />
        </p>
      )}
    </>
  )
}

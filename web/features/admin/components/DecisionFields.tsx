// The fields of a decision about frozen money, and what each side gets by it before it is final.
import { type ReactNode, useEffect, useRef } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { type Cents, cents } from '../../../../shared/money.ts'
import { formatMoney } from '../../../lib/format.ts'
import { AmountInput } from '../../../ui/AmountInput.tsx'
import { useErrorText } from '../../../ui/form/errors.ts'
import { FormField } from '../../../ui/form/FormField.tsx'
import { RadioCards } from '../../../ui/RadioCards.tsx'
import { refundOfDecision } from '../schema.ts'

type Values = { decision: string; returned: string; extras: string; note: string }

type DecisionFieldsProps = {
  options: { value: string; title: string; hint: string; disabled?: boolean }[]
  /** The task's amount. */
  amount: Cents
  /** The sum of extra payments, for which a split decides separately. */
  extras?: Cents
  /** Shown below the options. */
  note?: ReactNode
  /** Shows the sums decided so far. */
  sums: (decision: string, returned: Cents) => ReactNode
}

export function DecisionFields({ options, amount, extras = cents(0), note, sums }: DecisionFieldsProps) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const { register, formState } = useFormContext<Values>()
  const { decision = '', returned: typed = '' } = useWatch<Values>()
  const returned = decision ? refundOfDecision(decision, typed, amount) : null
  // Each side's amount is visible before the decision is final.
  const sumsElement = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (decision && returned !== null) sumsElement.current?.scrollIntoView({ block: 'nearest' })
  }, [decision, returned])
  return (
    <>
      <RadioCards
        legend={t('admin.decision')}
        error={errorText(formState.errors.decision)}
        options={options}
        {...register('decision')}
      />
      {note}
      {decision === 'split' && (
        <FormField<Values>
          name="returned"
          label={t('admin.returned')}
          hint={t('admin.returnedHint', { amount: formatMoney(amount) })}
          required
        >
          <AmountInput />
        </FormField>
      )}
      {decision === 'split' && extras > 0 && (
        <RadioCards
          legend={t('admin.extras', { sum: formatMoney(extras, { exact: true }) })}
          error={errorText(formState.errors.extras)}
          options={[
            { value: 'release', title: t('admin.release') },
            { value: 'refund', title: t('admin.refund') },
          ]}
          {...register('extras')}
        />
      )}
      {returned !== null && <div ref={sumsElement}>{sums(decision, returned)}</div>}
    </>
  )
}

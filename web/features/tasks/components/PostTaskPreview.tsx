// What a new task will look like and cost, while it is being written.
import { type UseFormReturn, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { amountsOf } from '../../../lib/amounts.ts'
import { categoryText } from '../../../lib/categoryText.ts'
import { formatMoney, instantFromLocal } from '../../../lib/format.ts'
import { AmountLines } from '../../../ui/AmountLines.tsx'
import { CategoryIcon } from '../../../ui/CategoryIcon.tsx'
import { Money } from '../../../ui/Money.tsx'
import { SplitCard } from '../../../ui/SplitCard.tsx'
import { amountFrom, type NewTask, type TaskForm } from '../schema.ts'
import { TaskFacts } from './TaskFacts.tsx'

type PreviewProps = { form: UseFormReturn<TaskForm, unknown, NewTask> }

/** The typed pay in whole cents of dollars when it could be posted, else null. */
function payable(typed: string): number | null {
  const amount = amountFrom(typed)
  if (!(amount >= limits.payAmount.min && amount <= limits.payAmount.max)) return null
  return Math.round(amount * 100) / 100
}

/** The card as taskers will see it; hidden from screen readers, since the form beside it says the same. */
export function CardPreview({ form }: PreviewProps) {
  const { t } = useTranslation()
  const typed = useWatch({ control: form.control })
  const pay = payable(typed.pay_amount ?? '')
  return (
    <div aria-hidden className="hidden lg:block">
      <p className="mb-2 text-sm font-semibold text-ink-soft">{t('tasks.previewTitle')}</p>
      <SplitCard
        aside={
          <>
            <Money
              amount={pay ?? 0}
              className={
                pay === null
                  ? 'font-display text-3xl font-bold text-ink-faint'
                  : 'font-display text-3xl font-bold'
              }
            />
            <p className="text-sm text-ink-soft">{t('tasks.forTheJob')}</p>
          </>
        }
      >
        <p className="flex items-center gap-1.5 text-sm font-semibold text-ink-soft">
          <CategoryIcon category={typed.category ?? ''} className="size-4" />
          {typed.category ? categoryText(t, typed.category) : t('tasks.category')}
        </p>
        <p className="mt-2 line-clamp-2 font-display text-xl leading-snug font-bold tracking-tight wrap-anywhere">
          {typed.title?.trim() || <span className="text-ink-faint">{t('tasks.previewEmptyTitle')}</span>}
        </p>
        <p className="mt-1.5 mb-3.5 line-clamp-2 text-ink-soft">{typed.description}</p>
        <TaskFacts
          task={{
            location: typed.location?.trim() || t('tasks.previewEmptyLocation'),
            scheduled_date: instantFromLocal(typed.scheduled_date ?? ''),
            duration_minutes: Number(typed.duration_minutes) || null,
          }}
        />
      </SplitCard>
    </div>
  )
}

/** Both sides' figures for the typed pay, each by its name. */
export function FeePreview({ form }: PreviewProps) {
  const { t } = useTranslation()
  const typed = useWatch({ control: form.control, name: 'pay_amount' })
  const pay = payable(typed)
  if (pay === null) return <p className="text-ink-soft">{t('tasks.feesEmpty')}</p>
  const { amount, platformFee, gst, total, payout } = amountsOf(pay)
  return (
    <div className="rounded-lg border border-line bg-surface p-5">
      <p role="status" className="sr-only">
        {t('tasks.youPayIn', {
          total: formatMoney(total, { exact: true }),
          payout: formatMoney(payout, { exact: true }),
        })}
      </p>
      <AmountLines
        lines={[
          { label: t('payments.taskAmount'), amount },
          { label: t('payments.platformFee'), amount: platformFee },
          { label: t('payments.gst'), amount: gst },
          { label: t('tasks.youPay'), amount: total, total: true },
        ]}
      />
      <AmountLines
        className="mt-4 rounded-md bg-sunken px-3 py-2.5"
        lines={[{ label: t('tasks.taskerReceives'), amount: payout }]}
      />
      <p className="mt-3 text-sm text-ink-faint">{t('tasks.feesWhen')}</p>
    </div>
  )
}

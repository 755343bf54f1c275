// What a new task will look like and cost, while it is being written.
import { useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { fees } from '../../../../shared/fees.ts'
import { cents } from '../../../../shared/money.ts'
import { categoryText } from '../../../lib/categoryText.ts'
import { formatMoney, instantFromLocal } from '../../../lib/format.ts'
import { publicPhoto } from '../../../lib/photos.ts'
import { AmountLines } from '../../../ui/AmountLines.tsx'
import { CategoryIcon } from '../../../ui/CategoryIcon.tsx'
import { Money } from '../../../ui/Money.tsx'
import { isWaitedFor } from '../../../ui/photos/photoNames.ts'
import { SplitCard } from '../../../ui/SplitCard.tsx'
import { payFrom, type TaskForm } from '../schema.ts'
import { CARD_PHOTO_CLASSES } from './TaskCard.tsx'
import { TaskFacts } from './TaskFacts.tsx'

/** The card as taskers will see it; hidden from screen readers, since the form beside it says the same. */
export function CardPreview() {
  const { t } = useTranslation()
  const typed = useWatch<TaskForm>()
  const pay = payFrom(typed.pay_amount ?? '')
  const photo = typed.photos?.find((name): name is string => name !== undefined && !isWaitedFor(name))
  return (
    <div aria-hidden className="hidden lg:block">
      <p className="mb-2 text-sm font-semibold text-ink-soft">{t('tasks.previewTitle')}</p>
      <SplitCard
        aside={
          <>
            <Money
              amount={pay ?? cents(0)}
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
          <span>{typed.category ? categoryText(t, typed.category) : t('tasks.category')}</span>
        </p>
        <div className="mb-3.5 flex items-start gap-4">
          <div className="min-w-0 flex-1">
            <p
              dir="auto"
              className="cut-words mt-2 line-clamp-2 font-display text-xl leading-snug font-bold tracking-tight wrap-anywhere"
            >
              {typed.title?.trim() || <span className="text-ink-faint">{t('tasks.previewEmptyTitle')}</span>}
            </p>
            <p dir="auto" className="cut-words mt-1.5 line-clamp-2 text-ink-soft">
              {typed.description}
            </p>
          </div>
          {photo && <img src={publicPhoto(photo, { small: true })} alt="" className={CARD_PHOTO_CLASSES} />}
        </div>
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
export function FeePreview() {
  const { t } = useTranslation()
  const typed = useWatch<TaskForm, 'pay_amount'>({ name: 'pay_amount' })
  const pay = payFrom(typed)
  if (pay === null) return <p className="text-ink-soft">{t('tasks.feesEmpty')}</p>
  const { platformFee, gst, total, payout } = fees(pay)
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
          { label: t('payments.taskAmount'), amount: pay },
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

// The card and price of a new task while it is being written.
import { useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { priceOf } from '../../../../shared/fees.ts'
import { cents } from '../../../../shared/money.ts'
import { placeWithClock } from '../../../../shared/placeClocks.ts'
import { categoryText } from '../../../lib/categoryText.ts'
import { publicPhoto } from '../../../lib/photoAddress.ts'
import { CategoryIcon } from '../../../ui/CategoryIcon.tsx'
import { classes } from '../../../ui/classes.ts'
import { ExpenseTerms } from '../../../ui/ExpenseTerms.tsx'
import { PriceFigure, PriceSplit } from '../../../ui/PriceSplit.tsx'
import { isWaitedFor } from '../../../ui/photos/photoNames.ts'
import { SplitCard } from '../../../ui/SplitCard.tsx'
import { cardValuesFrom, expensesFrom, payFrom, type TaskForm } from '../schema.ts'
import { CARD_PHOTO_CLASSES } from './TaskCard.tsx'
import { TaskFacts } from './TaskFacts.tsx'

/**
 * The card of the task with what a tasker gets. Next to the form, which has the same content, it is hidden from
 * screen readers; `review`: it stands alone, at the end of the steps of a phone.
 */
export function CardPreview({ review }: { review: boolean }) {
  const { t } = useTranslation()
  const typed = useWatch<TaskForm>()
  const pay = payFrom(typed.pay_amount ?? '')
  const facts = cardValuesFrom(typed)
  const photo = typed.photos?.find((name): name is string => name !== undefined && !isWaitedFor(name))
  return (
    <div aria-hidden={!review} className={classes(!review && 'hidden lg:block')}>
      <p className="mb-2 text-sm font-semibold text-ink-soft">{t('tasks.previewTitle')}</p>
      <SplitCard
        aside={
          <PriceFigure
            price={priceOf(pay ?? cents(0))}
            reader="other"
            size="large"
            className={pay === null ? 'text-ink-faint' : undefined}
          />
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
            ...facts,
            place_id: placeWithClock(facts.location),
            location: facts.location || t('tasks.previewEmptyLocation'),
          }}
        />
      </SplitCard>
    </div>
  )
}

/** The typed pay for both sides; `tasker` is the tasker who is asked first. */
export function FeePreview({ tasker }: { tasker: string | undefined }) {
  const { t } = useTranslation()
  const [typed, limit, repeats] = useWatch<TaskForm, ['pay_amount', 'expense_limit', 'repeats']>({
    name: ['pay_amount', 'expense_limit', 'repeats'],
  })
  const pay = payFrom(typed)
  if (pay === null) return <p className="text-ink-soft">{t('tasks.feesEmpty')}</p>
  return (
    <div role="status" className="rounded-lg border border-line bg-surface p-5">
      <PriceSplit price={priceOf(pay)} side="giver" other={tasker} />
      <ExpenseTerms limit={expensesFrom(limit)} side="giver" visits={repeats !== ''} className="mt-2" />
      <p className="mt-2 text-sm text-ink-faint">{t('tasks.feesWhen')}</p>
    </div>
  )
}

// Offering another price for a task: up to three prices, each with what is left of it, a time or none, and the reason.
import { Plus, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { priceOf } from '../../../../shared/fees.ts'
import { limits } from '../../../../shared/limits.ts'
import { clockOf } from '../../../../shared/placeClocks.ts'
import { dropDraft, keepDraft, readDraft } from '../../../lib/drafts.ts'
import { errorText } from '../../../lib/errorText.ts'
import { formatDateTime, formatMoney, formatNumber, localFromInstant } from '../../../lib/format.ts'
import { paths } from '../../../lib/paths.ts'
import { askAboutPush } from '../../../lib/pushQuestion.ts'
import { AmountInput } from '../../../ui/AmountInput.tsx'
import { Button } from '../../../ui/Button.tsx'
import { ClockNote } from '../../../ui/ClockNote.tsx'
import { ContactsWillBeHidden } from '../../../ui/ContactNotice.tsx'
import { classes } from '../../../ui/classes.ts'
import { DateInput } from '../../../ui/DateInput.tsx'
import { ExpenseTerms } from '../../../ui/ExpenseTerms.tsx'
import { Form, SubmissionError, SubmitButton } from '../../../ui/form/Form.tsx'
import { FormField } from '../../../ui/form/FormField.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Textarea } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { offerPrice } from '../api/actions.ts'
import type { Task } from '../api/openTasks.ts'
import { EMPTY_OFFER, type Offer, type OfferForm, offerSchema, ROWS, type Row } from '../offerSchema.ts'
import { applicationDraft, characters, payFrom } from '../schema.ts'
import { ApplicationMessage } from './ApplicationMessage.tsx'
import { SavedTexts } from './SavedTexts.tsx'

type OfferPanelProps = { task: Task; userId: string; className: string; onBack: () => void }

export function OfferPanel({ task, userId, className, onBack }: OfferPanelProps) {
  const { t } = useTranslation()
  const { form, rows, setRows, offering, submit, remove } = useOffer({ task, userId })
  const [reason, message] = useWatch({ control: form.control, name: ['offer_reason', 'message'] })
  return (
    <section aria-labelledby="offer-title" className={className}>
      <h2 id="offer-title" className="mb-1 text-xl">
        {t('applying.offer.title')}
      </h2>
      <p className="mb-4 text-sm text-ink-soft">
        {t('applying.offer.lapses', {
          posted: formatMoney(task.pay_amount, { exact: true }),
          hours: formatNumber(limits.offer.hours),
        })}
      </p>
      {/* Not inside of the form, as for an application at the posted price. */}
      <SavedTexts
        userId={userId}
        text={message}
        onChoose={(text) => form.setValue('message', text, { shouldDirty: true, shouldValidate: true })}
      />
      <Form form={form} submission={offering} className="flex flex-col gap-4" onSubmit={submit}>
        <ApplicationMessage />
        {ROWS.slice(0, rows).map((row) => (
          <OfferRow
            key={row}
            row={row}
            task={task}
            only={rows === 1}
            onRemove={row === rows && row > 1 ? remove : null}
          />
        ))}
        {rows < limits.offer.options && (
          <Button variant="ghost" size="sm" className="self-start" onClick={() => setRows((rows + 1) as Row)}>
            <Plus aria-hidden />
            <span>{t('applying.offer.add')}</span>
          </Button>
        )}
        <form.Field
          name="offer_reason"
          label={t('applying.offer.reason')}
          hint={t('tasks.applyMessageHint', {
            count: formatNumber(characters(reason)),
            max: formatNumber(limits.offerReason.max),
          })}
          required
        >
          <Textarea rows={3} placeholder={t('applying.offer.reasonPlaceholder')} className="max-h-72" />
        </form.Field>
        <ContactsWillBeHidden text={reason} />
        <ExpenseTerms limit={task.expense_limit} side="tasker" visits={task.repeats !== null} />
        <SubmissionError />
        <SubmitButton size="lg" loading={offering.isPending || offering.isSuccess}>
          {t('applying.offer.send')}
        </SubmitButton>
        <Button variant="ghost" onClick={onBack}>
          {t('applying.offer.back', { amount: formatMoney(task.pay_amount, { exact: true }) })}
        </Button>
      </Form>
    </section>
  )
}

/** The form's values, rows and draft, and sending them. An offer needs a connection: its price binds from then on. */
function useOffer({ task, userId }: Pick<OfferPanelProps, 'task' | 'userId'>) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const draft = `offer:${task.id}:${userId}`
  // A draft with more rows shows them again.
  const [rows, setRows] = useState<Row>(
    () => ROWS.findLast((row) => readDraft<OfferForm>(draft)?.[`amount${row}`]) ?? 1,
  )
  const applying = applicationDraft(task.id, userId)
  const [written] = useState(() => readDraft<OfferForm>(applying))
  const form = useZodForm<OfferForm, Offer>(offerSchema(rows, clockOf(task)), {
    defaultValues: EMPTY_OFFER,
    draft,
    ...(written && { overrides: written }),
  })
  const message = useWatch({ control: form.control, name: 'message' })
  // The message stays when the tasker goes back to the posted price.
  useEffect(() => {
    if (message) keepDraft(applying, { message })
    else dropDraft(applying)
  }, [applying, message])
  const [id] = useState(() => crypto.randomUUID?.() ?? '')
  const offering = useAction(offerPrice({ id, taskId: task.id, userId, expenses: task.expense_limit }), {
    onSuccess: () => {
      form.dropDraft()
      dropDraft(applying)
      toast.success(t('applying.offer.sent'))
      askAboutPush({ userId, moment: 'applied', name: task.giver?.full_name ?? null })
      navigate(paths.bookings)
    },
    onError: (error) => toast.error(t('tasks.error'), { id: 'offer-failed', description: errorText(error) }),
  })
  const submit = (offer: Offer) => {
    if (navigator.onLine) offering.mutate(offer)
    else toast.error(t('tasks.error'), { description: t('applying.offer.needsConnection') })
  }
  const remove = () => {
    form.setValue(`amount${rows}`, '')
    form.setValue(`at${rows}`, '')
    setRows((rows - 1) as Row)
  }
  return { form, rows, setRows, offering, submit, remove }
}

type OfferRowProps = { row: Row; task: Task; only: boolean; onRemove: (() => void) | null }

function OfferRow({ row, task, only, onRemove }: OfferRowProps) {
  const { t } = useTranslation()
  const amount = payFrom(useWatch<OfferForm, `amount${Row}`>({ name: `amount${row}` }))
  const at = useWatch<OfferForm, `at${Row}`>({ name: `at${row}` })
  const timeZone = clockOf(task)
  const number = formatNumber(row)
  return (
    <fieldset
      className={classes(
        'flex min-w-0 flex-col gap-3',
        !only && 'rounded-md border border-line-strong/60 p-3',
      )}
    >
      <legend className={only ? 'sr-only' : 'px-1 text-sm font-semibold'}>
        {t('applying.offer.option', { number })}
      </legend>
      <FormField<OfferForm>
        name={`amount${row}`}
        label={t('applying.offer.amount')}
        hint={t('tasks.payHint')}
        required
      >
        <AmountInput className="tabular" />
      </FormField>
      {amount !== null && (
        <p role="status" className="-mt-2 text-sm text-ink-soft">
          {t('applying.offer.keep', {
            payout: formatMoney(priceOf(amount).payout, { exact: true }),
            total: formatMoney(priceOf(amount).total, { exact: true }),
          })}
        </p>
      )}
      {!task.repeats && (
        <>
          <FormField<OfferForm>
            name={`at${row}`}
            label={t('applying.offer.when')}
            hint={
              task.scheduled_date
                ? t('applying.offer.whenHint', { posted: formatDateTime(task.scheduled_date, timeZone) })
                : t('applying.offer.whenHintAny')
            }
            optional
          >
            <DateInput withTime min={localFromInstant(new Date(), timeZone)} />
          </FormField>
          <ClockNote typed={at} timeZone={timeZone} />
        </>
      )}
      {onRemove && (
        <Button variant="ghost" size="sm" className="self-start" onClick={onRemove}>
          <X aria-hidden />
          <span>{t('applying.offer.remove', { number })}</span>
        </Button>
      )}
    </fieldset>
  )
}

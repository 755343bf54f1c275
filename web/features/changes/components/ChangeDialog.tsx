// Proposing a change of the price, adding an expense, giving a tip, or setting the limit for expenses.
import { useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { type Cents, cents, fromDollars, toDollars } from '../../../../shared/money.ts'
import { trimmed } from '../../../../shared/text.ts'
import type { TextKey } from '../../../i18n/index.ts'
import { centsFrom, hasTooManyDecimals } from '../../../lib/amounts.ts'
import { formatMoney } from '../../../lib/format.ts'
import { z } from '../../../lib/zod.ts'
import { AmountInput } from '../../../ui/AmountInput.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form, SubmissionError, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Textarea } from '../../../ui/Input.tsx'
import { PhotoField } from '../../../ui/photos/PhotoField.tsx'
import { photoNames } from '../../../ui/photos/photoNames.ts'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { giveTip, proposeChange, setExpenseLimit } from '../api/actions.ts'
import type { Proposable } from '../asks.ts'
import type { ChangingBooking } from '../slots.ts'
import { ChangeAmounts } from './ChangeAmounts.tsx'

const key = (text: TextKey) => text

/** The typed amount in cents when it has the form of one and is at least the least, else null. */
function amountFrom(typed: string): Cents | null {
  const amount = hasTooManyDecimals(typed) ? null : centsFrom(typed)
  return amount !== null && amount >= fromDollars(limits.change.min) ? amount : null
}

/** `limit` is the one for expenses so far, which is only raised. */
const schemaOf = (ask: Proposable, limit: Cents | null) =>
  z.object({
    amount: z
      .string()
      .refine((typed) => amountFrom(typed) !== null, { error: key('changes.amountInvalid'), abort: true })
      .refine(
        (typed) => ask !== 'limit' || (amountFrom(typed) ?? 0) >= (limit ?? 0),
        key('changes.limitLowered'),
      ),
    reason: z
      .string()
      .overwrite(trimmed)
      .refine(
        (reason) => reason !== '' || !['increase', 'expense'].includes(ask),
        key('changes.reasonMissing'),
      ),
    photos: photoNames.refine(
      (photos) => ask !== 'expense' || photos.length > 0,
      key('changes.receiptMissing'),
    ),
  })

type DialogProps = {
  booking: ChangingBooking
  ask: Proposable
  side: 'giver' | 'tasker'
  /** The other side's name. */
  name: string
  onClose: () => void
  /** The tip is to be paid now. */
  onTip: (tip: { id: string; amount: Cents }) => void
}

/** Loaded when it is first opened: import it with `lazy(() => import('./components/ChangeDialog.tsx'))`. */
export default function ChangeDialog({ booking, ask, side, name, onClose, onTip }: DialogProps) {
  const { t } = useTranslation()
  const form = useZodForm(schemaOf(ask, booking.expense_limit), {
    defaultValues: { amount: limitOf(booking, ask), reason: '', photos: [] as string[] },
    draft: `change:${ask}:${booking.id}`,
  })
  const amount = amountFrom(useWatch({ control: form.control, name: 'amount' }))
  const end = (text?: string) => {
    form.dropDraft()
    onClose()
    if (text) toast.success(text)
  }
  const proposing = useAction(
    proposeChange(booking.id, ask === 'tip' || ask === 'limit' ? 'increase' : ask),
    {
      onSuccess: () => end(t('changes.sent')),
    },
  )
  const tipping = useAction(giveTip(booking.id), {
    onSuccess: (id, { amount }) => {
      end()
      onTip({ id, amount })
    },
  })
  const limiting = useAction(setExpenseLimit(booking.id), { onSuccess: () => end(t('changes.limitSaved')) })
  const doing = ask === 'tip' ? tipping : ask === 'limit' ? limiting : proposing
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !doing.isPending && onClose()}
      title={t(`changes.ask.${ask}`)}
      description={t(`changes.body.${ask}`, { name, left: leftOf(booking) })}
    >
      <Form
        form={form}
        submission={doing}
        onSubmit={({ reason, photos }) => {
          if (amount === null) return
          if (ask === 'limit') limiting.mutate({ amount })
          else (ask === 'tip' ? tipping : proposing).mutate({ amount, reason, photos })
        }}
      >
        <form.Field name="amount" label={t(`changes.amount.${ask}`)} required>
          <AmountInput className="tabular" />
        </form.Field>
        {amount !== null && ask !== 'limit' && (
          <ChangeAmounts change={{ kind: ask, amount }} side={side} name={name} />
        )}
        {ask !== 'tip' && ask !== 'limit' && (
          <form.Field
            name="reason"
            label={t('changes.reason')}
            {...(ask === 'decrease' ? { optional: true } : { required: true })}
          >
            <Textarea rows={2} maxLength={limits.change.reason} className="max-h-40 min-h-16" />
          </form.Field>
        )}
        {(ask === 'increase' || ask === 'expense') && (
          <PhotoField<{ amount: string; reason: string; photos: string[] }>
            name="photos"
            label={t(ask === 'expense' ? 'changes.receipt' : 'changes.photos')}
            hint={t(ask === 'expense' ? 'changes.receiptHint' : 'changes.photosHint')}
            required={ask === 'expense'}
            bucket="booking-photos"
            folder={booking.id}
          />
        )}
        <SubmissionError />
        <div className="flex flex-wrap justify-end gap-2">
          <Button variant="secondary" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <SubmitButton>
            {t(ask === 'tip' ? 'changes.toPayment' : ask === 'limit' ? 'changes.saveLimit' : 'changes.send')}
          </SubmitButton>
        </div>
      </Form>
    </Dialog>
  )
}

/** The limit as it is now, to be changed. */
const limitOf = ({ expense_limit }: ChangingBooking, ask: Proposable) =>
  ask === 'limit' && expense_limit !== null ? String(toDollars(expense_limit)) : ''

/** The rest of the limit for expenses, as text. */
function leftOf({ expense_limit, changes }: ChangingBooking): string {
  const used = changes
    .filter(({ kind, state }) => kind === 'expense' && ['proposed', 'accepted', 'done'].includes(state))
    .reduce((sum, { amount }) => sum + amount, 0)
  return formatMoney(cents(Math.max((expense_limit ?? 0) - used, 0)), { exact: true })
}

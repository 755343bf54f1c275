// A change that is not in effect yet: what it is, until when, and what this side can do about it.
import { useTranslation } from 'react-i18next'
import { formatMoney, formatNearDateTime } from '../../../lib/format.ts'
import { type Change, priceOfChange } from '../../../lib/queries/changes.ts'
import { Button } from '../../../ui/Button.tsx'
import { PhotoGrid } from '../../../ui/photos/PhotoGrid.tsx'
import { Quote } from '../../../ui/Quote.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { answerChange, withdrawChange } from '../api/actions.ts'
import type { ChangingBooking } from '../slots.ts'
import { ChangeAmounts } from './ChangeAmounts.tsx'

type OpenChangeProps = {
  change: Change
  booking: ChangingBooking
  side: 'giver' | 'tasker'
  /** The other side's name. */
  name: string
  onPay: () => void
}

export function OpenChange({ change, booking, side, name, onPay }: OpenChangeProps) {
  const { t } = useTranslation()
  const own = change.proposed_by === (side === 'giver' ? booking.task_giver_id : booking.task_doer_id)
  const amount = formatMoney(change.amount, { exact: true })
  const at = formatNearDateTime(change.answer_by)
  const title =
    change.kind === 'tip'
      ? t('changes.tipOpen', { amount })
      : t(`changes.${own ? 'yours' : 'theirs'}.${change.kind}`, { amount, name })
  const due = own
    ? change.state === 'accepted' && change.kind !== 'tip'
      ? 'changes.waitsForPayment'
      : change.kind === 'tip'
        ? 'changes.payBy'
        : 'changes.waits'
    : change.state === 'accepted'
      ? 'changes.payBy'
      : 'changes.answerBy'
  return (
    <div className="flex flex-col gap-3 rounded-md bg-wheat-soft p-3" data-change={change.kind}>
      <p className="font-semibold">{title}</p>
      {change.reason && (
        <Quote by={t(own ? 'changes.yourReason' : 'changes.reasonOf', { name })} className="mt-0">
          {change.reason}
        </Quote>
      )}
      <PhotoGrid
        bucket="booking-photos"
        names={change.photos}
        subject={t(change.kind === 'expense' ? 'changes.receipt' : 'changes.photos')}
      />
      {!(own && change.kind === 'tip') && <ChangeAmounts change={change} side={side} name={name} />}
      {change.kind === 'decrease' && <p className="text-sm">{t('changes.decreaseHint')}</p>}
      <p className="text-sm">{t(due, { name, at })}</p>
      <Actions change={change} own={own} onPay={onPay} />
    </div>
  )
}

function Actions({ change, own, onPay }: { change: Change; own: boolean; onPay: () => void }) {
  const { t } = useTranslation()
  const total = formatMoney(priceOfChange(change).total, { exact: true })
  const onError = t('changes.error')
  const answering = useAction(answerChange(change.id, change.amount), {
    onSuccess: (_, accepted) => {
      if (!accepted) toast.success(t('changes.declined'))
      else if (change.kind === 'decrease') toast.success(t('changes.lowered'))
      else onPay()
    },
    onError,
  })
  const withdrawing = useAction(withdrawChange(change.id), {
    onSuccess: () => toast.success(t('changes.withdrawn')),
    onError,
  })
  const accepted = change.state === 'accepted'
  return (
    <div className="flex flex-wrap gap-2">
      {accepted && (!own || change.kind === 'tip') && (
        <Button className="flex-auto" onClick={onPay}>
          {t('changes.pay', { total })}
        </Button>
      )}
      {!own && !accepted && (
        <Button
          className="flex-auto"
          loading={answering.isPending && answering.variables === true}
          disabled={answering.isPending}
          onClick={() => answering.mutate(true)}
        >
          {change.kind === 'decrease' ? t('changes.acceptLess') : t('changes.acceptAndPay', { total })}
        </Button>
      )}
      {own ? (
        <Button
          variant="secondary"
          className="flex-auto"
          loading={withdrawing.isPending}
          onClick={() => withdrawing.mutate()}
        >
          {t('changes.withdraw')}
        </Button>
      ) : (
        <Button
          variant="secondary"
          className="flex-auto"
          loading={answering.isPending && answering.variables === false}
          disabled={answering.isPending}
          onClick={() => answering.mutate(false)}
        >
          {t('changes.decline')}
        </Button>
      )}
    </div>
  )
}

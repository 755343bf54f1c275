// Changes of the price of a booking: the price now, the proposal that waits, all that were made, and what this side can propose.
import type { TFunction } from 'i18next'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Cents, cents } from '../../../shared/money.ts'
import { formatMoney } from '../../lib/format.ts'
import { type Change, priceOfChange, sumOfKind } from '../../lib/queries/changes.ts'
import { type AmountLine, AmountLines } from '../../ui/AmountLines.tsx'
import { Button } from '../../ui/Button.tsx'
import { asksOf, PROPOSABLE, type Proposable } from './asks.ts'
import { ChangeHistory } from './components/ChangeHistory.tsx'
import { OpenChange } from './components/OpenChange.tsx'
import type { ChangingBooking, PayableExtra } from './slots.ts'

const ChangeDialog = lazy(() => import('./components/ChangeDialog.tsx'))

type PanelProps = {
  booking: ChangingBooking
  side: 'giver' | 'tasker'
  onPay: (extra: PayableExtra) => void
}

/** Loaded when a booking has something to change: import it with `lazy(() => import('…/ChangesPanel.tsx'))`. */
export default function ChangesPanel({ booking, side, onPay }: PanelProps) {
  const { t } = useTranslation()
  const [asking, setAsking] = useState<Proposable | null>(null)
  const { changes } = booking
  // The tasker reads of a tip once it is paid.
  const shown = changes.filter(({ kind, state }) => side === 'giver' || kind !== 'tip' || state === 'done')
  const open = shown.filter(({ state }) => state === 'proposed' || state === 'accepted')
  const asks = asksOf(booking, side)
  const name = nameOf(booking, side) ?? t('ui.deletedUser')
  if (shown.length === 0 && asks.length === 0 && booking.expense_limit === null) return null
  return (
    <section className="flex flex-col gap-4 border-t border-line pt-5" data-changes={booking.id}>
      {(shown.length > 0 || booking.expense_limit !== null) && (
        <h3 className="text-lg leading-snug">{t('changes.title')}</h3>
      )}
      <PriceNow booking={booking} side={side} name={name} />
      {open.map((change) => (
        <OpenChange
          key={change.id}
          change={change}
          booking={booking}
          side={side}
          name={name}
          onPay={() => onPay(extraOf(change, name, t))}
        />
      ))}
      <ChangeHistory
        changes={shown.filter((change) => !open.includes(change))}
        side={side}
        title={booking.task.title}
      />
      {asks.length > 0 && (
        <div className="flex flex-wrap gap-2">
          {asks.map((ask) => (
            <Button key={ask} variant="secondary" size="sm" onClick={() => setAsking(ask)}>
              {t(`changes.ask.${ask}`)}
            </Button>
          ))}
        </div>
      )}
      <Suspense>
        {asking && (
          <ChangeDialog
            booking={booking}
            ask={asking}
            side={side}
            name={name}
            onClose={() => setAsking(null)}
            onTip={(tip) => onPay(extraOf({ ...tip, kind: 'tip' }, name, t))}
          />
        )}
      </Suspense>
    </section>
  )
}

const nameOf = ({ doer, task }: ChangingBooking, side: 'giver' | 'tasker') =>
  (side === 'giver' ? doer : task.giver)?.full_name

function extraOf(change: Pick<Change, 'id' | 'kind' | 'amount'>, name: string, t: TFunction): PayableExtra {
  const price = priceOfChange(change)
  const tip = change.kind === 'tip'
  const total = formatMoney(price.total, { exact: true })
  return {
    id: change.id,
    about: t(`changes.kind.${change.kind}`),
    price,
    hint: t(tip ? 'changes.hintTip' : 'changes.hint', { name }),
    done: t(tip ? 'changes.paidTip' : 'changes.paid', { name, total }),
  }
}

type Sum = { kind: Exclude<Proposable, 'limit'>; amount: Cents; less: boolean }

const lineOf = ({ kind, ...line }: Sum, t: TFunction): AmountLine => ({
  label: t(`changes.sum.${kind}`),
  ...line,
})

/** The agreed price, and what increases and decreases make of it; all before fees. */
function priceLines(agreed: Cents, changed: Sum[], t: TFunction): AmountLine[] {
  const first = { label: t('changes.agreed'), amount: agreed }
  if (changed.length === 0) return [first]
  const now = changed.reduce<number>((sum, { amount, less }) => sum + (less ? -amount : amount), agreed)
  return [
    first,
    ...changed.map((sum) => lineOf(sum, t)),
    { label: t('changes.now'), amount: cents(now), total: true },
  ]
}

/** How the price now comes from the agreed one, what is in escrow, and what goes back at the end. */
function PriceNow({
  booking,
  side,
  name,
}: {
  booking: ChangingBooking
  side: 'giver' | 'tasker'
  name: string
}) {
  const { t } = useTranslation()
  const { payment, changes, expense_limit } = booking
  if (!payment) return null
  const money = (amount: number) => formatMoney(cents(amount), { exact: true })
  const sums = PROPOSABLE.flatMap((kind): Sum[] => {
    if (kind === 'limit') return []
    const amount = kind === 'decrease' ? payment.reduction : sumOfKind(changes, kind)
    return amount > 0 ? [{ kind, amount, less: kind === 'decrease' }] : []
  })
  const changed = sums.filter(({ kind }) => kind === 'increase' || kind === 'decrease')
  const added = sums.filter((sum) => !changed.includes(sum))
  const held = [
    ...(payment.escrow_status === 'held' ? [payment.total] : []),
    ...changes.flatMap((change) => (change.payment?.escrow_status === 'held' ? [change.payment.total] : [])),
  ]
  const back = priceOfChange({ kind: 'decrease', amount: payment.reduction }).total
  return (
    <>
      {sums.length > 0 && (
        <div className="flex flex-col gap-3">
          <AmountLines lines={priceLines(payment.amount, changed, t)} />
          {/* Without fees, so they do not add up with a price before fees. */}
          {added.length > 0 && <AmountLines lines={added.map((sum) => lineOf(sum, t))} />}
        </div>
      )}
      {held.length > 1 && (
        <p className="text-sm text-ink-soft">
          {t('changes.inEscrow', { sum: money(held.reduce<number>((sum, one) => sum + one, 0)) })}
        </p>
      )}
      {payment.reduction > 0 && ['held', 'frozen'].includes(payment.escrow_status) && (
        <p className="text-sm text-ink-soft">
          {t(side === 'giver' ? 'changes.backToYou' : 'changes.back', { sum: money(back), name })}
        </p>
      )}
      {expense_limit !== null && ['accepted', 'in_progress'].includes(booking.status) && (
        <p className="text-sm text-ink-soft">{t('changes.limit', { amount: money(expense_limit) })}</p>
      )}
    </>
  )
}

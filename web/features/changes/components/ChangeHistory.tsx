// The changes that are over: in effect, declined, withdrawn or lapsed, each with its words, photos and receipt.
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatMoney } from '../../../lib/format.ts'
import { receiptPath } from '../../../lib/paths.ts'
import type { Change } from '../../../lib/queries/changes.ts'
import { receiptNumber } from '../../../lib/queries/receipt.ts'
import { PhotoGrid } from '../../../ui/photos/PhotoGrid.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { Summary } from '../../../ui/Summary.tsx'

type HistoryProps = { changes: Change[]; side: 'giver' | 'tasker'; title: string }

export function ChangeHistory({ changes, side, title }: HistoryProps) {
  const { t } = useTranslation()
  if (changes.length === 0) return null
  return (
    <details className="text-sm">
      <Summary className="min-h-11 font-medium text-sky">
        {t('changes.history', { count: changes.length })}
      </Summary>
      <ul className="flex flex-col gap-3">
        {changes.map((change) => (
          <li key={change.id} className="rounded-md bg-sunken px-3 py-2">
            <Row change={change} side={side} title={title} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function Row({ change, side, title }: { change: Change; side: 'giver' | 'tasker'; title: string }) {
  const { t } = useTranslation()
  const { kind, state, payment } = change
  const wentBack = payment?.escrow_status === 'refunded'
  const now = wentBack ? 'refunded' : state === 'done' && kind !== 'decrease' ? 'paid' : state
  const receipt = payment?.receipts.find((one) => one.kind === (side === 'giver' ? 'receipt' : 'statement'))
  return (
    <>
      <p className="flex flex-wrap justify-between gap-x-3 font-medium">
        <span>{t(`changes.kind.${kind}`)}</span>
        <span className="tabular" translate="no">
          {`${kind === 'decrease' ? '\u2212' : '+'}${formatMoney(change.amount, { exact: true })}`}
        </span>
      </p>
      <p className="text-ink-soft">
        <span>{`${t(`changes.state.${now}`)} · `}</span>
        <RelativeTime at={change.created_at} />
      </p>
      {change.reason && (
        <p dir="auto" className="whitespace-pre-line wrap-anywhere">
          {change.reason}
        </p>
      )}
      <PhotoGrid bucket="booking-photos" names={change.photos} subject={title} className="mt-2" />
      {receipt && (
        <Link to={receiptPath(receipt.id)} className="inline-block py-1 font-medium text-sky hover:underline">
          {receiptNumber(receipt)}
        </Link>
      )}
    </>
  )
}

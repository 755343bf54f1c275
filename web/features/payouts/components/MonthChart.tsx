// Twelve months as bars, and as a table for whoever reads rather than looks.
import { useTranslation } from 'react-i18next'
import { cents } from '../../../../shared/money.ts'
import { formatMoney, formatMonth, formatNumber } from '../../../lib/format.ts'
import { Summary } from '../../../ui/Summary.tsx'
import type { Month } from '../api/history.ts'
import { scaleOf } from './scale.ts'

export function MonthChart({ months }: { months: Month[] }) {
  const { t } = useTranslation()
  const top = scaleOf(cents(Math.max(...months.map(({ amount }) => amount))))
  return (
    <>
      <div aria-hidden data-chart className="mt-3 grid grid-cols-[auto_1fr] gap-x-2">
        <div className="tabular relative w-12 text-end text-xs text-ink-soft">
          <span translate="no" className="absolute end-0 top-0 -translate-y-1/2">
            {formatMoney(top)}
          </span>
          <span translate="no" className="absolute end-0 top-1/2 -translate-y-1/2">
            {formatMoney(cents(top / 2))}
          </span>
        </div>
        <div className="relative flex h-44 items-end gap-1 border-b border-line-strong sm:gap-2">
          <span className="absolute inset-x-0 top-0 border-t border-dashed border-line" />
          <span className="absolute inset-x-0 top-1/2 border-t border-dashed border-line" />
          {months.map(({ month, amount }) => (
            <span
              key={month}
              title={
                amount > 0
                  ? t('ui.labelled', {
                      label: formatMonth(month, 'long'),
                      value: formatMoney(amount, { exact: true }),
                    })
                  : undefined
              }
              className="relative min-w-0 flex-1 rounded-t-sm bg-wheat-deep"
              style={{ height: `${(amount / top) * 100}%`, minHeight: amount > 0 ? 3 : 0 }}
            />
          ))}
        </div>
        <div className="col-start-2 mt-1 flex gap-1 text-center text-xs text-ink-soft sm:gap-2">
          {months.map(({ month }) => (
            <span key={month} className="min-w-0 flex-1">
              <span className="sm:hidden">{formatMonth(month, 'narrow')}</span>
              <span className="max-sm:hidden">{formatMonth(month, 'short')}</span>
            </span>
          ))}
        </div>
      </div>
      <details className="group">
        <Summary className="py-1 font-medium text-sky hover:underline">{t('payouts.asTable')}</Summary>
        <table className="tabular mt-2 w-full text-start">
          <caption className="sr-only">{t('payouts.earnings')}</caption>
          <thead>
            <tr className="border-b border-line-strong text-sm text-ink-soft">
              <th className="py-2 text-start font-semibold">{t('payouts.month')}</th>
              <th className="py-2 ps-4 text-end font-semibold">{t('payouts.count')}</th>
              <th className="py-2 ps-4 text-end font-semibold">{t('payouts.columns.paid')}</th>
            </tr>
          </thead>
          <tbody>
            {months.map(({ month, amount, payouts }) => (
              <tr key={month} className="border-b border-line">
                <th scope="row" className="py-2 text-start font-normal">
                  {formatMonth(month, 'long')}
                </th>
                <td className="py-2 text-end">{formatNumber(payouts)}</td>
                <td translate="no" className="py-2 ps-4 text-end">
                  {formatMoney(amount, { exact: true })}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  )
}

// A repeat in words: 'Every Tuesday at 9:00 a.m., from Dec 1 to Mar 30. 17 visits, $40 each.'
import { useTranslation } from 'react-i18next'
import { clock } from '../../marketplace.config.ts'
import type { Cents } from '../../shared/money.ts'
import { clockWords, formatCalendarDay, formatMoney, formatNumber, localFromInstant } from '../lib/format.ts'
import { type Repeats, timeIn, type VisitSpan, weekdayIn } from '../lib/repeats.ts'

type RepeatSummaryProps = {
  repeats: Repeats
  span: VisitSpan
  timeZone: string
  /** Of each visit, before fees. */
  amount: Cents | null
  className?: string
}

export function RepeatSummary({ repeats, span, timeZone, amount, className }: RepeatSummaryProps) {
  const { t } = useTranslation()
  const { first, last, count } = span
  const firstDay = localFromInstant(first, timeZone).slice(0, 10)
  const snow = repeats.every === 'snowfall'
  const when =
    repeats.every === 'snowfall'
      ? t('repeats.snowAt', {
          cm: formatNumber(repeats.cm ?? 0),
          last: formatCalendarDay(repeats.until ?? ''),
        })
      : first &&
        last &&
        t(`repeats.${repeats.every}At`, {
          weekday: weekdayIn(first, timeZone),
          day: formatNumber(Number(firstDay.slice(8))),
          time: timeIn(first, timeZone),
          first: formatCalendarDay(firstDay),
          last: formatCalendarDay(last),
        })
  const late = repeats.every === 'monthly' && Number(firstDay.slice(8)) > 28
  return (
    <div className={className}>
      <p>
        <span>{when}</span>{' '}
        <span className="font-semibold">{t(snow ? 'repeats.upTo' : 'repeats.visits', { count })}</span>
        {amount !== null && (
          <span className="font-semibold">{`, ${t('repeats.each', { amount: formatMoney(amount) })}`}</span>
        )}
      </p>
      {late && <p className="text-sm text-ink-soft">{t('repeats.shortMonths')}</p>}
      {timeZone !== clock.timeZone && first && (
        <p className="text-sm text-ink-soft">{t('repeats.byClock', clockWords(timeZone))}</p>
      )}
    </div>
  )
}

// Pay and days of filters, as chips and saved searches show them.
import { useTranslation } from 'react-i18next'
import { formatCalendarDay } from '../../lib/format.ts'
import type { Filters } from './browsing.ts'

/** `$60 or more`, `From Monday, May 4`; '' without a condition. */
export function useFilterTexts({ min, max, from, to }: Omit<Filters, 'place'>): {
  pay: string
  days: string
} {
  const { t } = useTranslation()
  return { pay: payText(), days: daysText() }

  function payText(): string {
    if (min && max) return t('tasks.chipPay', { min, max })
    if (min) return t('tasks.chipMin', { min })
    return max && t('tasks.chipMax', { max })
  }

  function daysText(): string {
    if (from && from === to) return unbroken(from)
    if (from && to) return t('tasks.chipDays', { from: unbroken(from), to: unbroken(to) })
    if (from) return t('tasks.chipFrom', { from: unbroken(from) })
    return to && t('tasks.chipTo', { to: unbroken(to) })
  }
}

/** Where a line ends, the day stays whole. */
const unbroken = (day: string) => formatCalendarDay(day).replaceAll(' ', '\u00a0')

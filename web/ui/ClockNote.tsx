// Below the field of a time: by which clock it is typed if the device has another one, and which of two times is meant.
import { useTranslation } from 'react-i18next'
import { clockWords, differsOnDevice, formatMoment, instantFromLocal, timesShown } from '../lib/format.ts'

type ClockNoteProps = {
  /** The value of a datetime-local input. */
  typed: string
  /** IANA name of the clock by which it is typed. */
  timeZone: string
}

export function ClockNote({ typed, timeZone }: ClockNoteProps) {
  const { t } = useTranslation()
  const at = timesShown(typed, timeZone) > 0 ? instantFromLocal(typed, timeZone) : null
  const device = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <p role="status" className="flex flex-col text-sm text-ink-soft empty:hidden">
      {differsOnDevice(at ?? new Date(), timeZone) && (
        <>
          <span>{t('ui.clocks.by', clockWords(timeZone))}</span>
          {at && <span>{t('ui.clocks.device', { time: formatMoment(at, device) })}</span>}
        </>
      )}
      {at && timesShown(typed, timeZone) > 1 && <span>{t('ui.clocks.twice')}</span>}
    </p>
  )
}

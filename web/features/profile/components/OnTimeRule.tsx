// The button next to the on-time rate; it opens how the rate is counted.
import { Info } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { formatNumber } from '../../../lib/format.ts'
import { DeferredPopup } from '../../../ui/Deferred.tsx'

export function OnTimeRule() {
  const { t } = useTranslation()
  const label = `${t('profile.onTime')} · ${t('profile.onTimeHow')}`
  return (
    <DeferredPopup
      kind="dialog"
      load={async () => {
        const { InfoPopover } = await import('../../../ui/InfoPopover.tsx')
        return {
          default: ({ trigger }) => (
            <InfoPopover trigger={trigger} label={label}>
              <p className="text-sm">
                {t('profile.onTimeRule', { minutes: formatNumber(limits.arrival.graceMinutes) })}
              </p>
            </InfoPopover>
          ),
        }
      }}
    >
      <button
        type="button"
        aria-label={label}
        className="-my-3 inline-flex size-11 items-center justify-center rounded-full text-sky hover:bg-sunken"
      >
        <Info aria-hidden className="size-4" />
      </button>
    </DeferredPopup>
  )
}

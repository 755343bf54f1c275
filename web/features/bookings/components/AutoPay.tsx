// The giver's agreement that the default card is charged for each visit, before the series is agreed and afterwards.
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { errorText } from '../../../lib/errorText.ts'
import { repeatsFrom } from '../../../lib/repeats.ts'
import { useUserId } from '../../../lib/session.tsx'
import { Checkbox, Switch } from '../../../ui/Checkbox.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import type { Booking } from '../api/queries.ts'
import { hasDefaultCardQuery, setAutoPay } from '../api/series.ts'

/** A switch that takes effect at once. */
export function AutoPay({ series }: { series: NonNullable<Booking['series']> }) {
  const { t } = useTranslation()
  const snow = repeatsFrom(series.repeats)?.every === 'snowfall'
  const setting = useAction(setAutoPay(series.id), {
    onSuccess: (_, agreed) => toast.success(t(agreed ? 'repeats.autoPayOn' : 'repeats.autoPayOff')),
    onError: (error) => toast.error(t('bookings.error'), { description: errorText(error) }),
  })
  const on = setting.isPending ? setting.variables === true : series.auto_pay_since !== null
  return (
    <Switch
      className="min-h-11 max-w-md grow items-center"
      label={t('repeats.autoPay')}
      hint={t(snow ? 'repeats.autoPaySnow' : 'repeats.autoPayHint')}
      checked={on}
      disabled={setting.isPending}
      onChange={({ target }) => setting.mutate(target.checked)}
    />
  )
}

type SeriesTermsProps = { snow: boolean; autoPay: boolean; onAutoPay: (agreed: boolean) => void }

/** The terms that the giver accepts with the first visit. Loaded when it is needed: `lazy(() => import('./AutoPay.tsx'))`. */
export default function SeriesTerms({ snow, autoPay, onAutoPay }: SeriesTermsProps) {
  const { t } = useTranslation()
  const { data: hasCard } = useQuery(hasDefaultCardQuery(useUserId()))
  return (
    <div className="flex basis-full flex-col gap-2 rounded-md bg-wheat-soft p-3 text-sm">
      <p>{t(snow ? 'repeats.acceptSnow' : 'repeats.acceptAll')}</p>
      {hasCard && (
        <Checkbox
          className="min-h-11 items-center"
          label={t('repeats.autoPay')}
          hint={t(snow ? 'repeats.autoPaySnow' : 'repeats.autoPayHint')}
          checked={autoPay}
          onChange={({ target }) => onAutoPay(target.checked)}
        />
      )}
    </div>
  )
}

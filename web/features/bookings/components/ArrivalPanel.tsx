// On the day of the work: the tasker says that they are on the way and that they have arrived, and adds photos; the giver sees it.
import { MapPinCheck, Navigation } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { clockOf } from '../../../../shared/placeClocks.ts'
import { formatNearDateTime, formatNumber, formatTime } from '../../../lib/format.ts'
import { z } from '../../../lib/zod.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form, SubmissionError, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { PhotoField } from '../../../ui/photos/PhotoField.tsx'
import { photoNames } from '../../../ui/photos/photoNames.ts'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { saveBeforePhotos, stateArrival, stateWindow } from '../api/dayOfWork.ts'
import type { Booking, Side } from '../api/queries.ts'
import { canArrive, WINDOWS } from '../dayOfWork.ts'

type PanelProps = { booking: Booking; side: Side; name: string }

/** Loaded on the day: import it with `lazy(() => import('./ArrivalPanel.tsx'))`. */
export default function ArrivalPanel({ booking, side, name }: PanelProps) {
  const { t } = useTranslation()
  const { arrived_at, arrives_from, arrives_until } = booking
  const own = side === 'tasker'
  return (
    <section className="flex flex-col gap-3 rounded-md bg-sky-soft p-3 sm:p-4">
      <h3 className="font-sans text-base font-semibold tracking-normal">{t('schedule.day.title')}</h3>
      {arrived_at ? (
        <p className="flex items-start gap-2">
          <MapPinCheck aria-hidden className="mt-0.5 size-5 shrink-0" />
          <span>
            {t(own ? 'schedule.day.youArrived' : 'schedule.day.arrived', {
              name,
              at: formatNearDateTime(arrived_at, clockOf(booking.task)),
            })}
          </span>
        </p>
      ) : (
        arrives_from &&
        arrives_until && (
          <p className="flex items-start gap-2">
            <Navigation aria-hidden className="mt-0.5 size-5 shrink-0" />
            <span>
              {t(own ? 'schedule.day.youOnTheWay' : 'schedule.day.onTheWay', {
                name,
                from: formatNearDateTime(arrives_from, clockOf(booking.task)),
                until: formatTime(arrives_until, clockOf(booking.task)),
              })}
            </span>
          </p>
        )
      )}
      {own && (arrived_at ? <BeforePhotos booking={booking} /> : <Statements booking={booking} />)}
    </section>
  )
}

/** The tasker's buttons before the arrival. */
function Statements({ booking }: { booking: Booking }) {
  const { t } = useTranslation()
  const [choosing, setChoosing] = useState(false)
  const leaving = useAction(stateWindow(booking.id), {
    onSuccess: () => {
      setChoosing(false)
      toast.success(t('schedule.day.windowSent'))
    },
    onError: t('bookings.error'),
  })
  const arriving = useAction(stateArrival(booking.id), {
    onSuccess: () => toast.success(t('schedule.day.arrivalSent')),
    onError: t('bookings.error'),
  })
  const now = Date.now()
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button
          variant="secondary"
          className="flex-auto"
          aria-expanded={choosing}
          disabled={arriving.isPending}
          onClick={() => setChoosing(!choosing)}
        >
          <Navigation aria-hidden />
          <span>{t(booking.arrives_until ? 'schedule.day.changeWindow' : 'schedule.day.onMyWay')}</span>
        </Button>
        {canArrive(booking) && (
          <Button
            className="flex-auto"
            loading={arriving.isPending}
            disabled={leaving.isPending}
            onClick={() => arriving.mutate()}
          >
            <MapPinCheck aria-hidden />
            <span>{t('schedule.day.arrive')}</span>
          </Button>
        )}
      </div>
      {choosing && (
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 text-sm">{t('schedule.day.windowLegend')}</legend>
          {WINDOWS.map((window) => (
            <Button
              key={window[1]}
              variant="secondary"
              loading={leaving.isPending && leaving.variables === window}
              disabled={leaving.isPending}
              onClick={() => leaving.mutate(window)}
            >
              {t('schedule.day.window', {
                from: formatTime(new Date(now + window[0] * 60_000)),
                until: formatTime(new Date(now + window[1] * 60_000)),
              })}
            </Button>
          ))}
        </fieldset>
      )}
      <p className="text-sm">
        {t('schedule.day.onTimeNote', { minutes: formatNumber(limits.arrival.graceMinutes) })}
      </p>
    </>
  )
}

const schema = z.object({ photos: photoNames })

/** Photos of the place before the work. */
function BeforePhotos({ booking }: { booking: Booking }) {
  const { t } = useTranslation()
  const form = useZodForm(schema, {
    defaultValues: { photos: booking.before_photos },
    draft: `beforePhotos:${booking.id}`,
    draftIsDirty: true,
  })
  const saving = useAction(saveBeforePhotos(booking.id), {
    onSuccess: () => {
      form.reset(form.getValues())
      form.dropDraft()
      toast.success(t('schedule.day.photosSaved'))
    },
  })
  return (
    <Form form={form} submission={saving} className="flex flex-col gap-3" onSubmit={saving.mutate}>
      <PhotoField<z.input<typeof schema>>
        name="photos"
        label={t('schedule.day.before')}
        hint={t('schedule.day.beforeHint')}
        bucket="booking-photos"
        folder={booking.id}
      />
      <SubmissionError />
      <SubmitButton disabled={!form.formState.isDirty}>{t('schedule.day.savePhotos')}</SubmitButton>
    </Form>
  )
}

// The tasker's report of snow, which makes the visit of today: how deep, a photo, and when they come.
import { useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import type { TextKey } from '../../../i18n/index.ts'
import { formatNumber, instantFromLocal, localFromInstant } from '../../../lib/format.ts'
import { repeatsFrom, wholeNumber } from '../../../lib/repeats.ts'
import { z } from '../../../lib/zod.ts'
import { Button } from '../../../ui/Button.tsx'
import { ClockNote } from '../../../ui/ClockNote.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form, SubmissionError, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { PhotoField } from '../../../ui/photos/PhotoField.tsx'
import { photoNames } from '../../../ui/photos/photoNames.ts'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import type { Booking } from '../api/queries.ts'
import { reportSnow } from '../api/series.ts'

const key = (text: TextKey) => text

/** Today's date by that clock with a time of day, as inputs have it; '' for none. */
const localToday = (time: string, timeZone: string) =>
  /^\d{2}:\d{2}/.test(time) ? `${localFromInstant(new Date(), timeZone).slice(0, 10)}T${time}` : ''

/** `tooLittle` is the text for less snow than `min` centimetres. */
const schemaOf = (min: number, tooLittle: string, timeZone: string) =>
  z.object({
    cm: z
      .string()
      .transform((typed) => wholeNumber(typed, limits.repeat.snowCm) ?? 0)
      .refine((cm) => cm > 0, { error: key('repeats.snowInvalid'), abort: true })
      .refine((cm) => cm >= min, tooLittle),
    time: z
      .string()
      .transform((typed) => instantFromLocal(localToday(typed, timeZone), timeZone))
      .refine((at) => at !== null && new Date(at) > new Date(), key('repeats.snowTimeInvalid')),
    photos: photoNames.refine((names) => names.length > 0, key('repeats.snowPhotoMissing')),
  })

type SnowDialogProps = {
  series: NonNullable<Booking['series']>
  /** The agreed booking, into whose folder the photos go. */
  agreedId: string
  onClose: () => void
}

/** Loaded when it is first opened: import it with `lazy(() => import('./SnowDialog.tsx'))`. */
export default function SnowDialog({ series, agreedId, onClose }: SnowDialogProps) {
  const { t } = useTranslation()
  const min = repeatsFrom(series.repeats)?.cm ?? 1
  const tooLittle = t('repeats.snowTooLittle', { min: formatNumber(min) })
  const form = useZodForm(schemaOf(min, tooLittle, series.time_zone), {
    defaultValues: { cm: '', time: '', photos: [] as string[] },
    draft: `snow:${series.id}`,
  })
  const time = useWatch({ control: form.control, name: 'time' })
  const reporting = useAction(reportSnow(series.id), {
    onSuccess: () => {
      form.dropDraft()
      onClose()
      toast.success(t('repeats.snowSent'))
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !reporting.isPending && onClose()}
      title={t('repeats.snowTitle')}
      description={t('repeats.snowBody', { min: formatNumber(min) })}
    >
      <Form
        form={form}
        submission={reporting}
        className="flex flex-col gap-4"
        onSubmit={({ cm, time, photos }) => time && reporting.mutate({ cm, photos, startsAt: time })}
      >
        <form.Field name="cm" label={t('repeats.snowCm')} required className="sm:max-w-xs">
          <Input inputMode="numeric" />
        </form.Field>
        <form.Field name="time" label={t('repeats.snowTime')} required className="sm:max-w-xs">
          <Input type="time" />
        </form.Field>
        <ClockNote typed={localToday(time, series.time_zone)} timeZone={series.time_zone} />
        <PhotoField<{ cm: string; time: string; photos: string[] }>
          required
          name="photos"
          label={t('repeats.snowPhotos')}
          hint={t('repeats.snowPhotosHint')}
          bucket="booking-photos"
          folder={agreedId}
        />
        <SubmissionError />
        <div className="flex flex-wrap justify-end gap-2">
          <Button variant="secondary" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <SubmitButton>{t('repeats.snowSend')}</SubmitButton>
        </div>
      </Form>
    </Dialog>
  )
}

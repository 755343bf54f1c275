// Proposing another time for a booking: typed on the clock of the task's place.
import { addDays } from 'date-fns'
import { useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { clockOf } from '../../../../shared/placeClocks.ts'
import { trimmed } from '../../../../shared/text.ts'
import type { TextKey } from '../../../i18n/index.ts'
import {
  formatDateTime,
  formatNumber,
  instantFromLocal,
  localFromInstant,
  timesShown,
} from '../../../lib/format.ts'
import { useUserId } from '../../../lib/session.tsx'
import { z } from '../../../lib/zod.ts'
import { Button } from '../../../ui/Button.tsx'
import { ClockNote } from '../../../ui/ClockNote.tsx'
import { DateInput } from '../../../ui/DateInput.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form, SubmissionError, SubmitButton } from '../../../ui/form/Form.tsx'
import { refusedField, showRefusedField } from '../../../ui/form/refusedField.ts'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Textarea } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { proposeTime } from '../api/proposals.ts'
import type { Booking } from '../api/queries.ts'

const key = (text: TextKey) => text

/** The typed time must exist on the clock, lie ahead, and differ from the agreed one. */
const schemaFor = (timeZone: string, agreed: string | null) =>
  z.object({
    starts_at: z
      .string()
      .min(1, key('schedule.timeRequired'))
      .refine((typed) => timesShown(typed, timeZone) > 0, key('ui.clocks.skipped'))
      .refine((typed) => new Date(instantFromLocal(typed, timeZone) ?? 0) > new Date(), key('tasks.datePast'))
      .refine(
        (typed) => agreed === null || typed.slice(0, 16) !== localFromInstant(agreed, timeZone),
        key('schedule.timeSame'),
      ),
    message: z.string().overwrite(trimmed),
  })

type ProposeProps = { booking: Booking; name: string; onClose: () => void }

/** Loaded when it is first opened: import it with `lazy(() => import('./ProposeTimeDialog.tsx'))`. */
export default function ProposeTimeDialog({ booking, name, onClose }: ProposeProps) {
  const { t } = useTranslation()
  const userId = useUserId()
  const agreed = booking.task.scheduled_date
  const timeZone = clockOf(booking.task)
  const form = useZodForm(schemaFor(timeZone, agreed), {
    defaultValues: { starts_at: localFromInstant(agreed, timeZone), message: '' },
    draft: `time:${booking.id}`,
  })
  const startsAt = useWatch({ control: form.control, name: 'starts_at' })
  const proposing = useAction(proposeTime(booking.id, userId), {
    onSuccess: () => {
      form.dropDraft()
      onClose()
      toast.success(t('schedule.proposed'), { description: t('schedule.proposedBody', { name }) })
    },
    onError: (error) => showRefusedField(form, error),
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !proposing.isPending && onClose()}
      title={t('bookings.proposeTime')}
      description={
        agreed
          ? t('schedule.body', {
              name,
              at: formatDateTime(agreed, timeZone),
              hours: formatNumber(limits.timeProposal.hours),
            })
          : t('schedule.bodyAny', { name, hours: formatNumber(limits.timeProposal.hours) })
      }
    >
      <Form
        form={form}
        submission={proposing}
        onSubmit={({ starts_at, message }) =>
          proposing.mutate({ startsAt: instantFromLocal(starts_at, timeZone) ?? '', message })
        }
      >
        <form.Field name="starts_at" label={t('schedule.newTime')} required>
          <DateInput
            withTime
            min={localFromInstant(new Date(), timeZone)}
            max={localFromInstant(addDays(new Date(), limits.timeProposal.daysAhead), timeZone)}
          />
        </form.Field>
        <ClockNote typed={startsAt} timeZone={timeZone} />
        <form.Field name="message" label={t('schedule.message')} optional>
          <Textarea rows={2} maxLength={limits.timeProposal.message} className="max-h-40 min-h-16" />
        </form.Field>
        {refusedField(form, proposing.error) === null && <SubmissionError />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button variant="secondary" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <SubmitButton>{t('schedule.send')}</SubmitButton>
        </div>
      </Form>
    </Dialog>
  )
}

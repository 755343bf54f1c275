// A report that one of the two did not come: what follows from it, and the answers.

import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNearDateTime } from '../../../lib/format.ts'
import { MISSED_PART } from '../../../lib/paths.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Button } from '../../../ui/Button.tsx'
import { PhotoGrid } from '../../../ui/photos/PhotoGrid.tsx'
import { Quote } from '../../../ui/Quote.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { answerNoShow } from '../api/dayOfWork.ts'
import type { Booking, Side } from '../api/queries.ts'
import type { NoShow } from '../dayOfWork.ts'
import { NoShowForm } from './NoShowForm.tsx'
import { NoShowRule } from './NoShowRule.tsx'

type PanelProps = { booking: Booking; report: NoShow; side: Side; name: string }

/** Loaded when there is a report: import it with `lazy(() => import('./NoShowPanel.tsx'))`. */
export default function NoShowPanel({ booking, report, side, name }: PanelProps) {
  const { t } = useTranslation()
  const own = report.reported_by === (side === 'giver' ? booking.task_giver_id : booking.task_doer_id)
  const missing = report.reported_by === booking.task_giver_id ? 'tasker' : 'giver'
  const open = report.state === 'open' && booking.status === 'in_progress'
  return (
    <section
      data-part={MISSED_PART}
      className="flex flex-col gap-3 rounded-md bg-wheat-soft p-3 text-wheat-ink sm:p-4"
    >
      <h3 className="font-sans text-base font-semibold tracking-normal">
        {t(`schedule.noShow.${own ? 'yours' : 'theirs'}.${missing}`, { name })}
      </h3>
      <Quote by={own ? t('schedule.noShow.yourWords') : t('schedule.messageOf', { name })} className="mt-0">
        {report.words}
      </Quote>
      <PhotoGrid bucket="booking-photos" names={report.photos} subject={t('schedule.noShow.photos')} />
      {report.answer && (
        <Quote
          by={own ? t('schedule.noShow.objectionOf', { name }) : t('schedule.noShow.yourObjection')}
          className="mt-0"
        >
          {report.answer}
        </Quote>
      )}
      <PhotoGrid bucket="booking-photos" names={report.answer_photos} subject={t('schedule.noShow.photos')} />
      {open ? (
        <>
          <NoShowRule missing={missing} />
          <p className="text-sm">
            {t(own ? 'schedule.otherAnswersBy' : 'schedule.answerBy', {
              name,
              at: formatNearDateTime(report.answer_by),
            })}
          </p>
          {own ? <Withdraw report={report} /> : <Answers booking={booking} report={report} />}
        </>
      ) : (
        <p className="text-sm">{t(`schedule.noShow.state.${outcomeOf(report)}`)}</p>
      )}
    </section>
  )
}

const OUTCOMES = ['confirmed', 'objected', 'lapsed'] as const
const outcomeOf = ({ state }: NoShow) => OUTCOMES.find((known) => known === state) ?? 'lapsed'

/** The author of the report takes it back. */
function Withdraw({ report }: { report: NoShow }) {
  const { t } = useTranslation()
  const withdrawing = useAction(answerNoShow(report.id), {
    onSuccess: () => toast.success(t('schedule.noShow.withdrawn')),
    onError: t('bookings.error'),
  })
  return (
    <Button
      variant="secondary"
      size="sm"
      className="self-start"
      loading={withdrawing.isPending}
      onClick={() => withdrawing.mutate({ state: 'withdrawn' })}
    >
      {t('schedule.noShow.withdraw')}
    </Button>
  )
}

/** The missing person objects, or admits it after a question. */
function Answers({ booking, report }: { booking: Booking; report: NoShow }) {
  const { t } = useTranslation()
  const [admitting, setAdmitting] = useState(false)
  const confirming = useAction(answerNoShow(report.id), {
    onSuccess: () => {
      setAdmitting(false)
      toast.success(t('bookings.cancelled'))
    },
    onError: t('bookings.error'),
  })
  const objecting = useAction(answerNoShow(report.id), {
    onSuccess: () => toast.success(t('schedule.noShow.objected')),
  })
  const missing = report.reported_by === booking.task_giver_id ? 'tasker' : 'giver'
  return (
    <>
      <NoShowForm
        draft={`objection:${report.id}`}
        bookingId={booking.id}
        label={t('schedule.noShow.object')}
        submission={objecting}
        submitLabel={t('schedule.noShow.sendObjection')}
        onSubmit={({ words, photos }) => objecting.mutate({ state: 'objected', answer: words, photos })}
      />
      <Button variant="ghost" className="text-danger" onClick={() => setAdmitting(true)}>
        {t('schedule.noShow.admit')}
      </Button>
      <AlertDialog
        open={admitting}
        onOpenChange={(next) => !confirming.isPending && setAdmitting(next)}
        title={t('schedule.noShow.admit')}
        description={<NoShowRule missing={missing} />}
        confirmLabel={t('bookings.cancel')}
        cancelLabel={t('bookings.keep')}
        onConfirm={() => confirming.mutate({ state: 'confirmed' })}
        loading={confirming.isPending}
        danger
      />
    </>
  )
}

// Actions of both sides at any time: write to the other, cancel, book the same person again.
import { MessageCircle, Pencil, Repeat } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { editTaskPath, postTaskPath } from '../../lib/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { type Booking, CHATTING, type Side } from './api/queries.ts'
import { CancelDialog } from './CancelDialog.tsx'
import { CalendarMenu } from './components/CalendarMenu.tsx'
import { ProposeTime } from './components/ProposeTime.tsx'
import { ReportNoShow } from './components/ReportNoShow.tsx'
import { skips } from './skipping.ts'
import type { BookingSlots } from './slots.ts'

const SkipDialog = lazy(() => import('./components/SkipDialog.tsx'))

export function BookingActions({
  booking,
  side,
  slots: { UnreadMark },
  onChat,
}: {
  booking: Booking
  side: Side
  slots: Pick<BookingSlots, 'UnreadMark'>
  onChat: () => void
}) {
  const { t } = useTranslation()
  const { status } = booking
  const chats = CHATTING.includes(status)
  // Money that is frozen moves for nobody: the database refuses to cancel then.
  const frozen = booking.payment?.escrow_status === 'frozen'
  const cancels =
    !frozen &&
    // The agreement on a snowfall task ends with its series.
    booking.visit_number !== 0 &&
    (status === 'accepted' || status === 'in_progress' || (status === 'pending' && side === 'tasker'))
  const again = side === 'giver' && isPast(booking)
  const edits = side === 'giver' && status === 'pending'
  if (!chats && !cancels && !edits) return null
  const other = side === 'tasker' ? booking.task.giver : booking.doer
  const name = other?.full_name ?? t('ui.deletedUser')
  return (
    <div className="mt-auto flex flex-wrap items-center gap-2 pt-5">
      {chats && (
        <Button variant="secondary" size="sm" onClick={onChat}>
          <MessageCircle aria-hidden />
          <span>{t('bookings.chat')}</span>
          <UnreadMark bookingId={booking.id} />
        </Button>
      )}
      <CalendarMenu booking={booking} side={side} />
      <ProposeTime booking={booking} name={name} />
      <ReportNoShow booking={booking} side={side} name={name} />
      {edits && (
        <Button asChild variant="secondary" size="sm">
          <Link
            to={editTaskPath(booking.task_id)}
            aria-label={t('bookings.editTaskNamed', { title: booking.task.title })}
          >
            <Pencil aria-hidden />
            <span>{t('bookings.editTask')}</span>
          </Link>
        </Button>
      )}
      {again && (
        <Button asChild variant="secondary" size="sm">
          <Link
            to={postTaskPath({
              repeat: booking.task_id,
              ...(other?.full_name ? { ask: booking.task_doer_id } : {}),
            })}
          >
            <Repeat aria-hidden />
            <span>
              {other?.full_name
                ? t('bookings.bookAgain', { name: other.full_name })
                : t('bookings.postAgain')}
            </span>
          </Link>
        </Button>
      )}
      {cancels && <CancelButton booking={booking} side={side} />}
    </div>
  )
}

/** Money that still waits for a word, or for an administrator, is no past booking. */
const isPast = ({ status, payment }: Booking) =>
  status === 'completed' && ['released', 'refunded'].includes(payment?.escrow_status ?? '')
/** Withdraws, cancels or skips, after a question that says what it costs. */
function CancelButton({ booking, side }: { booking: Booking; side: Side }) {
  const { t } = useTranslation()
  const [asking, setAsking] = useState(false)
  const skipping = skips(booking, side)
  const label =
    booking.status === 'pending' ? 'bookings.withdraw' : skipping ? 'bookings.skip' : 'bookings.cancel'
  return (
    <>
      <Button variant="ghost" size="sm" className="text-danger first:-ms-3" onClick={() => setAsking(true)}>
        {t(label)}
      </Button>
      {!skipping && <CancelDialog booking={booking} side={side} open={asking} onOpenChange={setAsking} />}
      <Suspense>
        {skipping && asking && (
          <SkipDialog booking={booking} snow={skipping === 'snow'} onClose={() => setAsking(false)} />
        )}
      </Suspense>
    </>
  )
}

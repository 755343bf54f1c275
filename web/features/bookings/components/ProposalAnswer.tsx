// The other person's proposal of another time, with the answers to it.
import { useTranslation } from 'react-i18next'
import { clockOf } from '../../../../shared/placeClocks.ts'
import { formatDateTime, formatNearDateTime } from '../../../lib/format.ts'
import { TIME_PART } from '../../../lib/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Quote } from '../../../ui/Quote.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { answerProposal } from '../api/proposals.ts'
import type { Booking, Side } from '../api/queries.ts'
import { isMovable, type TimeProposal } from '../proposals.ts'
import { ProposedTime } from './ProposedTime.tsx'

type AnswerProps = { booking: Booking; proposal: TimeProposal; side: Side; name: string }

/** Loaded when there is one: import it with `lazy(() => import('./ProposalAnswer.tsx'))`. */
export default function ProposalAnswer({ booking, proposal, side, name }: AnswerProps) {
  const { t } = useTranslation()
  const accepting = useAction(answerProposal(proposal), {
    onSuccess: () =>
      toast.success(t('schedule.accepted'), {
        description: t('schedule.acceptedBody', {
          at: formatDateTime(proposal.starts_at, clockOf(booking.task)),
        }),
      }),
    onError: t('bookings.error'),
  })
  const declining = useAction(answerProposal(proposal), {
    onSuccess: () => toast.success(t('schedule.declined'), { description: t('schedule.declinedBody') }),
    onError: t('bookings.error'),
  })
  return (
    <section data-part={TIME_PART} className="rounded-md bg-wheat-soft p-3 text-wheat-ink sm:p-4">
      <h3 className="font-sans text-base font-semibold tracking-normal">{t('schedule.theirs', { name })}</h3>
      <ProposedTime booking={booking} proposal={proposal} />
      {proposal.message && (
        <Quote by={t('schedule.messageOf', { name })} className="mt-2">
          {proposal.message}
        </Quote>
      )}
      <p className="mt-2 text-sm">
        <span>{`${t('schedule.holdsUntilYou')} `}</span>
        {booking.status === 'in_progress' && (
          <span>{`${t(side === 'giver' ? 'schedule.feeForGiver' : 'schedule.feeForTasker', { name })} `}</span>
        )}
        <span>{t('schedule.answerBy', { at: formatNearDateTime(proposal.answer_by) })}</span>
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button
          className="flex-auto"
          loading={accepting.isPending}
          disabled={declining.isPending || !isMovable(booking)}
          onClick={() => accepting.mutate('accepted')}
        >
          {t('schedule.accept')}
        </Button>
        <Button
          variant="secondary"
          className="flex-auto"
          loading={declining.isPending}
          disabled={accepting.isPending}
          onClick={() => declining.mutate('declined')}
        >
          {t('bookings.decline')}
        </Button>
      </div>
    </section>
  )
}

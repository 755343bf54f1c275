// Another time for a booking: the proposal that waits, with its answers, and the history of the times before.
import { CalendarClock } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { clockName, wallTimeAt } from '../../../lib/clocks.ts'
import { formatDateTime, formatNearDateTime } from '../../../lib/format.ts'
import { TIME_PART } from '../../../lib/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Quote } from '../../../ui/Quote.tsx'
import { Summary } from '../../../ui/Summary.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { answerProposal } from '../api/proposals.ts'
import type { Booking, Side } from '../api/queries.ts'
import { isMovable, openProposal, proposalToAnswer, type TimeProposal } from '../proposals.ts'

type SectionProps = { booking: Booking; side: Side; name: string }

/** Loaded for bookings with proposals: import it with `lazy(() => import('./TimeProposals.tsx'))`. */
export default function TimeProposals({ booking, side, name }: SectionProps) {
  const waiting = openProposal(booking)
  const earlier = booking.proposals.filter((proposal) => proposal !== waiting)
  return (
    <div className="mt-4 flex flex-col gap-3">
      {waiting &&
        (proposalToAnswer(booking, side) ? (
          <ToAnswer booking={booking} proposal={waiting} side={side} name={name} />
        ) : (
          <Waiting booking={booking} proposal={waiting} name={name} />
        ))}
      {earlier.length > 0 && <History booking={booking} proposals={earlier} name={name} side={side} />}
    </div>
  )
}

type ProposalProps = { booking: Booking; proposal: TimeProposal; name: string }

/** The other person's proposal, with the answers to it. */
function ToAnswer({ booking, proposal, side, name }: ProposalProps & { side: Side }) {
  const { t } = useTranslation()
  const accepting = useAction(answerProposal(proposal), {
    onSuccess: () =>
      toast.success(t('schedule.accepted'), {
        description: t('schedule.acceptedBody', { at: formatDateTime(proposal.starts_at) }),
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
      <Times booking={booking} proposal={proposal} />
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

/** One's own proposal, which the other person has. */
function Waiting({ booking, proposal, name }: ProposalProps) {
  const { t } = useTranslation()
  const withdrawing = useAction(answerProposal(proposal), {
    onSuccess: () => toast.success(t('schedule.withdrawn'), { description: t('schedule.declinedBody') }),
    onError: t('bookings.error'),
  })
  return (
    <section data-part={TIME_PART} className="rounded-md bg-sunken p-3 sm:p-4">
      <h3 className="font-sans text-base font-semibold tracking-normal">{t('schedule.yours')}</h3>
      <Times booking={booking} proposal={proposal} />
      {proposal.message && (
        <Quote by={t('bookings.yourMessage')} className="mt-2">
          {proposal.message}
        </Quote>
      )}
      <p className="mt-2 text-sm text-ink-soft">
        <span>{`${t('schedule.holdsUntilOther', { name })} `}</span>
        <span>{t('schedule.otherAnswersBy', { name, at: formatNearDateTime(proposal.answer_by) })}</span>
      </p>
      <Button
        variant="secondary"
        size="sm"
        className="mt-3"
        loading={withdrawing.isPending}
        onClick={() => withdrawing.mutate('withdrawn')}
      >
        {t('schedule.withdraw')}
      </Button>
    </section>
  )
}

/** The proposed time, on the place's clock, too, where that shows another one, and the time before. */
function Times({ booking, proposal }: { booking: Booking; proposal: TimeProposal }) {
  const { t } = useTranslation()
  const zone = booking.task.place_time_zone
  const there = wallTimeAt(proposal.starts_at, zone)
  return (
    <p className="mt-1">
      <span className="flex items-start gap-2 text-lg leading-snug font-semibold">
        <CalendarClock aria-hidden className="mt-0.5 size-5 shrink-0" />
        <span>{formatDateTime(proposal.starts_at)}</span>
      </span>
      {there && (
        <span className="block text-sm">{t('schedule.there', { time: there, clock: clockName(zone) })}</span>
      )}
      <span className="block text-sm">
        {proposal.before_starts_at
          ? t('schedule.insteadOf', { at: formatDateTime(proposal.before_starts_at) })
          : t('schedule.insteadOfAny')}
      </span>
    </p>
  )
}

/** What became of the proposals before, the newest first. */
function History({ booking, proposals, name, side }: SectionProps & { proposals: TimeProposal[] }) {
  const { t } = useTranslation()
  const own = side === 'giver' ? booking.task_giver_id : booking.task_doer_id
  return (
    <details className="group text-sm">
      <Summary className="min-h-9 text-sky">{t('schedule.history', { number: proposals.length })}</Summary>
      <ol className="mt-1 flex flex-col gap-2">
        {proposals.toReversed().map((proposal) => (
          <li key={proposal.id} className="border-s-2 border-line-strong ps-3">
            <span className="block">
              {t(proposal.proposed_by === own ? 'schedule.youProposed' : 'schedule.theyProposed', {
                name,
                at: formatDateTime(proposal.starts_at),
                before: proposal.before_starts_at
                  ? formatDateTime(proposal.before_starts_at)
                  : t('tasks.anyTime'),
              })}
            </span>
            <span className="block text-ink-soft">
              {t(`schedule.state.${stateOf(proposal)}`, {
                at: formatDateTime(proposal.answered_at ?? proposal.answer_by),
              })}
            </span>
          </li>
        ))}
      </ol>
    </details>
  )
}

const ENDED = ['accepted', 'declined', 'withdrawn'] as const

/** An open one that is over counts as lapsed, also before the schedule has run. */
const stateOf = ({ state }: TimeProposal) => ENDED.find((known) => known === state) ?? 'lapsed'

// Another time for a booking: one's own proposal that waits, and the history of the times before.
import { useTranslation } from 'react-i18next'
import { clockOf } from '../../../../shared/placeClocks.ts'
import { formatDateTime, formatNearDateTime } from '../../../lib/format.ts'
import { TIME_PART } from '../../../lib/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Quote } from '../../../ui/Quote.tsx'
import { Summary } from '../../../ui/Summary.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { answerProposal } from '../api/proposals.ts'
import type { Booking, Side } from '../api/queries.ts'
import { openProposal, proposalToAnswer, type TimeProposal } from '../proposals.ts'
import { ProposedTime } from './ProposedTime.tsx'

type SectionProps = { booking: Booking; side: Side; name: string }

/** Loaded for bookings with proposals: import it with `lazy(() => import('./TimeProposals.tsx'))`. */
export default function TimeProposals({ booking, side, name }: SectionProps) {
  const waiting = openProposal(booking)
  const earlier = booking.proposals.filter((proposal) => proposal !== waiting)
  return (
    <div className="mt-4 flex flex-col gap-3">
      {waiting && !proposalToAnswer(booking, side) && (
        <Waiting booking={booking} proposal={waiting} name={name} />
      )}
      {earlier.length > 0 && <History booking={booking} proposals={earlier} name={name} side={side} />}
    </div>
  )
}

type ProposalProps = { booking: Booking; proposal: TimeProposal; name: string }

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
      <ProposedTime booking={booking} proposal={proposal} />
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

/** Earlier proposals with their outcome, the newest first. */
function History({ booking, proposals, name, side }: SectionProps & { proposals: TimeProposal[] }) {
  const { t } = useTranslation()
  const own = side === 'giver' ? booking.task_giver_id : booking.task_doer_id
  const timeZone = clockOf(booking.task)
  return (
    <details className="group text-sm">
      <Summary className="min-h-9 text-sky">{t('schedule.history', { number: proposals.length })}</Summary>
      <ol className="mt-1 flex flex-col gap-2">
        {proposals.toReversed().map((proposal) => (
          <li key={proposal.id} className="border-s-2 border-line-strong ps-3">
            <span className="block">
              {t(proposal.proposed_by === own ? 'schedule.youProposed' : 'schedule.theyProposed', {
                name,
                at: formatDateTime(proposal.starts_at, timeZone),
                before: proposal.before_starts_at
                  ? formatDateTime(proposal.before_starts_at, timeZone)
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

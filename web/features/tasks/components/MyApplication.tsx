// The tasker's own application on the task screen: its state, the prices they offered, and the giver's counter-offer.
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { priceOf } from '../../../../shared/fees.ts'
import type { Cents } from '../../../../shared/money.ts'
import { formatMoney, formatNearDateTime } from '../../../lib/format.ts'
import { bookingPath, paths } from '../../../lib/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import type { Task } from '../api/openTasks.ts'
import type { MyApplication as Application } from '../api/queries.ts'
import { KeptLimit } from './LimitNotes.tsx'

type MyApplicationProps = { application: Application; task: Task; className: string }

export function MyApplication({ application, task, className }: MyApplicationProps) {
  const { t } = useTranslation()
  const { id, status, created_at, agreed_amount, offer_options, counter_amount, answer_by } = application
  const pending = status === 'pending'
  const counter = pending && application.counter_state === 'open' ? counter_amount : null
  return (
    <section className={className}>
      <p className="font-semibold">
        {counter === null
          ? t(`tasks.application.${outcomeOf(application, task)}`)
          : t('applying.offer.countered')}
      </p>
      <p className="text-sm text-ink-faint">
        <RelativeTime at={created_at} />
      </p>
      {counter !== null && (
        <div className="mt-3 rounded-md bg-wheat-soft p-3">
          <Terms title={formatMoney(counter, { exact: true })} amount={counter} />
          {answer_by && (
            <p className="text-sm">{t('applying.offer.answerBy', { at: formatNearDateTime(answer_by) })}</p>
          )}
        </div>
      )}
      {counter === null && pending && offer_options && (
        <ul className="mt-3 flex flex-col gap-2">
          {offer_options.map(({ amount, starts_at }) => (
            <li key={`${amount} ${starts_at}`}>
              <Terms
                title={t('applying.offer.offered', { amount: formatMoney(amount, { exact: true }) })}
                amount={amount}
              />
            </li>
          ))}
        </ul>
      )}
      {pending && !offer_options && agreed_amount !== task.pay_amount && (
        <p className="mt-3 rounded-md bg-wheat-soft p-3">
          {t('tasks.appliedAt', {
            agreed: formatMoney(agreed_amount, { exact: true }),
            now: formatMoney(task.pay_amount, { exact: true }),
          })}
        </p>
      )}
      {pending && <KeptLimit limit={application.expense_limit} now={task.expense_limit} />}
      <Button asChild variant={counter === null ? 'secondary' : 'primary'} className="mt-4 w-full">
        <Link to={counter === null ? paths.bookings : bookingPath(id)}>
          {t(counter === null ? 'tasks.toBookings' : 'applying.offer.answer')}
        </Link>
      </Button>
    </section>
  )
}

/** A price and what the tasker keeps of it. */
function Terms({ title, amount }: { title: string; amount: Cents }) {
  const { t } = useTranslation()
  return (
    <p className="flex flex-col">
      <span className="font-semibold">{title}</span>
      <span className="text-sm text-ink-soft">
        {t('applying.offer.youReceive', { payout: formatMoney(priceOf(amount).payout, { exact: true }) })}
      </span>
    </p>
  )
}

/**
 * The outcome of an application. It counts as declined only if the giver declined it, not if the task went to
 * somebody else or nobody.
 */
function outcomeOf(application: Application, task: Task) {
  if (application.status !== 'rejected' || !application.passed_over) return application.status
  return task.status === 'cancelled' ? 'withdrawn' : 'passedOver'
}

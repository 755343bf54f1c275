// What waits for this person, first on the dashboard: each line is one tap from what is to be done.
import { useQuery } from '@tanstack/react-query'
import {
  BadgeCheck,
  Banknote,
  CalendarClock,
  CheckCheck,
  CreditCard,
  HandHelping,
  Hourglass,
  Landmark,
  type LucideIcon,
  MessageSquareWarning,
  Scale,
  ShieldCheck,
  Star,
  UserCheck,
  Users,
} from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { fees } from '../../../../shared/fees.ts'
import type { Cents } from '../../../../shared/money.ts'
import { formatMoney, formatNearDateTime } from '../../../lib/format.ts'
import {
  ANSWER_PART,
  applicationsPath,
  BOOKING_PARAMETER,
  NEXT_PART,
  PART_PARAMETER,
  paths,
  REVIEW_PART,
  taskPath,
} from '../../../lib/paths.ts'
import { useVerification } from '../../../lib/queries/verification.ts'
import { type Role, useUserId } from '../../../lib/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Quote } from '../../../ui/Quote.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { type ActionItem, actionItemsQuery } from '../api/queries.ts'

const icons: Record<ActionItem['kind'], LucideIcon> = {
  confirm: CheckCheck,
  answer_complaint: MessageSquareWarning,
  pay: CreditCard,
  finish: CheckCheck,
  asked: HandHelping,
  choose: Users,
  payout_account: Banknote,
  add_bank: Landmark,
  work_ahead: CalendarClock,
  review: Star,
  get_verified: BadgeCheck,
  verification_pending: Hourglass,
  verification_rejected: BadgeCheck,
  decide_verifications: UserCheck,
  decide_complaints: Scale,
  back_office: ShieldCheck,
}

export function ActionItems({ role }: { role: Role | null | undefined }) {
  const { t } = useTranslation()
  const items = useQuery(actionItemsQuery(useUserId(), role))
  return (
    <section aria-labelledby="needs-you" aria-busy={items.isPending} className="mt-10 mb-10">
      <h2 id="needs-you" className="mb-4 text-2xl">
        {t('dashboard.waitingTitle')}
      </h2>
      {items.isPending ? (
        <Skeleton className="h-52 rounded-lg sm:h-48" />
      ) : items.isLoadingError ? (
        <ErrorState onRetry={items.refetch} />
      ) : items.data?.length === 0 ? (
        <p className="rounded-lg border border-dashed border-line-strong/60 px-5 py-4 text-ink-soft">
          {t('dashboard.waitingNone')}
        </p>
      ) : (
        <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line-strong bg-surface">
          {items.data?.map((item) => (
            <Item key={`${item.kind} ${item.booking_id ?? item.task_id}`} item={item} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Item({ item }: { item: ActionItem }) {
  const { t } = useTranslation()
  const { kind } = item
  const Icon = icons[kind]
  const reason = useVerification()?.reason
  const to = addressOf(item)
  const words = {
    task: item.title,
    person: item.person ?? t('bookings.someone'),
    count: item.count,
    amount: item.amount !== null && formatMoney(shownAmount(kind, item.amount), { exact: true }),
    due: item.due_at && formatNearDateTime(item.due_at),
  }
  return (
    <li className="flex flex-col gap-x-5 gap-y-3 p-4 sm:flex-row sm:items-center sm:p-5">
      <div className="flex min-w-0 flex-1 gap-3 sm:gap-4">
        <span className="grid size-8 shrink-0 place-items-center rounded-full bg-wheat-soft text-wheat-ink sm:size-10">
          <Icon aria-hidden className="size-4 sm:size-5" />
        </span>
        <div className="min-w-0">
          <h3 className="text-base leading-snug wrap-anywhere sm:text-lg">
            {t(`dashboard.waiting.${kind}.title`, words)}
          </h3>
          <p className="mt-0.5 text-ink-soft max-sm:text-sm">
            {t(`dashboard.waiting.${kind}.detail`, words)}
          </p>
          {kind === 'verification_rejected' && reason && <Quote by={t('dashboard.reason')}>{reason}</Quote>}
        </div>
      </div>
      {to && (
        <Button asChild size="sm" variant="secondary" className="max-sm:ms-11 max-sm:self-start">
          <Link to={to}>{t(`dashboard.waiting.${kind}.action`)}</Link>
        </Button>
      )}
    </li>
  )
}

/** Cents as this person pays or receives them: prices become what is paid with fees, or what is left after them. */
function shownAmount(kind: ActionItem['kind'], amount: Cents): Cents {
  if (kind === 'pay') return fees(amount).total
  return kind === 'asked' ? fees(amount).payout : amount
}

/** Where it is done; null while there is only to wait. */
function addressOf({ kind, booking_id, task_id }: ActionItem): string | null {
  switch (kind) {
    case 'asked':
      return taskPath(task_id)
    case 'choose':
      return applicationsPath(task_id ?? '')
    case 'payout_account':
    case 'add_bank':
      return `${paths.profile}?tab=payout`
    case 'get_verified':
    case 'verification_rejected':
      return paths.verification
    case 'verification_pending':
      return null
    case 'review':
      return bookingAddress(booking_id, { [PART_PARAMETER]: REVIEW_PART })
    case 'answer_complaint':
      return bookingAddress(booking_id, { [PART_PARAMETER]: ANSWER_PART })
    case 'pay':
    case 'confirm':
    case 'finish':
      return bookingAddress(booking_id, { [PART_PARAMETER]: NEXT_PART })
    case 'decide_verifications':
      return paths.adminVerifications
    case 'decide_complaints':
      return paths.adminComplaints
    case 'back_office':
      return paths.admin
    default:
      return bookingAddress(booking_id)
  }
}

function bookingAddress(id: string | null, part: Record<string, string> = {}): string {
  return `${paths.bookings}?${new URLSearchParams({ [BOOKING_PARAMETER]: id ?? '', ...part })}`
}

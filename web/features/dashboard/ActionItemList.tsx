// Lines of a person's pending items, on the dashboard and in My Bookings: each is one tap from its action.
import {
  BadgeCheck,
  Banknote,
  BellDot,
  CalendarClock,
  CalendarSync,
  CheckCheck,
  CreditCard,
  HandCoins,
  HandHelping,
  Landmark,
  type LucideIcon,
  MessageSquareWarning,
  Scale,
  ShieldCheck,
  Star,
  UserCheck,
  Users,
  UserX,
} from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { fees } from '../../../shared/fees.ts'
import type { Cents } from '../../../shared/money.ts'
import { formatMoney, formatNearDateTime } from '../../lib/format.ts'
import {
  ANSWER_PART,
  applicationsPath,
  BOOKING_PARAMETER,
  MISSED_PART,
  NEXT_PART,
  PART_PARAMETER,
  paths,
  REVIEW_PART,
  TIME_PART,
  taskPath,
} from '../../lib/paths.ts'
import type { ActionItem } from '../../lib/queries/actionItems.ts'
import { useVerification } from '../../lib/queries/verification.ts'
import { Button } from '../../ui/Button.tsx'
import { Quote } from '../../ui/Quote.tsx'

type Kind = ActionItem['kind'] | 'other'

const icons: Record<Kind, LucideIcon> = {
  other: BellDot,
  confirm: CheckCheck,
  answer_complaint: MessageSquareWarning,
  pay: CreditCard,
  finish: CheckCheck,
  asked: HandHelping,
  choose: Users,
  answer_counter: HandCoins,
  answer_time: CalendarSync,
  answer_no_show: UserX,
  answer_change: HandCoins,
  payout_account: Banknote,
  add_bank: Landmark,
  work_ahead: CalendarClock,
  review: Star,
  get_verified: BadgeCheck,
  verification_rejected: BadgeCheck,
  decide_verifications: UserCheck,
  decide_complaints: Scale,
  back_office: ShieldCheck,
}

/** `level` is that of the lines' headings. */
export function ActionItemList({ items, level = 3 }: { items: ActionItem[]; level?: 3 | 4 }) {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line-strong bg-surface">
      {items.map((item) => (
        <Item key={`${item.kind} ${item.booking_id ?? item.task_id}`} item={item} level={level} />
      ))}
    </ul>
  )
}

function Item({ item, level }: { item: ActionItem; level: 3 | 4 }) {
  const { t } = useTranslation()
  // A newer database can list kinds that this version of the app does not know.
  const kind: Kind = Object.hasOwn(icons, item.kind) ? item.kind : 'other'
  const Icon = icons[kind]
  const Heading = level === 3 ? 'h3' : 'h4'
  const words = {
    task: item.title,
    person: item.person ?? t('ui.deletedUser'),
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
          <Heading className="font-display text-base leading-snug font-bold tracking-[-0.018em] wrap-anywhere sm:text-lg">
            {t(`actionItems.kind.${kind}.title`, words)}
          </Heading>
          <p className="mt-0.5 text-ink-soft max-sm:text-sm">{t(`actionItems.kind.${kind}.detail`, words)}</p>
          {kind === 'verification_rejected' && <RejectionReason />}
        </div>
      </div>
      <Button asChild size="sm" variant="secondary" className="max-sm:ms-11 max-sm:self-start">
        <Link to={addressOf(item)}>{t(`actionItems.kind.${kind}.action`)}</Link>
      </Button>
    </li>
  )
}

function RejectionReason() {
  const { t } = useTranslation()
  const reason = useVerification()?.reason
  return reason ? <Quote by={t('actionItems.reason')}>{reason}</Quote> : null
}

/** Cents as this person pays or receives them: prices become what is paid with fees, or what is left after them. */
function shownAmount(kind: Kind, amount: Cents): Cents {
  if (kind === 'pay') return fees(amount).total
  return kind === 'asked' || kind === 'answer_counter' ? fees(amount).payout : amount
}

/** Where it is done. */
function addressOf({ kind, booking_id, task_id }: ActionItem): string {
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
    case 'review':
      return bookingAddress(booking_id, { [PART_PARAMETER]: REVIEW_PART })
    case 'answer_no_show':
      return bookingAddress(booking_id, { [PART_PARAMETER]: MISSED_PART })
    case 'answer_time':
      return bookingAddress(booking_id, { [PART_PARAMETER]: TIME_PART })
    case 'answer_complaint':
      return bookingAddress(booking_id, { [PART_PARAMETER]: ANSWER_PART })
    case 'pay':
    case 'confirm':
    case 'finish':
    case 'answer_counter':
      return bookingAddress(booking_id, { [PART_PARAMETER]: NEXT_PART })
    case 'decide_verifications':
      return paths.adminVerifications
    case 'decide_complaints':
      return paths.adminComplaints
    case 'back_office':
      return paths.admin
    case 'work_ahead':
    case 'answer_change':
      return bookingAddress(booking_id)
    default:
      return booking_id ? bookingAddress(booking_id) : task_id ? taskPath(task_id) : paths.notifications
  }
}

function bookingAddress(id: string | null, part: Record<string, string> = {}): string {
  return `${paths.bookings}?${new URLSearchParams({ [BOOKING_PARAMETER]: id ?? '', ...part })}`
}

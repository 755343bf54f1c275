// /admin: what waits for an admin, the oldest of each kind named, and the way to each.
import { useQuery } from '@tanstack/react-query'
import {
  Banknote,
  CircleCheck,
  CreditCard,
  Flag,
  type LucideIcon,
  RotateCw,
  Scale,
  ShieldAlert,
  UserCheck,
  UserX,
} from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDateTime, formatNumber } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'
import { Card } from '../../ui/Card.tsx'
import { classes } from '../../ui/classes.ts'
import { PageHeader } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { overviewQuery, type Waiting } from './api/overview.ts'

const places: Record<Waiting['kind'], { to: string; icon: LucideIcon }> = {
  verifications: { to: paths.adminVerifications, icon: UserCheck },
  complaints: { to: paths.adminComplaints, icon: Scale },
  reports: { to: paths.adminReports, icon: Flag },
  losses: { to: paths.adminComplaints, icon: ShieldAlert },
  chargebacks: { to: `${paths.adminMoney}?tab=disputes`, icon: CreditCard },
  not_sent: { to: `${paths.adminMoney}?state=stuck`, icon: Banknote },
  failed_effects: { to: paths.adminEffects, icon: RotateCw },
  suspended: { to: `${paths.adminPeople}?filter=suspended`, icon: UserX },
}

/** Kinds that need an admin's action; the rest is information. */
const toDo = (kind: Waiting['kind']) => kind !== 'suspended'

export default function OverviewPage() {
  const { t } = useTranslation()
  const overview = useQuery(overviewQuery)
  const waiting = overview.data?.filter(({ kind }) => toDo(kind)) ?? []
  return (
    <>
      <PageHeader title={t('backOffice.overview.title')} subtitle={t('backOffice.overview.subtitle')} />
      {overview.isPending && <Skeleton className="h-40 w-full rounded-lg" />}
      {overview.isError && !overview.data && (
        <ErrorState error={overview.error} onRetry={() => overview.refetch()} />
      )}
      {overview.data && waiting.every(({ count }) => count === 0) && (
        <EmptyState
          icon={CircleCheck}
          title={t('backOffice.overview.nothing')}
          body={t('backOffice.overview.nothingBody')}
          className="mb-6"
        />
      )}
      {overview.data && (
        <ul className="grid gap-2 sm:grid-cols-2 sm:gap-4 xl:grid-cols-4">
          {overview.data.map((one) => (
            <Tile key={one.kind} {...one} />
          ))}
        </ul>
      )}
    </>
  )
}

function Tile({ kind, count, oldest }: Waiting) {
  const { t } = useTranslation()
  const { to, icon: Icon } = places[kind]
  const urgent = count > 0 && toDo(kind)
  return (
    // On a phone each is one line: what waits is seen without scrolling past what does not.
    <Card
      asChild
      interactive
      className="relative flex items-center gap-4 max-sm:px-4 max-sm:py-3 sm:flex-col sm:items-stretch sm:gap-3"
    >
      <li>
        <div className="contents items-center justify-between gap-4 sm:flex">
          <span
            className={classes(
              'grid size-10 shrink-0 place-items-center rounded-full',
              urgent ? 'bg-wheat-soft text-wheat-ink' : 'bg-sunken text-ink-soft',
            )}
          >
            <Icon aria-hidden className="size-5" />
          </span>
          <span
            className={classes(
              'tabular font-display text-3xl font-semibold max-sm:order-last sm:text-4xl',
              !urgent && 'text-ink-faint',
            )}
          >
            {formatNumber(count)}
          </span>
        </div>
        <div className="min-w-0 flex-1">
          <Link
            to={to}
            className="font-semibold after:absolute after:inset-0 after:rounded-lg focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-sky"
          >
            {t(`backOffice.overview.kind.${kind}`)}
          </Link>
          <p className="text-sm text-ink-soft">
            {count > 0 && oldest
              ? t('backOffice.overview.oldest', { at: formatDateTime(oldest) })
              : t('backOffice.overview.none')}
          </p>
        </div>
      </li>
    </Card>
  )
}

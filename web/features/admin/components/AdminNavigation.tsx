// The back office's navigation: one row that scrolls sideways where it does not fit, with the number of pending
// items.
import { useQuery } from '@tanstack/react-query'
import {
  Banknote,
  ChartColumn,
  Flag,
  Gauge,
  type LucideIcon,
  RotateCw,
  Scale,
  ScrollText,
  ShieldCheck,
  UserCheck,
  UsersRound,
} from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { NavLink, useLocation } from 'react-router'
import type { TextKey } from '../../../i18n/index.ts'
import { formatNumber } from '../../../lib/format.ts'
import { paths } from '../../../lib/paths.ts'
import { classes } from '../../../ui/classes.ts'
import { useScrollSelectedIntoView } from '../../../ui/useScrollSelectedIntoView.ts'
import { overviewQuery, type Waiting } from '../api/overview.ts'

type Entry = { to: string; label: TextKey; icon: LucideIcon; waits?: Waiting['kind'][] }

const entries: Entry[] = [
  { to: paths.admin, label: 'backOffice.nav.overview', icon: Gauge },
  {
    to: paths.adminVerifications,
    label: 'backOffice.nav.verifications',
    icon: UserCheck,
    waits: ['verifications'],
  },
  {
    to: paths.adminComplaints,
    label: 'backOffice.nav.complaints',
    icon: Scale,
    waits: ['complaints', 'losses'],
  },
  {
    to: paths.adminMoney,
    label: 'backOffice.nav.money',
    icon: Banknote,
    waits: ['not_sent', 'chargebacks'],
  },
  { to: paths.adminPeople, label: 'backOffice.nav.people', icon: UsersRound },
  { to: paths.adminReports, label: 'backOffice.nav.reports', icon: Flag, waits: ['reports'] },
  { to: paths.adminAudit, label: 'backOffice.nav.audit', icon: ScrollText },
  { to: paths.adminFigures, label: 'backOffice.nav.figures', icon: ChartColumn },
  { to: paths.adminEffects, label: 'backOffice.nav.effects', icon: RotateCw, waits: ['failed_effects'] },
  { to: paths.verifyUsers, label: 'layout.nav.verifyUsers', icon: ShieldCheck },
]

export function AdminNavigation() {
  const { t } = useTranslation()
  const { pathname } = useLocation()
  const { data: waiting } = useQuery(overviewQuery)
  const row = useScrollSelectedIntoView<HTMLElement>(
    '[aria-current=page]',
    `${pathname} ${waiting?.map(({ count }) => count)}`,
    16,
  )
  return (
    <div className="border-b border-line bg-surface">
      <nav
        ref={row}
        aria-label={t('backOffice.nav.label')}
        className="measure flex gap-1 overflow-x-auto [scrollbar-width:none] sm:max-2xl:gap-0 *:first:-ms-3 sm:max-2xl:*:first:-ms-2.5"
      >
        {entries.map(({ to, label, icon: Icon, waits = [] }) => {
          const count = waits.reduce(
            (sum, kind) => sum + (waiting?.find((one) => one.kind === kind)?.count ?? 0),
            0,
          )
          return (
            <NavLink
              key={to}
              to={to}
              end={to === paths.admin}
              className={({ isActive }) =>
                classes(
                  'relative flex h-12 shrink-0 items-center gap-2 px-3 sm:max-2xl:px-2.5 font-medium whitespace-nowrap text-ink-soft transition-colors hover:text-ink focus-visible:outline-offset-[-4px]',
                  isActive &&
                    'text-ink after:absolute after:inset-x-3 sm:max-2xl:after:inset-x-2.5 after:bottom-0 after:h-0.5 after:bg-wheat-deep',
                )
              }
            >
              {/* Between a phone and a wide screen, where they would push the last pages out of sight, the names do. */}
              <Icon aria-hidden className="size-[1.1em] shrink-0 sm:max-2xl:hidden" />
              <span>{t(label)}</span>
              {count > 0 && (
                <span className="tabular min-w-6 rounded-full bg-wheat-soft px-1.5 text-center text-sm font-semibold text-wheat-ink">
                  <span>{formatNumber(count)}</span>
                  <span className="sr-only">{` ${t('backOffice.nav.waiting')}`}</span>
                </span>
              )}
            </NavLink>
          )
        })}
      </nav>
    </div>
  )
}

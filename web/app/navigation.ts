// The entries of both menus, and who sees which (spec 000 §2 'Top navigation and footer').
import {
  BadgeCheck,
  BellRing,
  CalendarCheck,
  ClipboardPen,
  Gauge,
  HandHelping,
  Heart,
  LayoutDashboard,
  type LucideIcon,
  Search,
  ShieldCheck,
  UserRound,
  UsersRound,
} from 'lucide-react'
import type { TextKey } from '../i18n/index.ts'
import { paths } from '../lib/paths.ts'
import type { Roles } from '../lib/session.tsx'
import type { OtherRole } from '../ui/useRoleSwitch.ts'

export type Entry = { to: string; label: TextKey; icon: LucideIcon }

const searches: Entry[] = [
  { to: paths.browse, label: 'layout.nav.browse', icon: Search },
  { to: paths.findTaskers, label: 'layout.nav.findTaskers', icon: UsersRound },
]
const becomeTasker: Entry = { to: paths.becomeTasker, label: 'layout.nav.becomeTasker', icon: HandHelping }

export const strangersScreens: Entry[] = [...searches, becomeTasker]

/** The invitation is last: it appears once it is known that the person is no tasker, and then moves nothing. */
export const signedInScreens = (roles: Roles | undefined): Entry[] => [
  ...searches,
  { to: paths.dashboard, label: 'layout.nav.dashboard', icon: LayoutDashboard },
  { to: paths.bookings, label: 'layout.nav.bookings', icon: CalendarCheck },
  ...(roles && !roles.held.includes('task_doer') ? [becomeTasker] : []),
]

/**
 * The personal menu of the active side. Givers have the profile, a new task and saved taskers; taskers have saved
 * searches and their verification, with a call to begin it where `invited`. Admins have the back office on every side.
 */
export function ownScreens(
  { active: role, held }: Roles = { active: null, held: [] },
  invited = true,
): Entry[] {
  return [
    ...(role === 'task_giver'
      ? [{ to: paths.postTask, label: 'layout.nav.postTask' as const, icon: ClipboardPen }]
      : []),
    { to: paths.profile, label: 'layout.nav.profile', icon: UserRound },
    ...(role !== 'task_doer'
      ? [{ to: paths.savedTaskers, label: 'layout.nav.savedTaskers' as const, icon: Heart }]
      : []),
    ...(role === 'task_doer'
      ? [
          { to: paths.savedSearches, label: 'layout.nav.savedSearches' as const, icon: BellRing },
          {
            to: paths.verification,
            label: invited ? ('layout.nav.getVerified' as const) : ('layout.nav.verification' as const),
            icon: BadgeCheck,
          },
        ]
      : []),
    ...(held.includes('admin')
      ? [
          { to: paths.admin, label: 'layout.nav.admin' as const, icon: Gauge },
          { to: paths.verifyUsers, label: 'layout.nav.verifyUsers' as const, icon: ShieldCheck },
        ]
      : []),
  ]
}

/** The side that a person may add with one tap; null for those who have both, and for admins, who post tasks already. */
export function otherSide(roles: Roles | undefined): OtherRole | null {
  if (roles?.held.length !== 1) return null
  if (roles.held[0] === 'task_giver') return 'task_doer'
  return roles.held[0] === 'task_doer' ? 'task_giver' : null
}

// The entries of both menus, and who sees which (spec 000 §2 'Top navigation and footer').
import {
  BadgeCheck,
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
import type { Role } from '../lib/session.tsx'

export type Entry = { to: string; label: TextKey; icon: LucideIcon }

export const everyone: Entry[] = [
  { to: paths.browse, label: 'layout.nav.browse', icon: Search },
  { to: paths.findTaskers, label: 'layout.nav.findTaskers', icon: UsersRound },
  { to: paths.becomeTasker, label: 'layout.nav.becomeTasker', icon: HandHelping },
]

export const signedInScreens: Entry[] = [
  { to: paths.dashboard, label: 'layout.nav.dashboard', icon: LayoutDashboard },
  { to: paths.bookings, label: 'layout.nav.bookings', icon: CalendarCheck },
]

/** One's own corner, where `invited` says that there is something to do for a verification: the profile for all, a new task for givers, the saved taskers of who hires, verification for taskers, the review of people for admins. */
export function ownScreens(role: Role | null, invited = true): Entry[] {
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
          {
            to: paths.verification,
            label: invited ? ('layout.nav.getVerified' as const) : ('layout.nav.verification' as const),
            icon: BadgeCheck,
          },
        ]
      : []),
    ...(role === 'admin'
      ? [
          { to: paths.admin, label: 'layout.nav.admin' as const, icon: Gauge },
          { to: paths.verifyUsers, label: 'layout.nav.verifyUsers' as const, icon: ShieldCheck },
        ]
      : []),
  ]
}

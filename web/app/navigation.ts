// The entries of both menus, and who sees which (spec 000 §2 'Top navigation and footer').
import {
  CalendarCheck,
  HandHelping,
  LayoutDashboard,
  type LucideIcon,
  Search,
  UserRound,
  UsersRound,
} from 'lucide-react'
import type { TextKey } from '../i18n/index.ts'
import { paths } from '../lib/paths.ts'

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

export const ownProfile: Entry = { to: paths.profile, label: 'layout.nav.profile', icon: UserRound }

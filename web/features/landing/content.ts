// Which categories, steps and promises the landing shows, in order (spec 000 §1 and §2 'Landing page').
import {
  Award,
  BadgeCheck,
  BellRing,
  CalendarClock,
  FileSearch,
  IdCard,
  LifeBuoy,
  type LucideIcon,
  MapPinned,
  MessagesSquare,
  ShieldCheck,
  Star,
  Umbrella,
} from 'lucide-react'

/** The hero's shortcuts, each to /browse with that category. */
export const SHORTCUTS = [
  'Snow Removal',
  'Cleaning',
  'Moving',
  'Delivery',
  'Handyman',
  'Gardening',
  'Pet Care',
  'Painting',
] as const

export const popular = [
  { category: 'Snow Removal', key: 'snow' },
  { category: 'Cleaning', key: 'cleaning' },
  { category: 'Moving', key: 'moving' },
  { category: 'General Labor', key: 'labor' },
] as const

export const GIVER_STEPS = ['post', 'proposals', 'connect', 'pay'] as const
export const DOER_STEPS = ['browse', 'propose', 'hired', 'reputation'] as const

type Promised<K extends string> = { key: K; icon: LucideIcon }

export const features = [
  { key: 'messaging', icon: MessagesSquare },
  { key: 'scheduling', icon: CalendarClock },
  { key: 'matching', icon: MapPinned },
  { key: 'notifications', icon: BellRing },
  { key: 'reviews', icon: Star },
  { key: 'badges', icon: Award },
] as const satisfies Promised<string>[]

/** Shown at length, before the others. */
export const escrow = { key: 'escrow', icon: ShieldCheck } as const satisfies Promised<string>

export const safety = [
  { key: 'verified', icon: BadgeCheck },
  { key: 'id', icon: IdCard },
  { key: 'background', icon: FileSearch },
  { key: 'insurance', icon: Umbrella },
  { key: 'support', icon: LifeBuoy },
] as const satisfies Promised<string>[]

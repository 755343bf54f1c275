// Every address of the app, once (spec 000 §2). Features link through these, app/router.tsx serves them.
export const paths = {
  landing: '/',
  auth: '/auth',
  /** As the links of the auth e-mails have it (scripts/emails.mjs). */
  confirmLink: '/auth/confirm',
  finishAccount: '/finish-account',
  dashboard: '/dashboard',
  browse: '/browse',
  postTask: '/post-task',
  profile: '/profile',
  notifications: '/notifications',
  notificationSettings: '/notifications/settings',
  unsubscribe: '/unsubscribe',
  /** As `[auth.oauth_server] authorization_url_path` of config.toml has it. */
  consent: '/oauth/consent',
  publicProfile: '/profile/:id',
  bookings: '/bookings',
  task: '/task/:id',
  editTask: '/task/:id/edit',
  verification: '/verification',
  findTaskers: '/find-taskers',
  savedTaskers: '/saved-taskers',
  /** As the e-mails of alerts lead there (supabase/schemas/saved_searches.sql). */
  savedSearches: '/saved-searches',
  becomeTasker: '/become-tasker',
  howItWorks: '/how-it-works',
  categories: '/categories',
  faq: '/faq',
  terms: '/terms',
  privacy: '/privacy',
  install: '/install',
  receipt: '/receipt/:id',
  verifyUsers: '/admin/verify-users',
  admin: '/admin',
  adminVerifications: '/admin/verifications',
  adminComplaints: '/admin/complaints',
  adminComplaint: '/admin/complaints/:id',
  adminPeople: '/admin/people',
  adminPerson: '/admin/people/:id',
  adminMoney: '/admin/money',
  adminReports: '/admin/reports',
  adminAudit: '/admin/audit',
  adminFigures: '/admin/figures',
  adminEffects: '/admin/effects',
} as const

/** `/task/{id}` at one of its questions (the database's private.question_link). */
export const QUESTION_PARAMETER = 'question'
export const taskPath = (id: string) => `/task/${encodeURIComponent(id)}`
export const adminComplaintPath = (id: string) => `/admin/complaints/${encodeURIComponent(id)}`
export const adminPersonPath = (id: string) => `/admin/people/${encodeURIComponent(id)}`
/** The settings of a tasker, with the travel area. */
export const profileSettingsPath = `${paths.profile}?tab=settings`
export const receiptPath = (id: string) => `/receipt/${encodeURIComponent(id)}`
export const editTaskPath = (id: string) => `${taskPath(id)}/edit`
export const publicProfilePath = (id: string) => `/profile/${encodeURIComponent(id)}`

/** `/bookings` at one of them, as notifications lead there (the database's private.booking_link). */
export const BOOKING_PARAMETER = 'booking'
/** Which part of that booking is meant. */
export const PART_PARAMETER = 'part'
export const REVIEW_PART = 'review'
export const ANSWER_PART = 'answer'
/** The control by which what waits for this person is done. */
export const NEXT_PART = 'next'
/** The proposal of another time. */
export const TIME_PART = 'time'
/** The report that one of the two did not come. */
export const MISSED_PART = 'missed'
/** `/bookings` at the applications for one of one's tasks. */
export const TASK_PARAMETER = 'task'

/**
 * `/post-task`; with `ask`, one tasker's id, it is asked of them first; with `repeat`, filled from that own task;
 * with `category`, `title`, or a time (`at`, for `minutes`) filled in.
 */
export function postTaskPath(
  begin: {
    ask?: string
    repeat?: string
    category?: string
    title?: string
    at?: string
    minutes?: string
  } = {},
): string {
  const query = new URLSearchParams(begin)
  return query.size ? `${paths.postTask}?${query}` : paths.postTask
}

/** Where something that waits to be sent is changed: with its id, the form of a task or what is applied for. */
export const WAITING_PARAMETER = 'waiting'
const changingWaiting = (path: string, id: string) =>
  `${path}?${new URLSearchParams({ [WAITING_PARAMETER]: id })}`
export const waitingTaskFormPath = (id: string) => changingWaiting(paths.postTask, id)
export const waitingApplicationPath = (taskId: string, id: string) => changingWaiting(taskPath(taskId), id)

/** `/bookings` at one of them. */
export const bookingPath = (id: string) =>
  `${paths.bookings}?${new URLSearchParams({ [BOOKING_PARAMETER]: id })}`

/** `/bookings` at the undecided applications for one task. */
export const applicationsPath = (taskId: string) =>
  `${paths.bookings}?${new URLSearchParams({ tab: 'pending', [TASK_PARAMETER]: taskId })}`

/** `/browse`, narrowed to a category or a search. */
export function browsePath(filter: { category?: string; search?: string } = {}): string {
  const query = new URLSearchParams()
  if (filter.search) query.set('search', filter.search)
  if (filter.category) query.set('category', filter.category)
  return query.size ? `${paths.browse}?${query}` : paths.browse
}

/** `/auth`, remembering where the person wanted to go. */
export function signInPath(next?: string): string {
  return next ? `${paths.auth}?${new URLSearchParams({ next })}` : paths.auth
}

/** `/finish-account`, remembering where the person wanted to go. */
export function finishAccountPath(next: string): string {
  return `${paths.finishAccount}?${new URLSearchParams({ next })}`
}

/** `/auth` with Sign Up open and a role chosen, remembering where the person wanted to go. */
export function signUpPath(role: 'task_giver' | 'task_doer', next?: string): string {
  return `${paths.auth}?${new URLSearchParams({ view: 'sign-up', role, ...(next ? { next } : {}) })}`
}

/** For a link to `/auth` that opens Sign Up: `<Link {...signUpLink}>`. The address stays the plain one. */
export const signUpLink = { to: paths.auth, state: { view: 'sign-up' } } as const

/** Where to go after signing in: the remembered path if it is one of ours, else the dashboard. */
export function pathAfterSignIn(search: URLSearchParams): string {
  const next = search.get('next')
  if (!next?.startsWith('/')) return paths.dashboard
  const url = new URL(next, 'http://app.invalid')
  const ours = url.host === 'app.invalid' && url.pathname !== paths.auth
  return ours ? url.pathname + url.search + url.hash : paths.dashboard
}

/** Where the link of an e-mail leads once it is confirmed: the path of its `redirect_to`, whatever site that names. */
export function pathAfterLink(search: URLSearchParams): string {
  const target = search.get('redirect_to') ?? ''
  const url = URL.canParse(target) ? new URL(target) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname === paths.confirmLink) return paths.dashboard
  // With two slashes it would be another site's address.
  return url.pathname.replace(/^\/+/, '/') + url.search
}

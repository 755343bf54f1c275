// Which address shows which screen (spec 000 §2). Every screen is its own chunk, loaded when first visited.
import type { ComponentType } from 'react'
import { matchRoutes, type RouteObject } from 'react-router'
import type { TextKey } from '../i18n/index.ts'
import { paths } from '../lib/paths.ts'
import { Layout, type RouteHandle } from './Layout.tsx'
import { PageLoading, RouteFailure } from './routeStates.tsx'

type Load = () => Promise<{ default: ComponentType }>

/** One screen: its address, its name in the title bar, and the module whose default export draws it. */
function screen(path: string, title: TextKey | undefined, load: Load): RouteObject {
  return {
    path,
    handle: { title } satisfies RouteHandle,
    ErrorBoundary: RouteFailure,
    lazy: drawnBy(load),
  }
}

function drawnBy(load: Load) {
  // A lazy that rejects (a lost connection, a new release) would leave the screen blank: it fails as it renders.
  return async () => ({ Component: (await load().catch(failing)).default })
}

const failing = (error: unknown): { default: ComponentType } => ({
  default() {
    throw error
  },
})

export const routes: RouteObject[] = [
  {
    Component: Layout,
    ErrorBoundary: RouteFailure,
    HydrateFallback: PageLoading,
    children: [
      screen(paths.landing, 'landing.hero.title', () => import('../features/landing/LandingPage.tsx')),
      screen(paths.auth, 'layout.titles.auth', () => import('../features/auth/AuthPage.tsx')),
      screen(
        paths.confirmLink,
        'layout.titles.confirmLink',
        () => import('../features/auth/ConfirmLinkPage.tsx'),
      ),
      screen(
        paths.finishAccount,
        'layout.titles.finishAccount',
        () => import('../features/auth/FinishAccountPage.tsx'),
      ),
      screen(paths.browse, 'layout.titles.browse', () => import('../features/tasks/BrowsePage.tsx')),
      // Open to anyone: who has no account writes first.
      screen(paths.postTask, 'layout.titles.postTask', () => import('../features/tasks/PostTaskPage.tsx')),
      screen(paths.publicProfile, 'layout.titles.publicProfile', () => import('./PublicProfileScreen.tsx')),
      screen(
        paths.findTaskers,
        'layout.titles.findTaskers',
        () => import('../features/taskers/FindTaskersPage.tsx'),
      ),
      screen(
        paths.becomeTasker,
        'layout.titles.becomeTasker',
        () => import('../features/pages/BecomeTaskerPage.tsx'),
      ),
      screen(
        paths.howItWorks,
        'layout.titles.howItWorks',
        () => import('../features/pages/HowItWorksPage.tsx'),
      ),
      screen(
        paths.categories,
        'layout.titles.categories',
        () => import('../features/pages/CategoriesPage.tsx'),
      ),
      screen(paths.faq, 'layout.titles.faq', () => import('../features/pages/FaqPage.tsx')),
      screen(paths.terms, 'layout.titles.terms', () => import('../features/pages/TermsPage.tsx')),
      screen(paths.privacy, 'layout.titles.privacy', () => import('../features/pages/PrivacyPage.tsx')),
      screen(
        paths.unsubscribe,
        'layout.titles.unsubscribe',
        () => import('../features/preferences/UnsubscribePage.tsx'),
      ),
      screen(paths.install, 'layout.titles.install', () => import('../features/pages/InstallPage.tsx')),
      // Its frame says by itself why it sends people away.
      {
        ErrorBoundary: RouteFailure,
        lazy: drawnBy(() => import('../features/admin/AdminFrame.tsx')),
        children: [
          screen(paths.admin, 'layout.titles.admin', () => import('../features/admin/OverviewPage.tsx')),
          screen(
            paths.verifyUsers,
            'layout.titles.verifyUsers',
            () => import('../features/admin/VerifyUsersPage.tsx'),
          ),
          screen(
            paths.adminVerifications,
            'layout.titles.adminVerifications',
            () => import('../features/admin/VerificationsPage.tsx'),
          ),
          screen(
            paths.adminComplaints,
            'layout.titles.adminComplaints',
            () => import('../features/admin/ComplaintsPage.tsx'),
          ),
          screen(
            paths.adminComplaint,
            'layout.titles.adminComplaint',
            () => import('../features/admin/ComplaintPage.tsx'),
          ),
          screen(
            paths.adminPeople,
            'layout.titles.adminPeople',
            () => import('../features/admin/PeoplePage.tsx'),
          ),
          screen(
            paths.adminPerson,
            'layout.titles.adminPerson',
            () => import('../features/admin/PersonPage.tsx'),
          ),
          screen(
            paths.adminMoney,
            'layout.titles.adminMoney',
            () => import('../features/admin/MoneyPage.tsx'),
          ),
          screen(
            paths.adminReports,
            'layout.titles.adminReports',
            () => import('../features/admin/ReportsPage.tsx'),
          ),
          screen(
            paths.adminAudit,
            'layout.titles.adminAudit',
            () => import('../features/admin/AuditPage.tsx'),
          ),
          screen(
            paths.adminFigures,
            'layout.titles.adminFigures',
            () => import('../features/admin/FiguresPage.tsx'),
          ),
          screen(
            paths.adminEffects,
            'layout.titles.adminEffects',
            () => import('../features/admin/EffectsPage.tsx'),
          ),
        ],
      },
      {
        ErrorBoundary: RouteFailure,
        lazy: drawnBy(() => import('./RequireSession.tsx')),
        children: [
          screen(
            paths.dashboard,
            'layout.titles.dashboard',
            () => import('../features/dashboard/DashboardPage.tsx'),
          ),
          screen(
            paths.savedTaskers,
            'layout.titles.savedTaskers',
            () => import('../features/taskers/SavedTaskersPage.tsx'),
          ),
          screen(
            paths.savedSearches,
            'layout.titles.savedSearches',
            () => import('../features/tasks/SavedSearchesPage.tsx'),
          ),
          screen(paths.task, 'layout.titles.task', () => import('../features/tasks/TaskPage.tsx')),
          screen(
            paths.editTask,
            'layout.titles.editTask',
            () => import('../features/tasks/EditTaskPage.tsx'),
          ),
          screen(paths.bookings, 'layout.titles.bookings', () => import('./BookingsScreen.tsx')),
          screen(paths.profile, 'layout.titles.profile', () => import('./ProfileScreen.tsx')),
          screen(
            paths.receipt,
            'layout.titles.receipt',
            () => import('../features/receipts/ReceiptPage.tsx'),
          ),
          screen(paths.consent, 'layout.titles.consent', () => import('../features/consent/ConsentPage.tsx')),
          screen(
            paths.notifications,
            'layout.titles.notifications',
            () => import('../features/notifications/NotificationsPage.tsx'),
          ),
          screen(
            paths.notificationSettings,
            'layout.titles.notificationSettings',
            () => import('../features/preferences/NotificationSettingsPage.tsx'),
          ),
          screen(
            paths.verification,
            'layout.titles.verification',
            () => import('../features/verification/VerificationPage.tsx'),
          ),
        ],
      },
      screen('*', 'layout.titles.notFound', () => import('../features/pages/NotFoundPage.tsx')),
    ],
  },
]

/** Loads what the screen at this path is made of, so that its first rendering is whole. Never rejects for a lost screen. */
export async function openScreen(pathname: string, basename: string): Promise<void> {
  const matches = matchRoutes(routes, pathname, basename) ?? []
  await Promise.all(
    matches.map(async ({ route }) => {
      if (typeof route.lazy !== 'function') return
      Object.assign(route, await route.lazy(), { lazy: undefined })
    }),
  )
}

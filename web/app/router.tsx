// Which address shows which screen (spec 000 §2). Every screen is its own chunk, loaded when first visited.
import type { ComponentType } from 'react'
import { matchRoutes, type RouteObject } from 'react-router'
import { openTexts, type TextFile, type TextKey } from '../i18n/index.ts'
import { paths } from '../lib/paths.ts'
import { Layout, type RouteHandle } from './Layout.tsx'
import { PageLoading, RouteFailure } from './routeStates.tsx'

type Load = () => Promise<{ default: ComponentType }>

/**
 * One screen: its address, its name in the title bar, the module whose default export draws it, and the files of
 * texts that it needs beyond the first (tests/screen-texts.test.ts).
 */
function screen(
  path: string,
  title: TextKey | undefined,
  load: Load,
  texts: readonly TextFile[] = [],
): RouteObject {
  return {
    path,
    handle: { title } satisfies RouteHandle,
    ErrorBoundary: RouteFailure,
    lazy: drawnBy(load, texts),
  }
}

function drawnBy(load: Load, texts: readonly TextFile[] = []) {
  return async () => {
    // A lazy that rejects (a lost connection, a new release) would leave the screen blank: it fails as it renders.
    const [module] = await Promise.all([load().catch(failing), openTexts(texts)])
    return { Component: module.default }
  }
}

const failing = (error: unknown): { default: ComponentType } => ({
  default() {
    throw error
  },
})

const BACK_OFFICE = ['admin', 'backOffice', 'bookings', 'verification'] as const

export const routes: RouteObject[] = [
  {
    Component: Layout,
    ErrorBoundary: RouteFailure,
    HydrateFallback: PageLoading,
    children: [
      screen(paths.landing, 'landing.hero.title', () => import('../features/landing/LandingPage.tsx'), [
        'landing',
      ]),
      screen(paths.auth, 'layout.titles.auth', () => import('../features/auth/AuthPage.tsx'), ['auth']),
      screen(
        paths.confirmLink,
        'layout.titles.confirmLink',
        () => import('../features/auth/ConfirmLinkPage.tsx'),
        ['account', 'auth', 'confirmLink'],
      ),
      screen(
        paths.finishAccount,
        'layout.titles.finishAccount',
        () => import('../features/auth/FinishAccountPage.tsx'),
        ['auth', 'finish'],
      ),
      screen(paths.browse, 'layout.titles.browse', () => import('../features/tasks/BrowsePage.tsx')),
      // Open to anyone: who has no account writes first.
      screen(paths.postTask, 'layout.titles.postTask', () => import('../features/tasks/PostTaskPage.tsx'), [
        'payments',
      ]),
      screen(paths.publicProfile, 'layout.titles.publicProfile', () => import('./PublicProfileScreen.tsx'), [
        'profile',
        'taskers',
      ]),
      screen(
        paths.findTaskers,
        'layout.titles.findTaskers',
        () => import('../features/taskers/FindTaskersPage.tsx'),
        ['taskers'],
      ),
      screen(
        paths.becomeTasker,
        'layout.titles.becomeTasker',
        () => import('../features/pages/BecomeTaskerPage.tsx'),
        ['pages'],
      ),
      screen(
        paths.howItWorks,
        'layout.titles.howItWorks',
        () => import('../features/pages/HowItWorksPage.tsx'),
        ['pages'],
      ),
      screen(
        paths.categories,
        'layout.titles.categories',
        () => import('../features/pages/CategoriesPage.tsx'),
        ['pages'],
      ),
      screen(paths.faq, 'layout.titles.faq', () => import('../features/pages/FaqPage.tsx'), ['pages']),
      screen(paths.terms, 'layout.titles.terms', () => import('../features/pages/TermsPage.tsx'), ['legal']),
      screen(paths.privacy, 'layout.titles.privacy', () => import('../features/pages/PrivacyPage.tsx'), [
        'legal',
      ]),
      screen(
        paths.unsubscribe,
        'layout.titles.unsubscribe',
        () => import('../features/preferences/UnsubscribePage.tsx'),
        ['preferences'],
      ),
      screen(paths.install, 'layout.titles.install', () => import('../features/pages/InstallPage.tsx'), [
        'pages',
      ]),
      // Its frame says by itself why it sends people away.
      {
        ErrorBoundary: RouteFailure,
        lazy: drawnBy(() => import('../features/admin/AdminFrame.tsx'), BACK_OFFICE),
        children: [
          screen(
            paths.admin,
            'layout.titles.admin',
            () => import('../features/admin/OverviewPage.tsx'),
            BACK_OFFICE,
          ),
          screen(
            paths.verifyUsers,
            'layout.titles.verifyUsers',
            () => import('../features/admin/VerifyUsersPage.tsx'),
            BACK_OFFICE,
          ),
          screen(
            paths.adminVerifications,
            'layout.titles.adminVerifications',
            () => import('../features/admin/VerificationsPage.tsx'),
            BACK_OFFICE,
          ),
          screen(
            paths.adminComplaints,
            'layout.titles.adminComplaints',
            () => import('../features/admin/ComplaintsPage.tsx'),
            BACK_OFFICE,
          ),
          screen(
            paths.adminComplaint,
            'layout.titles.adminComplaint',
            () => import('../features/admin/ComplaintPage.tsx'),
            BACK_OFFICE,
          ),
          screen(
            paths.adminPeople,
            'layout.titles.adminPeople',
            () => import('../features/admin/PeoplePage.tsx'),
            BACK_OFFICE,
          ),
          screen(
            paths.adminPerson,
            'layout.titles.adminPerson',
            () => import('../features/admin/PersonPage.tsx'),
            BACK_OFFICE,
          ),
          screen(
            paths.adminMoney,
            'layout.titles.adminMoney',
            () => import('../features/admin/MoneyPage.tsx'),
            BACK_OFFICE,
          ),
          screen(
            paths.adminReports,
            'layout.titles.adminReports',
            () => import('../features/admin/ReportsPage.tsx'),
            BACK_OFFICE,
          ),
          screen(
            paths.adminAudit,
            'layout.titles.adminAudit',
            () => import('../features/admin/AuditPage.tsx'),
            BACK_OFFICE,
          ),
          screen(
            paths.adminFigures,
            'layout.titles.adminFigures',
            () => import('../features/admin/FiguresPage.tsx'),
            BACK_OFFICE,
          ),
          screen(
            paths.adminEffects,
            'layout.titles.adminEffects',
            () => import('../features/admin/EffectsPage.tsx'),
            BACK_OFFICE,
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
            ['actionItems', 'bookings', 'dashboard'],
          ),
          screen(
            paths.savedTaskers,
            'layout.titles.savedTaskers',
            () => import('../features/taskers/SavedTaskersPage.tsx'),
            ['taskers'],
          ),
          screen(paths.task, 'layout.titles.task', () => import('../features/tasks/TaskPage.tsx')),
          screen(
            paths.editTask,
            'layout.titles.editTask',
            () => import('../features/tasks/EditTaskPage.tsx'),
            ['payments'],
          ),
          screen(paths.bookings, 'layout.titles.bookings', () => import('./BookingsScreen.tsx'), [
            'actionItems',
            'bookings',
            'payments',
            'receipts',
            'reviews',
          ]),
          screen(paths.profile, 'layout.titles.profile', () => import('./ProfileScreen.tsx'), [
            'account',
            'applications',
            'auth',
            'payments',
            'payouts',
            'preferences',
            'profile',
            'receipts',
          ]),
          screen(
            paths.receipt,
            'layout.titles.receipt',
            () => import('../features/receipts/ReceiptPage.tsx'),
            ['receipts'],
          ),
          screen(
            paths.consent,
            'layout.titles.consent',
            () => import('../features/applications/ConsentPage.tsx'),
            ['applications'],
          ),
          screen(
            paths.notificationSettings,
            'layout.titles.notificationSettings',
            () => import('../features/preferences/NotificationSettingsPage.tsx'),
            ['preferences'],
          ),
          screen(
            paths.verification,
            'layout.titles.verification',
            () => import('../features/verification/VerificationPage.tsx'),
            ['verification'],
          ),
        ],
      },
      screen('*', 'layout.titles.notFound', () => import('../features/pages/NotFoundPage.tsx'), ['pages']),
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

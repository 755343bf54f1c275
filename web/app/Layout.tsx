// The frame around every screen; announces and focuses the screen after each move.
import { Suspense, useEffect, useLayoutEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { type Location, Outlet, ScrollRestoration, useLocation, useMatches } from 'react-router'
import type { TextKey } from '../i18n/index.ts'
import { useInstall } from '../lib/install.ts'
import { paths } from '../lib/paths.ts'
import { useSession } from '../lib/session.tsx'
import { rememberSuspensionBarHeight } from '../lib/suspensionBarHeight.ts'
import { dropFirstHead, setTitle } from '../lib/title.ts'
import { CaptchaPrompt } from '../ui/CaptchaPrompt.tsx'
import { keepFocus } from '../ui/focusKeeper.ts'
import { lazyPart } from '../ui/lazyPart.ts'
import { Footer } from './Footer.tsx'
import { Header } from './Header.tsx'
import { TestPaymentsBar } from './TestPaymentsBar.tsx'
import { useNewVersion } from './useNewVersion.ts'

const SuspensionBar = lazyPart(() => import('./SuspensionBar.tsx'))
const SignedIn = lazyPart(() => import('./SignedIn.tsx'))
const UsedAsApp = lazyPart(() => import('./UsedAsApp.tsx'))
const Visitor = lazyPart(() => import('./Visitor.tsx'))

/** The route's data about its screen; `title` names it in the title bar. */
export type RouteHandle = { title?: TextKey }

export function Layout() {
  const { t } = useTranslation()
  const { status, user } = useSession()
  const usedAsApp = useUsedAsApp()
  const { main, name } = useArrival()
  useEffect(keepFocus, [])
  useEffect(() => {
    if (status === 'signedOut') rememberSuspensionBarHeight(0)
  }, [status])
  useNewVersion()
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-wheat px-4 py-2 font-semibold text-on-wheat focus:not-sr-only focus:fixed focus:start-4 focus:top-3"
      >
        {t('layout.skip')}
      </a>
      {/* The printed page is the screen itself, without the frame around it. */}
      <div className="contents print:hidden">
        <TestPaymentsBar />
        <Header />
        {/* As high as before (suspensionBarHeight.ts), so that the bar moves nothing. */}
        <div role="status" className="min-h-(--suspension-room)">
          <Suspense>{user && <SuspensionBar />}</Suspense>
        </div>
      </div>
      {/* With its name, which screen readers say as the focus comes here. */}
      <main id="main" ref={main} tabIndex={-1} aria-label={name} className="flex-1">
        <Outlet />
      </main>
      <div className="contents print:hidden">
        <Footer />
      </div>
      <CaptchaPrompt />
      <Suspense>
        {user && <SignedIn userId={user.id} />}
        {usedAsApp && <UsedAsApp />}
        {status === 'signedOut' && !usedAsApp && <Visitor />}
      </Suspense>
      <ScrollRestoration getKey={placeOf} />
    </div>
  )
}

/**
 * Whether to keep the app for the time without a network: for people who are signed in, have installed it or are
 * about to.
 */
function useUsedAsApp(): boolean {
  const { status } = useSession()
  const { standalone } = useInstall()
  const installing = useLocation().pathname === paths.install
  return status === 'signedIn' || standalone || installing
}

/** Key of the history entry that this document was loaded into; a reload keeps it. Empty without the Navigation API. */
const LOADED_INTO =
  (globalThis as { navigation?: { currentEntry?: { key: string } | null } }).navigation?.currentEntry?.key ??
  ''

/**
 * A page that the browser loads anew has the same key as every other one, so that a link from an e-mail would open at
 * the previous page's scroll position. Its address and its place in the history distinguish them.
 */
const placeOf = ({ key, pathname, search }: Location) =>
  key === 'default' ? LOADED_INTO + pathname + search : key

/** Names the document after the screen and moves the focus to it when the address changes. */
function useArrival() {
  const { t } = useTranslation()
  const { pathname } = useLocation()
  const handle = useMatches().at(-1)?.handle as RouteHandle | undefined
  const title = handle?.title
  const main = useRef<HTMLElement>(null)
  const arrivedAt = useRef(pathname)

  // A layout effect, so that a screen that knows a better title (an effect, useTitle) has the last word.
  // biome-ignore lint/correctness/useExhaustiveDependencies: two screens in a row may bear the same title
  useLayoutEffect(() => setTitle(title && t(title)), [title, t, pathname])

  useEffect(() => {
    if (arrivedAt.current === pathname) return
    arrivedAt.current = pathname
    dropFirstHead()
    // A menu opened while the screen was loading stays open.
    if (!document.activeElement?.closest('[role=menu][data-state=open]'))
      main.current?.focus({ preventScroll: true })
  }, [pathname])
  return { main, name: title && t(title) }
}

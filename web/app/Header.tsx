// The top navigation: logo, screens, theme, language, notifications, account; a menu button on small screens.
import { Languages, Menu } from 'lucide-react'
import { lazy, memo, Suspense, startTransition, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, NavLink, useLocation } from 'react-router'
import { paths, signUpLink } from '../lib/paths.ts'
import { useRoles, useSession } from '../lib/session.tsx'
import { useTheme } from '../lib/theme.tsx'
import { BirdMark } from '../ui/BirdMark.tsx'
import { Button } from '../ui/Button.tsx'
import { classes } from '../ui/classes.ts'
import { DeferredPopup } from '../ui/Deferred.tsx'
import { lazyPart } from '../ui/lazyPart.ts'
import { type Entry, signedInScreens, strangersScreens } from './navigation.ts'
import { OfflineBar } from './OfflineBar.tsx'
import { themeIcons } from './themeIcons.ts'

const NotificationBell = lazyPart(() => import('../features/notifications/NotificationBell.tsx'))
const MessagesButton = lazyPart(() => import('../features/messages/MessagesButton.tsx'))
const OutboxBar = lazyPart(() => import('./OutboxBar.tsx'))
const AccountMenu = lazyPart(() => import('./AccountMenu.tsx'))
const loadMenu = () => import('./MobileMenu.tsx')
const MobileMenu = lazy(loadMenu)
// Without a connection it stays closed; the bar below the header says why.
const prepareMenu = () => loadMenu().catch(() => undefined)

/** Drawn again for itself and for a new path, not with every screen around which it stands. */
export const Header = memo(function Header() {
  const { t } = useTranslation()
  const ThemeIcon = themeIcons[useTheme().resolved]
  const { status, user } = useSession()
  const roles = useRoles()
  const [menuOpen, setMenuOpen] = useState(false)
  /** The menu is loaded when it is first wanted, and stays to slide out. */
  const [menuWanted, setMenuWanted] = useState(false)
  // A link may be tapped while the menu is still being loaded.
  const { pathname } = useLocation()
  const [shownPath, setShownPath] = useState(pathname)
  if (shownPath !== pathname) {
    setShownPath(pathname)
    setMenuOpen(false)
  }
  return (
    <header className="sticky top-0 z-40 border-b border-line bg-paper">
      <div className="measure flex h-16 items-center gap-2">
        <Logo />
        <nav aria-label={t('layout.nav.label')} className="ms-2 hidden items-center lg:flex xl:ms-4">
          {(status === 'signedIn' ? signedInScreens(roles) : strangersScreens).map((entry) => (
            <TopLink key={entry.to} {...entry} />
          ))}
        </nav>
        <div className="ms-auto flex shrink-0 items-center gap-1">
          <div className="hidden items-center gap-1 sm:flex">
            <DeferredPopup load={() => import('./LanguageMenu.tsx')}>
              <Button variant="ghost" size="icon" aria-label={t('layout.language')}>
                <Languages aria-hidden className="!size-5" />
              </Button>
            </DeferredPopup>
            <DeferredPopup load={() => import('./ThemeMenu.tsx')}>
              <Button variant="ghost" size="icon" aria-label={t('layout.theme.label')}>
                <ThemeIcon aria-hidden className="!size-5" />
              </Button>
            </DeferredPopup>
          </div>
          {user && (
            <Suspense fallback={<span className="size-11 xl:hidden" />}>
              <MessagesButton key={user.id} userId={user.id} />
            </Suspense>
          )}
          {user && (
            <Suspense fallback={<span className="size-11" />}>
              <NotificationBell key={user.id} userId={user.id} />
            </Suspense>
          )}
          {status === 'signedIn' && (
            <Suspense fallback={<span className="size-11" />}>
              <AccountMenu />
            </Suspense>
          )}
          {status === 'signedOut' && (
            <>
              <Button asChild variant="ghost" className="px-3">
                <Link to={paths.auth}>{t('layout.nav.signIn')}</Link>
              </Button>
              <Button asChild variant="secondary" className="hidden min-[480px]:inline-flex">
                <Link {...signUpLink}>{t('layout.nav.getStarted')}</Link>
              </Button>
            </>
          )}
          <MenuButton
            onOpen={() => {
              setMenuWanted(true)
              setMenuOpen(true)
            }}
          />
        </div>
      </div>
      <OfflineBar />
      <Suspense>{user && <OutboxBar />}</Suspense>
      {menuWanted && (
        <Suspense>
          <MobileMenu open={menuOpen} onOpenChange={setMenuOpen} />
        </Suspense>
      )}
    </header>
  )
})

function MenuButton({ onOpen }: { onOpen: () => void }) {
  const { t } = useTranslation()
  return (
    <Button
      variant="ghost"
      size="icon"
      className="-me-2 lg:hidden"
      aria-label={t('layout.nav.openMenu')}
      aria-haspopup="dialog"
      onPointerEnter={() => void prepareMenu()}
      onFocus={() => void prepareMenu()}
      // The button answers first: drawing the menu takes longer on a slow phone.
      onClick={() => startTransition(onOpen)}
    >
      <Menu aria-hidden className="!size-6" />
    </Button>
  )
}

export function Logo({ className }: { className?: string }) {
  const { t } = useTranslation()
  return (
    <Link
      to={paths.landing}
      aria-label={t('layout.home')}
      // Where the name has no room beside the buttons it wraps out of sight, and the bird stands alone.
      className={classes('flex h-9 min-w-9 flex-wrap gap-x-2 overflow-hidden text-ink', className)}
    >
      <BirdMark className="size-9 rtl:-scale-x-100" />
      <span className="font-display text-[1.375rem] leading-9 font-bold tracking-[-0.03em]">Meadowlark</span>
    </Link>
  )
}

function TopLink({ to, label }: Entry) {
  const { t } = useTranslation()
  return (
    <NavLink
      to={to}
      className={({ isActive }) =>
        classes(
          'relative flex h-16 items-center px-2.5 text-[0.9375rem] font-medium xl:px-3 xl:text-base whitespace-nowrap text-ink-soft transition-colors hover:text-ink focus-visible:outline-offset-[-6px]',
          isActive &&
            'text-ink after:absolute after:inset-x-2.5 xl:after:inset-x-3 after:-bottom-px after:h-0.5 after:bg-wheat-deep',
        )
      }
    >
      {t(label)}
    </NavLink>
  )
}

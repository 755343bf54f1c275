// The top navigation: logo, screens, theme, language, notifications, account; a menu button on small screens.
import { LogOut, Menu } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, NavLink } from 'react-router'
import { NotificationBell } from '../features/notifications/NotificationBell.tsx'
import { paths, signUpLink } from '../lib/paths.ts'
import { useMyProfile } from '../lib/queries/profile.ts'
import { useVerification } from '../lib/queries/verification.ts'
import { useRole, useSession } from '../lib/session.tsx'
import { Avatar } from '../ui/Avatar.tsx'
import { BirdMark } from '../ui/BirdMark.tsx'
import { Button } from '../ui/Button.tsx'
import { classes } from '../ui/classes.ts'
import { DropdownMenu, MenuItem, MenuSeparator } from '../ui/DropdownMenu.tsx'
import { VerificationState } from '../ui/VerificationState.tsx'
import { LanguageMenu } from './LanguageMenu.tsx'
import { MobileMenu } from './MobileMenu.tsx'
import { type Entry, everyone, ownScreens, signedInScreens } from './navigation.ts'
import { OfflineBar } from './OfflineBar.tsx'
import { ThemeMenu } from './ThemeMenu.tsx'
import { useSignOutAction } from './useSignOutAction.ts'

export function Header() {
  const { t } = useTranslation()
  const { status, user } = useSession()
  const [menuOpen, setMenuOpen] = useState(false)
  return (
    <header className="sticky top-0 z-40 border-b border-line bg-paper">
      <div className="measure flex h-16 items-center gap-2">
        <Logo />
        <nav aria-label={t('layout.nav.label')} className="ms-2 hidden items-center lg:flex xl:ms-4">
          {everyone.map((entry) => (
            <TopLink key={entry.to} {...entry} />
          ))}
          {status === 'signedIn' && signedInScreens.map((entry) => <TopLink key={entry.to} {...entry} />)}
        </nav>
        <div className="ms-auto flex items-center gap-1">
          <div className="hidden items-center gap-1 sm:flex">
            <LanguageMenu />
            <ThemeMenu />
          </div>
          {user && <NotificationBell key={user.id} userId={user.id} />}
          {status === 'signedIn' && <AccountMenu />}
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
          <Button
            variant="ghost"
            size="icon"
            className="-me-2 lg:hidden"
            aria-label={t('layout.nav.openMenu')}
            aria-haspopup="dialog"
            onClick={() => setMenuOpen(true)}
          >
            <Menu aria-hidden className="!size-6" />
          </Button>
        </div>
      </div>
      <OfflineBar />
      <MobileMenu open={menuOpen} onOpenChange={setMenuOpen} />
    </header>
  )
}

export function Logo({ className }: { className?: string }) {
  const { t } = useTranslation()
  return (
    <Link
      to={paths.landing}
      aria-label={t('layout.home')}
      className={classes('flex shrink-0 items-center gap-2 text-ink', className)}
    >
      <BirdMark className="size-9 rtl:-scale-x-100" />
      <span className="font-display text-[1.375rem] font-bold tracking-[-0.03em]">Meadowlark</span>
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

function AccountMenu() {
  const { t } = useTranslation()
  const { user } = useSession()
  const profile = useMyProfile().data
  const leave = useSignOutAction()
  const name = profile?.full_name || user?.email || ''
  const role = useRole()
  const verification = useVerification()
  return (
    <DropdownMenu
      trigger={
        <button
          type="button"
          aria-label={t('layout.nav.account')}
          className="grid size-11 place-items-center rounded-full hover:bg-sunken focus-visible:rounded-full"
        >
          <Avatar name={name} src={profile?.avatar_url} size="sm" />
        </button>
      }
    >
      <div className="max-w-64 px-3 py-2">
        <p className="truncate font-semibold">{name}</p>
        {profile?.full_name && <p className="truncate text-sm text-ink-faint">{user?.email}</p>}
      </div>
      <MenuSeparator />
      {ownScreens(role).map(({ to, label, icon: Icon }) => (
        <MenuItem key={to} asChild>
          <Link to={to}>
            <Icon aria-hidden />
            {t(label)}
            {to === paths.verification && verification && (
              <VerificationState state={verification.state} className="ms-auto" />
            )}
          </Link>
        </MenuItem>
      ))}
      <MenuItem onSelect={leave}>
        <LogOut aria-hidden className="rtl:-scale-x-100" />
        {t('layout.nav.signOut')}
      </MenuItem>
    </DropdownMenu>
  )
}

// The menu of the avatar: who is signed in, their own screens, and signing out.
import { LogOut } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths } from '../lib/paths.ts'
import { useMyProfile } from '../lib/queries/profile.ts'
import { invitesToVerify, useVerification } from '../lib/queries/verification.ts'
import { useRole, useSession } from '../lib/session.tsx'
import { Avatar } from '../ui/Avatar.tsx'
import { DropdownMenu, MenuItem, MenuSeparator } from '../ui/DropdownMenu.tsx'
import { VerificationState } from '../ui/VerificationState.tsx'
import { ownScreens } from './navigation.ts'
import { useSignOutAction } from './useSignOutAction.ts'

export default function AccountMenu() {
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
        <p dir="auto" className="cut-words truncate font-semibold">
          {name}
        </p>
        {profile?.full_name && (
          <p dir="auto" className="cut-words truncate text-sm text-ink-faint">
            {user?.email}
          </p>
        )}
      </div>
      <MenuSeparator />
      {ownScreens(role, invitesToVerify(verification)).map(({ to, label, icon: Icon }) => (
        <MenuItem key={to} asChild>
          <Link to={to}>
            <Icon aria-hidden />
            <span>{t(label)}</span>
            {to === paths.verification && verification && (
              <VerificationState state={verification.state} className="ms-auto" />
            )}
          </Link>
        </MenuItem>
      ))}
      <MenuItem onSelect={leave}>
        <LogOut aria-hidden className="rtl:-scale-x-100" />
        <span>{t('layout.nav.signOut')}</span>
      </MenuItem>
    </DropdownMenu>
  )
}

// The menu of the avatar: who is signed in, their own screens, and signing out.
import { LogOut } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { paths } from '../lib/paths.ts'
import { useMyProfile } from '../lib/queries/profile.ts'
import { invitesToVerify, useVerification } from '../lib/queries/verification.ts'
import { type Role, useRoles, useSession } from '../lib/session.tsx'
import { Avatar } from '../ui/Avatar.tsx'
import { DropdownMenu, MenuChoice, MenuItem, MenuSeparator } from '../ui/DropdownMenu.tsx'
import { roleIcons, SIDES } from '../ui/RoleSwitch.tsx'
import { useAddRole, useRoleSwitch } from '../ui/useRoleSwitch.ts'
import { VerificationState } from '../ui/VerificationState.tsx'
import { otherSide, ownScreens } from './navigation.ts'
import { useSignOutAction } from './useSignOutAction.ts'

export default function AccountMenu() {
  const { t } = useTranslation()
  const { user } = useSession()
  const { data: profile, isLoading } = useMyProfile()
  const leave = useSignOutAction()
  const name = profile?.full_name || user?.email || ''
  const roles = useRoles()
  const verification = useVerification()
  return (
    <DropdownMenu
      trigger={
        <button
          type="button"
          aria-label={t('layout.nav.account')}
          className="grid size-11 place-items-center rounded-full hover:bg-sunken focus-visible:rounded-full"
        >
          {isLoading ? (
            <span className="size-9 animate-pulse rounded-full bg-sunken" />
          ) : (
            <Avatar name={name} src={profile?.avatar_url} size="sm" />
          )}
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
      <Sides />
      {ownScreens(roles, invitesToVerify(verification)).map(({ to, label, icon: Icon }) => (
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

/** The switch between the sides, or the other side to add. */
function Sides() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const roles = useRoles()
  const switchTo = useRoleSwitch()
  const adding = useAddRole({ leads: true })
  const other = otherSide(roles)
  if (roles && roles.held.length > 1) {
    return (
      <>
        <p id="side" className="px-3 pt-1 text-sm text-ink-faint">
          {t('layout.side.label')}
        </p>
        <MenuChoice<Role>
          labelledBy="side"
          value={roles.active ?? 'task_doer'}
          onChange={(role) => {
            switchTo(role)
            navigate(paths.dashboard)
          }}
          options={SIDES.filter((role) => roles.held.includes(role)).map((role) => {
            const Icon = roleIcons[role]
            return {
              value: role,
              label: (
                <>
                  <Icon aria-hidden />
                  <span>{t(`layout.side.${role}`)}</span>
                </>
              ),
            }
          })}
        />
        <MenuSeparator />
      </>
    )
  }
  if (!other) return null
  const Icon = roleIcons[other]
  return (
    <>
      <MenuItem onSelect={() => adding.mutate(other)} className="max-w-64 items-start">
        <Icon aria-hidden className="mt-1" />
        <span>
          <span className="block font-medium">{t(`layout.side.add.${other}`)}</span>
          <span className="block text-sm text-ink-faint">{t(`layout.side.addHint.${other}`)}</span>
        </span>
      </MenuItem>
      <MenuSeparator />
    </>
  )
}

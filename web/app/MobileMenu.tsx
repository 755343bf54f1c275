// The slide-in menu of small screens: the same entries as the top navigation, then theme and language.
import { Check, LogOut } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link, NavLink, useNavigate } from 'react-router'
import { chooseLanguage, currentLanguage } from '../i18n/index.ts'
import { type Language, languages } from '../i18n/languages.ts'
import { paths, signUpLink } from '../lib/paths.ts'
import { invitesToVerify, useVerification } from '../lib/queries/verification.ts'
import { useRoles, useSession } from '../lib/session.tsx'
import { useTheme } from '../lib/theme.tsx'
import { THEMES } from '../lib/themeChoice.ts'
import { Button } from '../ui/Button.tsx'
import { classes } from '../ui/classes.ts'
import { RoleSwitch, roleIcons } from '../ui/RoleSwitch.tsx'
import { Sheet } from '../ui/Sheet.tsx'
import { useAddRole, useRoleSwitch } from '../ui/useRoleSwitch.ts'
import { VerificationState } from '../ui/VerificationState.tsx'
import { otherSide, ownScreens, signedInScreens, strangersScreens } from './navigation.ts'
import { themeIcons } from './themeIcons.ts'
import { useSignOutAction } from './useSignOutAction.ts'

const ROW_CLASSES = 'flex min-h-12 w-full items-center gap-4 rounded-md px-3 font-medium hover:bg-sunken'

export default function MobileMenu({
  open,
  onOpenChange,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
}) {
  const { t } = useTranslation()
  const { status } = useSession()
  const roles = useRoles()
  const verification = useVerification()
  const leave = useSignOutAction()
  const close = () => onOpenChange(false)
  const entries =
    status === 'signedIn'
      ? [...signedInScreens(roles), ...ownScreens(roles, invitesToVerify(verification))]
      : strangersScreens
  return (
    <Sheet open={open} onOpenChange={onOpenChange} title={t('layout.nav.menu')}>
      <Sides onDone={close} />
      <nav aria-label={t('layout.nav.label')} className="flex flex-col gap-1 p-3">
        {entries.map(({ to, label, icon: Icon }) => (
          <NavLink
            key={to}
            to={to}
            end={to === paths.admin}
            onClick={close}
            className={({ isActive }) => classes(ROW_CLASSES, isActive && 'bg-wheat-soft text-wheat-ink')}
          >
            <Icon aria-hidden className="size-5 shrink-0" />
            <span>{t(label)}</span>
            {to === paths.verification && verification && (
              <VerificationState state={verification.state} className="ms-auto" />
            )}
          </NavLink>
        ))}
        {status === 'signedIn' && (
          <button
            type="button"
            className={ROW_CLASSES}
            onClick={() => {
              close()
              leave()
            }}
          >
            <LogOut aria-hidden className="size-5 shrink-0 rtl:-scale-x-100" />
            <span>{t('layout.nav.signOut')}</span>
          </button>
        )}
      </nav>
      {status === 'signedOut' && (
        <div className="flex gap-3 px-5 pb-5">
          <Button asChild className="flex-1">
            <Link {...signUpLink} onClick={close}>
              {t('layout.nav.getStarted')}
            </Link>
          </Button>
          <Button asChild variant="secondary" className="flex-1">
            <Link to={paths.auth} onClick={close}>
              {t('layout.nav.signIn')}
            </Link>
          </Button>
        </div>
      )}
      <Preferences />
    </Sheet>
  )
}

/** The switch between the sides, or the other side to add. */
function Sides({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const other = otherSide(useRoles())
  const switchTo = useRoleSwitch()
  const adding = useAddRole({ leads: true })
  if (!other) {
    return (
      <RoleSwitch
        className="mx-5 mt-4"
        onSwitch={(role) => {
          switchTo(role)
          onDone()
          navigate(paths.dashboard)
        }}
      />
    )
  }
  const Icon = roleIcons[other]
  return (
    <div className="px-3 pt-3">
      <button
        type="button"
        className="flex min-h-12 w-full items-start gap-4 rounded-md border border-line px-3 py-2.5 text-start hover:bg-sunken"
        onClick={() => {
          onDone()
          adding.mutate(other)
        }}
      >
        <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-wheat-ink" />
        <span>
          <span className="block font-medium">{t(`layout.side.add.${other}`)}</span>
          <span className="block text-sm text-ink-faint">{t(`layout.side.addHint.${other}`)}</span>
        </span>
      </button>
    </div>
  )
}

function Preferences() {
  const { t } = useTranslation()
  const { theme, setTheme } = useTheme()
  return (
    <div className="flex flex-col gap-5 border-t border-line p-5">
      <fieldset>
        <legend className="mb-1.5 font-semibold">{t('layout.theme.label')}</legend>
        <div className="grid grid-cols-3 gap-2">
          {THEMES.map((value) => {
            const Icon = themeIcons[value]
            return (
              <Button
                key={value}
                variant="secondary"
                size="sm"
                aria-pressed={theme === value}
                onClick={() => setTheme(value)}
                className="h-11 px-2 aria-pressed:border-wheat-ink aria-pressed:bg-wheat-soft aria-pressed:text-wheat-ink"
              >
                <Icon aria-hidden />
                <span>{t(`layout.theme.${value}`)}</span>
              </Button>
            )
          })}
        </div>
      </fieldset>
      <fieldset>
        <legend className="mb-1.5 font-semibold">{t('layout.language')}</legend>
        <div className="grid grid-cols-2 gap-x-2">
          {Object.entries(languages).map(([code, name]) => (
            <label
              key={code}
              lang={code}
              className="flex min-h-11 items-center justify-between gap-2 rounded-md px-3 hover:bg-sunken has-checked:bg-wheat-soft has-checked:font-semibold has-checked:text-wheat-ink has-focus-visible:outline-2 has-focus-visible:outline-sky"
            >
              <input
                type="radio"
                name="language"
                className="peer sr-only"
                checked={currentLanguage() === code}
                onChange={() => void chooseLanguage(code as Language)}
              />
              <span>{name}</span>
              <Check aria-hidden className="size-4 shrink-0 opacity-0 peer-checked:opacity-100" />
            </label>
          ))}
        </div>
      </fieldset>
    </div>
  )
}

// The switch between the sides of one account; nothing for people with one role.
import { HandHelping, type LucideIcon, Megaphone, ShieldCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { type Role, useRoles } from '../lib/session.tsx'
import { Button } from './Button.tsx'
import { classes } from './classes.ts'

export const roleIcons: Record<Role, LucideIcon> = {
  task_giver: Megaphone,
  task_doer: HandHelping,
  admin: ShieldCheck,
}

/** In the order shown. */
export const SIDES: Role[] = ['task_giver', 'task_doer', 'admin']

export function RoleSwitch({
  onSwitch,
  waiting,
  className,
}: {
  onSwitch: (role: Role) => void
  /** The sides with pending items, and the label that screen readers announce for them. */
  waiting?: { sides: (Role | null)[]; label: string }
  className?: string
}) {
  const { t } = useTranslation()
  const roles = useRoles()
  if (!roles || roles.held.length < 2) return null
  const sides = SIDES.filter((role) => roles.held.includes(role))
  return (
    <fieldset className={className}>
      <legend className="mb-1.5 font-semibold">{t('layout.side.label')}</legend>
      <div className={classes('grid gap-2', sides.length === 2 ? 'grid-cols-2' : 'grid-cols-3')}>
        {sides.map((role) => {
          const Icon = roleIcons[role]
          const active = roles.active === role
          return (
            <Button
              key={role}
              variant="secondary"
              size="sm"
              aria-pressed={active}
              onClick={() => active || onSwitch(role)}
              className="h-11 px-2 aria-pressed:border-wheat-ink aria-pressed:bg-wheat-soft aria-pressed:text-wheat-ink"
            >
              <Icon aria-hidden />
              <span>{t(`layout.side.${role}`)}</span>
              {!active && waiting?.sides.includes(role) && (
                <span className="size-2 rounded-full bg-danger">
                  <span className="sr-only">{waiting.label}</span>
                </span>
              )}
            </Button>
          )
        })}
      </div>
    </fieldset>
  )
}

// A person at a glance, for admins: roles, badge, suspension.
import { BadgeCheck, Ban, ShieldCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Role } from '../../../lib/session.tsx'
import { Badge } from '../../../ui/Badge.tsx'

type PersonBadgesProps = {
  person: { roles: Role[]; is_verified: boolean | null; suspended: boolean }
}

export function PersonBadges({ person: { roles, is_verified, suspended } }: PersonBadgesProps) {
  const { t } = useTranslation()
  return (
    <>
      {suspended && (
        <Badge tone="danger" icon={Ban}>
          {t('backOffice.people.suspended')}
        </Badge>
      )}
      {roles.map((role) => (
        <Badge
          key={role}
          tone={role === 'admin' ? 'info' : 'neutral'}
          icon={role === 'admin' ? ShieldCheck : undefined}
        >
          {t(`backOffice.people.role.${role}`)}
        </Badge>
      ))}
      {is_verified && (
        <Badge tone="success" icon={BadgeCheck}>
          {t('admin.verified')}
        </Badge>
      )}
    </>
  )
}

// Says on every screen that the account is suspended, why, and what still goes on.
import { ShieldAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useRestrictions } from '../lib/queries/restrictions.ts'
import { RestrictionReason } from '../ui/HiddenNotice.tsx'

export default function SuspensionBar() {
  const { t } = useTranslation()
  const suspension = useRestrictions().find(({ kind }) => kind === 'suspension')
  return (
    <div role="status">
      {suspension && (
        <div className="border-b border-danger bg-danger-soft text-danger">
          <div className="measure flex gap-3 py-4">
            <ShieldAlert aria-hidden className="mt-0.5 size-5 shrink-0" />
            <div className="flex min-w-0 flex-col gap-2">
              <p className="font-semibold">{t('ui.hidden.suspension')}</p>
              <p>{t('layout.suspended')}</p>
              <RestrictionReason restriction={suspension} />
            </div>
          </div>
        </div>
      )}
    </div>
  )
}

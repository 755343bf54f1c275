// Says on every screen that the account is suspended, why, and what still goes on.
import { ShieldAlert } from 'lucide-react'
import { useLayoutEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useRestrictionsQuery } from '../lib/queries/restrictions.ts'
import { rememberSuspensionBarHeight } from '../lib/suspensionBarHeight.ts'
import { RestrictionReason } from '../ui/HiddenNotice.tsx'

export default function SuspensionBar() {
  const { t } = useTranslation()
  const { data } = useRestrictionsQuery()
  const suspension = data?.find(({ kind }) => kind === 'suspension')
  const bar = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (!data) return
    const keep = () => rememberSuspensionBarHeight(bar.current?.offsetHeight ?? 0)
    keep()
    if (!bar.current) return
    const observer = new ResizeObserver(keep)
    observer.observe(bar.current)
    return () => observer.disconnect()
  }, [data])
  if (!suspension) return null
  return (
    <div ref={bar} className="border-b border-danger bg-danger-soft text-danger">
      <div className="measure flex gap-3 py-4">
        <ShieldAlert aria-hidden className="mt-0.5 size-5 shrink-0" />
        <div className="flex min-w-0 flex-col gap-2">
          <p className="font-semibold">{t('ui.hidden.suspension')}</p>
          <p>{t('layout.suspended')}</p>
          <RestrictionReason restriction={suspension} />
        </div>
      </div>
    </div>
  )
}

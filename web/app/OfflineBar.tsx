// Says that the connection is gone: what is on the screen stays, what is missing comes by itself once it is back.
import { CloudOff } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useOnline } from '../lib/useOnline.ts'

export function OfflineBar() {
  const { t } = useTranslation()
  const online = useOnline()
  return (
    <div role="status">
      {!online && (
        <p className="flex min-h-10 items-center justify-center gap-2 bg-wheat-soft px-4 py-1.5 text-center text-sm font-medium text-wheat-ink">
          <CloudOff aria-hidden className="size-4 shrink-0" />
          <span>{t('layout.offline')}</span>
        </p>
      )}
    </div>
  )
}

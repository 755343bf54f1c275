// Says that the connection is gone: what is on the screen stays, what is missing comes by itself once it is back.
import { onlineManager } from '@tanstack/react-query'
import { CloudOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'

export function OfflineBar() {
  const { t } = useTranslation()
  const online = useSyncExternalStore(
    (notify) => onlineManager.subscribe(notify),
    () => onlineManager.isOnline(),
    () => true,
  )
  return (
    <div role="status">
      {!online && (
        <p className="flex min-h-10 items-center justify-center gap-2 bg-wheat-soft px-4 py-1.5 text-center text-sm font-medium text-wheat-ink">
          <CloudOff aria-hidden className="size-4 shrink-0" />
          {t('layout.offline')}
        </p>
      )}
    </div>
  )
}

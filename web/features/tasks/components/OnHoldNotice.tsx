// Tells those who see a task why it cannot be had: its giver is suspended, and when that ends it is listed again.
import { PauseCircle } from 'lucide-react'
import { useTranslation } from 'react-i18next'

/** `own`: the reader has posted it. */
export function OnHoldNotice({ own }: { own: boolean }) {
  const { t } = useTranslation()
  return (
    <div role="note" className="my-4 flex gap-3 rounded-lg bg-wheat-soft p-4 text-wheat-ink">
      <PauseCircle aria-hidden className="mt-0.5 size-5 shrink-0" />
      <div className="min-w-0">
        <p className="font-semibold">{t('tasks.onHold.title')}</p>
        <p className="max-w-prose">{t(own ? 'tasks.onHold.own' : 'tasks.onHold.other')}</p>
      </div>
    </div>
  )
}

// An application that waits to be sent, on its task's screen.
import { Clock3 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Waiting } from '../../../lib/outbox.ts'
import { removeFromOutbox } from '../../../lib/outbox.ts'
import { Button } from '../../../ui/Button.tsx'

export function WaitingApplication({
  application: { id, content, refusal, mayHaveArrived },
  onEdit,
}: {
  application: Waiting<'application'>
  /** Null where the task takes none any more. */
  onEdit: (() => void) | null
}) {
  const { t } = useTranslation()
  return (
    <div className="flex flex-col gap-3">
      <p role="status" className="flex items-center gap-2 font-semibold">
        <Clock3 aria-hidden className="size-5 shrink-0 text-ink-faint" />
        <span>{t(refusal ? 'tasks.applicationRefused' : 'tasks.applicationWaits')}</span>
      </p>
      <p className={refusal ? 'text-danger' : 'text-ink-soft'}>
        {refusal ?? t('tasks.applicationWaitsBody')}
      </p>
      {content.message && (
        <p dir="auto" className="whitespace-pre-line rounded-md bg-sunken p-3 wrap-anywhere">
          {content.message}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {onEdit && !mayHaveArrived && (
          <Button variant="secondary" size="sm" onClick={onEdit}>
            {t('layout.outbox.edit')}
          </Button>
        )}
        <Button variant="secondary" size="sm" onClick={() => removeFromOutbox(id)}>
          {t('layout.outbox.remove')}
        </Button>
      </div>
    </div>
  )
}

// Asks whoever signs out while something waits to be sent: it would be lost.
import { lazy, Suspense, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { leavingQuestion } from '../lib/leaving.ts'
import { useOutbox } from '../lib/outbox.ts'

const AlertDialog = lazy(() =>
  import('../ui/AlertDialog.tsx').then(({ AlertDialog }) => ({ default: AlertDialog })),
)

export function LeavingQuestion() {
  const { t } = useTranslation()
  const asked = useSyncExternalStore(leavingQuestion.subscribe, leavingQuestion.asked, () => false)
  const number = useOutbox().length
  if (!asked) return null
  return (
    <Suspense>
      <AlertDialog
        open
        onOpenChange={(open) => !open && leavingQuestion.answer(false)}
        title={t('layout.outbox.leaveTitle')}
        description={t('layout.outbox.leaveBody', { number })}
        confirmLabel={t('layout.outbox.leave')}
        danger
        onConfirm={() => leavingQuestion.answer(true)}
      />
    </Suspense>
  )
}

// Asks whoever signs out while something waits to be sent: it would be lost. Once nothing waits any more, the sign-out goes
// on by itself.
import { lazy, Suspense, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useOutbox } from '../lib/outbox.ts'
import { leavingQuestion } from '../lib/signOutConfirmation.ts'
import { useStore } from '../lib/useStore.ts'
import { toast } from '../ui/Toaster.tsx'

const AlertDialog = lazy(() =>
  import('../ui/AlertDialog.tsx').then(({ AlertDialog }) => ({ default: AlertDialog })),
)

export function LeavingQuestion() {
  const { t } = useTranslation()
  const asked = useStore(leavingQuestion.asked) !== null
  const number = useOutbox().length
  // A session that ends otherwise, in another tab say, takes the question with it.
  useEffect(() => () => leavingQuestion.answer(false), [])
  const settled = asked && number === 0
  useEffect(() => {
    if (!settled) return
    leavingQuestion.answer(true)
    toast.success(t('layout.outbox.leaveSettled'))
  }, [settled, t])
  if (!asked || settled) return null
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

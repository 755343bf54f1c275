// Asks before somebody leaves a form whose changes nothing keeps: within the app by a dialog, from the app by the browser's
// own question. Forms with a draft (useZodForm) need none, since what was typed is there again.
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { type Location, useBlocker } from 'react-router'
import { AlertDialog } from '../AlertDialog.tsx'

type Move = { currentLocation: Location; nextLocation: Location }

const addressOf = ({ pathname, search }: Location) => pathname + search

/**
 * `<UnsavedChanges when={form.formState.isDirty && !saving.isPending} />`, once on a screen. Not while it is saved, so that
 * what follows the saving may lead elsewhere. A step of the same screen, which has the same address, asks nothing.
 */
export function UnsavedChanges({ when }: { when: boolean }) {
  const { t } = useTranslation()
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }: Move) =>
      when && addressOf(currentLocation) !== addressOf(nextLocation),
  )
  useEffect(() => {
    if (!when) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [when])
  return (
    <AlertDialog
      open={blocker.state === 'blocked'}
      onOpenChange={(open) => !open && blocker.reset?.()}
      title={t('ui.leaveTitle')}
      description={t('ui.leaveBody')}
      confirmLabel={t('ui.leave')}
      cancelLabel={t('ui.stay')}
      onConfirm={() => blocker.proceed?.()}
      danger
    />
  )
}

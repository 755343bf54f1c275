// A page that lacks a piece since a release, while its screen is shown: the next version is offered, and taken by a
// click alone, since nobody knows what has been typed meanwhile. A screen that is gone takes it by itself
// (routeStates.tsx).
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { isVisitors } from '../../shared/worker.ts'
import { isReplaced, takeOver } from './newVersion.ts'

export function useNewVersion() {
  const { t } = useTranslation()
  useEffect(() => {
    const offer = async () => {
      if (!(await isReplaced())) return
      const worker = await navigator.serviceWorker?.getRegistration()
      const waiting = worker?.waiting
      // It would bring the same files again: it has to be a new one first, which serviceWorker.ts offers by itself.
      if (worker?.active && !isVisitors(worker.active) && !waiting)
        return void worker.update().catch(() => undefined)
      // Loaded with the page (App.tsx), and not what pages begin with.
      const { toast } = await import('../ui/Toaster.tsx')
      toast.info(t('layout.update.title'), {
        id: 'update',
        duration: Number.POSITIVE_INFINITY,
        description: t('layout.update.body'),
        // Typed text is kept as a draft, or the form asks about it (ui/form).
        action: {
          label: t('layout.update.now'),
          onClick: () => (waiting ? takeOver(waiting) : location.reload()),
        },
      })
    }
    window.addEventListener('vite:preloadError', offer)
    return () => window.removeEventListener('vite:preloadError', offer)
  }, [t])
}

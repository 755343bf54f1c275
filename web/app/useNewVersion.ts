// A page that stays open across a release lacks what it has not loaded yet: the next version is offered, and taken by a
// click alone, so that a page can never load itself again and again. https://vite.dev/guide/build#load-error-handling
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'

export function useNewVersion() {
  const { t } = useTranslation()
  useEffect(() => {
    const offer = async () => {
      if (!(await isReplaced())) return
      const worker = await navigator.serviceWorker?.getRegistration()
      // It would bring the same files again: it has to be a new one first, which serviceWorker.ts offers by itself.
      if (worker?.active) return void worker.update().catch(() => undefined)
      // Loaded with the page (App.tsx), and not what pages begin with.
      const { toast } = await import('../ui/Toaster.tsx')
      toast.info(t('layout.update.title'), {
        id: 'update',
        duration: Number.POSITIVE_INFINITY,
        description: t('layout.update.body'),
        // What was typed is kept as a draft, or asked about (ui/form).
        action: { label: t('layout.update.now'), onClick: () => location.reload() },
      })
    }
    window.addEventListener('vite:preloadError', offer)
    return () => window.removeEventListener('vite:preloadError', offer)
  }, [t])
}

/** Whether a release has taken away the script that this page began with, and not a lost connection a single piece. */
async function isReplaced(): Promise<boolean> {
  const own = document.querySelector<HTMLScriptElement>('script[type=module][src]')
  const answer = own && (await fetch(own.src, { method: 'HEAD', cache: 'no-store' }).catch(() => null))
  return answer?.status === 404
}

// The service worker as the pages see it: registered for people who use the app as an app, and its updates, which are
// offered and never forced. https://developer.mozilla.org/en-US/docs/Web/API/ServiceWorkerRegistration
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { APPS_WORKER, type FromWorker, isVisitors, type ToWorker } from '../../shared/worker.ts'
import { currentLanguage } from '../i18n/index.ts'
import { toast } from '../ui/Toaster.tsx'
import { isLeaving, takeOver } from './newVersion.ts'
import { whenIdle } from './whenIdle.ts'

const CHECK_INTERVAL_MS = 60 * 60_000

/** Registers the worker once the page is quiet. */
export function useServiceWorker() {
  const { t, i18n } = useTranslation()

  useEffect(() => {
    if (import.meta.env.DEV || !('serviceWorker' in navigator)) return
    let ended = false
    let end: (() => void) | undefined
    const offer = (update: () => void) =>
      toast.info(t('layout.update.title'), {
        id: 'update',
        duration: Number.POSITIVE_INFINITY,
        description: t('layout.update.body'),
        action: { label: t('layout.update.now'), onClick: update },
      })
    const cancel = whenIdle(async () => {
      // Refused where the browser keeps nothing (private windows of some): the app works without.
      const registration = await navigator.serviceWorker
        .register(APPS_WORKER, { updateViaCache: 'none' })
        .catch(() => null)
      if (registration && !ended) end = watch(registration, offer)
    })
    return () => {
      ended = true
      cancel()
      end?.()
    }
  }, [t])

  const navigate = useNavigate()
  useEffect(() => {
    if (!('serviceWorker' in navigator)) return
    // A click on a notification of the system.
    const open = ({ data }: MessageEvent<FromWorker>) => {
      if (data.type === 'open') void navigate(data.path)
    }
    navigator.serviceWorker.addEventListener('message', open)
    return () => navigator.serviceWorker.removeEventListener('message', open)
  }, [navigate])

  // biome-ignore lint/correctness/useExhaustiveDependencies: again when another language is chosen
  useEffect(() => {
    if (import.meta.env.DEV || !('serviceWorker' in navigator)) return
    const { serviceWorker: container } = navigator
    const language: ToWorker = { type: 'language', language: currentLanguage() }
    const tell = () => void container.ready.then(({ active }) => active?.postMessage(language))
    tell()
    // The visitors' worker was still there.
    container.addEventListener('controllerchange', tell)
    return () => container.removeEventListener('controllerchange', tell)
  }, [i18n.language])
}

/** Calls `offer` when a new version waits, with what takes it; returns the end of it. */
function watch(registration: ServiceWorkerRegistration, offer: (update: () => void) => void): () => void {
  const container = navigator.serviceWorker
  const show = () => {
    const { waiting } = registration
    // Without a worker before it, the first one has nothing to replace; that of visitors gives way by itself.
    if (waiting && registration.active && !isVisitors(registration.active) && !isLeaving())
      offer(() => takeOver(waiting))
  }
  const found = () => registration.installing?.addEventListener('statechange', show)
  // This page was begun by the version before: it goes on, and can be loaded anew whenever it suits.
  let { controller } = container
  const changed = () => {
    const before = controller
    controller = container.controller
    if (controller && ![before, controller].some(isVisitors) && !isLeaving()) offer(() => location.reload())
  }
  let checkedAt = Date.now()
  const check = () => {
    if (document.hidden || Date.now() - checkedAt < CHECK_INTERVAL_MS) return
    checkedAt = Date.now()
    registration.update().catch(() => undefined) // without a network there is nothing new
  }
  show()
  found()
  registration.addEventListener('updatefound', found)
  container.addEventListener('controllerchange', changed)
  document.addEventListener('visibilitychange', check)
  const checking = setInterval(check, CHECK_INTERVAL_MS)
  return () => {
    registration.removeEventListener('updatefound', found)
    container.removeEventListener('controllerchange', changed)
    document.removeEventListener('visibilitychange', check)
    clearInterval(checking)
  }
}

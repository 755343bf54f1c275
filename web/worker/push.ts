// Pushes: shown as the system shows notifications; a click opens their subject, in the app's window where one is
// open. https://w3c.github.io/push-api/
import type { FromWorker } from '../../shared/worker.ts'

declare const self: ServiceWorkerGlobalScope

const ICON = '/icon-192.png'

/** The payload that the function send-push sends. */
type PushContent = { title: string; body: string; link: string }

export function showPush(event: PushEvent): void {
  if (!event.data) return
  const { title, body, link } = event.data.json() as PushContent
  event.waitUntil(
    // A notification for the same address replaces an unread one.
    self.registration.showNotification(title, { body, icon: ICON, tag: link, data: { link } }),
  )
}

export function openPush(event: NotificationEvent): void {
  event.notification.close()
  const { link } = event.notification.data as Pick<PushContent, 'link'>
  // A path of the app's, whatever was sent.
  const { pathname, search, hash } = new URL(link, self.location.origin)
  event.waitUntil(open(pathname + search + hash))
}

async function open(path: string): Promise<void> {
  const [window] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (!window) {
    await self.clients.openWindow(path)
    return
  }
  await window.focus().catch(() => undefined)
  // The app itself goes there, so that nothing that was typed elsewhere on the page is lost.
  const opened: FromWorker = { type: 'open', path }
  window.postMessage(opened)
}

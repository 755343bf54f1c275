// Push to this browser: whether it can, whether it does, and the two ways between. Asked for only when the person wants it.
// https://w3c.github.io/push-api/
import { queryOptions } from '@tanstack/react-query'
import { config } from './config.ts'
import { supabase } from './supabase.ts'

/** `unsupported` for ever, `denied` until the browser's settings change. */
export type PushState = 'unsupported' | 'denied' | 'off' | 'on'

export const pushKey = (userId: string) => ['push', userId] as const

/** The state of push for the signed-in person and this browser. */
export const pushQuery = (userId: string) =>
  queryOptions({
    queryKey: pushKey(userId),
    queryFn: async ({ signal }): Promise<PushState> => {
      if (!isSupported()) return 'unsupported'
      if (Notification.permission === 'denied') return 'denied'
      const registration = await navigator.serviceWorker.getRegistration()
      const subscription = await registration?.pushManager.getSubscription()
      if (!subscription) return 'off'
      // Somebody else who used this browser may have left it.
      const { data } = await supabase
        .from('push_subscriptions')
        .select('id')
        .eq('endpoint', subscription.endpoint)
        .abortSignal(signal)
        .throwOnError()
      return data.length > 0 ? 'on' : 'off'
    },
  })

const isSupported = () =>
  config.vapidPublicKey !== null &&
  'serviceWorker' in navigator &&
  'PushManager' in window &&
  'Notification' in window

/** Whether this browser could push and its permission was never decided, so that it would ask for it. */
export const asksForPush = (): boolean => isSupported() && Notification.permission === 'default'

/** Asks the browser's permission and subscribes; nothing where it is refused. Call it in answer to a click. */
export async function startPush(): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') return
  const registration = await navigator.serviceWorker.ready
  const before = await registration.pushManager.getSubscription()
  const subscription =
    before ??
    (await registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: config.vapidPublicKey,
    }))
  const { endpoint, keys } = subscription.toJSON()
  await supabase
    .rpc('save_push_subscription', {
      endpoint: endpoint ?? '',
      p256dh: keys?.p256dh ?? '',
      auth_secret: keys?.auth ?? '',
    })
    .throwOnError()
}

export async function endPush(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration()
  const subscription = await registration?.pushManager.getSubscription()
  if (!subscription) return
  await supabase.from('push_subscriptions').delete().eq('endpoint', subscription.endpoint).throwOnError()
  await subscription.unsubscribe()
}

// A push as the database hands it over (begin_push), encrypted for its browser (RFC 8291) and signed for its push service
// (RFC 8292) by web-push, and what became of it.
import webpush from 'web-push'
import { languageOf } from '../../../shared/language.ts'
import { unlinked } from '../../../shared/links.ts'
import { type EventTexts, isolatedIn } from '../../../shared/texts.ts'
import { type Environment, required } from '../_shared/supabase.ts'
import { textsIn } from '../_shared/texts.ts'

export type WaitingPush = {
  id: string
  endpoint: string
  p256dh: string
  auth_secret: string
  key: string
  kind: string
  /** The reader's. */
  language: string
  /** In English, for a key that is newer than this function. */
  texts: Pick<EventTexts, 'title' | 'message'>
  params: Record<string, unknown>
  /** A path of the web app. */
  link: string
}

/** The notification that the service worker shows (web/worker/push.ts). */
type PushContent = { title: string; body: string; link: string }

export type Outcome = 'sent' | 'gone' | 'later' | 'refused'

/** The hosts of browsers' push services: an endpoint is the caller's word, and nothing else is called by it. */
const SERVICES = [
  /^fcm\.googleapis\.com$/,
  /^(updates|[\w-]+)\.push\.services\.mozilla\.com$/,
  /^[\w-]+\.notify\.windows\.com$/,
  /^web\.push\.apple\.com$/,
]
/** A push service keeps it that long for a browser that is away. */
const KEPT_FOR_S = 24 * 60 * 60
const TIMEOUT_MS = 10_000
/** Letters of a text: a push service takes 4096 bytes with the encryption. */
const MAX_TEXT = 500

/**
 * Sends it. Returns 'later' if the push service cannot be reached, and 'gone' if the subscription is malformed.
 */
export async function sendPush(push: WaitingPush, env: Environment): Promise<Outcome> {
  if (!(await isSubscription(push))) return 'gone'
  if (!isPushService(push.endpoint, env)) return 'refused'
  const details = webpush.generateRequestDetails(
    { endpoint: push.endpoint, keys: { p256dh: push.p256dh, auth: push.auth_secret } },
    JSON.stringify(contentOf(push)),
    {
      TTL: KEPT_FOR_S,
      vapidDetails: {
        subject: env.VAPID_SUBJECT || required(env, 'SITE_URL'),
        publicKey: required(env, 'VAPID_PUBLIC_KEY'),
        privateKey: required(env, 'VAPID_PRIVATE_KEY'),
      },
    },
  )
  try {
    const response = await fetch(push.endpoint, {
      method: details.method,
      headers: details.headers as Record<string, string>,
      body: new Uint8Array(details.body ?? []),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    return outcomeOf(response.status)
  } catch {
    return 'later'
  }
}

/** RFC 8030 §5 and §7.3: 404 and 410 say that the subscription has ended. */
function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'sent'
  if (status === 404 || status === 410) return 'gone'
  return status === 429 || status >= 500 ? 'later' : 'refused'
}

/** Whether the endpoint is a URL, p256dh an uncompressed point of P-256 and auth_secret 16 bytes long (RFC 8291 §3.1). */
async function isSubscription({ endpoint, p256dh, auth_secret }: WaitingPush): Promise<boolean> {
  if (!URL.canParse(endpoint)) return false
  try {
    const curve = { name: 'ECDH', namedCurve: 'P-256' }
    const point = bytesOf(p256dh)
    await crypto.subtle.importKey('raw', point, curve, false, [])
    return point.length === 65 && bytesOf(auth_secret).length === 16
  } catch {
    return false
  }
}

/** Decodes base64url; throws if the text is malformed. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0))
}

/** By https at a known host, or at an origin that PUSH_SERVICES names (separated by commas). */
export function isPushService(endpoint: string, env: Environment): boolean {
  const { protocol, hostname, origin, port } = new URL(endpoint)
  if ((env.PUSH_SERVICES ?? '').split(',').includes(origin)) return true
  return protocol === 'https:' && port === '' && SERVICES.some((service) => service.test(hostname))
}

function contentOf({ key, texts, params, link, ...push }: WaitingPush): PushContent {
  const language = languageOf(push.language)
  const ordered = isolatedIn(language)
  const written = (value: string) => ordered(unlinked(value))
  const say = (part: 'title' | 'message') =>
    textsIn(language)
      .notifications.say(`${key}.${part}`, params, { escape: written, fallback: texts[part] })
      .slice(0, MAX_TEXT)
  return { title: say('title'), body: say('message'), link }
}

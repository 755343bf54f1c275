// The app's run-time configuration, served by whoever hosts it at /config.json.

import { noteServerTime } from './serverClock.ts'

export type AppConfig = {
  supabaseUrl: string
  /** The publishable key. */
  supabaseKey: string
  /** Payments, mail and SMS are stand-ins that can be looked into at /sandbox/inbox. */
  sandbox: boolean
  /** The key by which push services know the backend; null where nothing is pushed. */
  vapidPublicKey: string | null
  /** The CAPTCHA service whose tokens the auth service requires, if it does. */
  captcha: CaptchaConfig | null
  /** Custom providers of the auth service that people may sign in by, in the order of their buttons. */
  customProviders: CustomProvider[]
  /** A style for maps with streets, as https://maplibre.org/maplibre-style-spec has it; null for the map that ships with the app. */
  mapStyleUrl: string | null
  /** An archive of street tiles (PMTiles), drawn in the app's own colours; null where there is none. */
  mapTilesUrl: string | null
}

export type CustomProvider = { id: `custom:${string}`; name: string }

export type CaptchaConfig = {
  provider: 'hcaptcha' | 'turnstile'
  siteKey: string
  /** Of the provider's widget. */
  scriptUrl: string
}

/** The configuration; start.tsx reads it before any screen renders. */
export let config: AppConfig

const waiting = new Set<(config: AppConfig) => void>()

/** Calls back with the configuration, now or once it has been read. */
export function onConfig(callback: (config: AppConfig) => void) {
  if (config) callback(config)
  else waiting.add(callback)
}

/** Reads /config.json. Throws an Error that says what is wrong with it. */
export async function readConfig(): Promise<AppConfig> {
  const response = await fetch('/config.json', { credentials: 'same-origin' })
  if (!response.ok) throw new Error(`/config.json answered ${response.status}`)
  // Before the client looks at the stored session.
  noteServerTime(response)
  const answer = (await response.json()) as Partial<AppConfig>
  const { supabaseUrl, supabaseKey, sandbox = false, vapidPublicKey = null, captcha = null } = answer
  const { customProviders = [], mapStyleUrl = null, mapTilesUrl = null } = answer
  if (!supabaseUrl) throw new Error('/config.json: supabaseUrl is missing')
  if (!supabaseKey) throw new Error('/config.json: supabaseKey is missing')
  config = {
    supabaseUrl,
    supabaseKey,
    sandbox: Boolean(sandbox),
    vapidPublicKey,
    captcha,
    customProviders,
    mapStyleUrl,
    mapTilesUrl,
  }
  for (const callback of waiting) callback(config)
  return config
}

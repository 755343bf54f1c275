// The ways into an account that the auth page shows before its app has started.
import { readConfig } from '../lib/config.ts'
import { PROVIDER_NAMES } from '../lib/providerNames.ts'

type Settings = { passkeys_enabled?: boolean; external?: Record<string, unknown> }

/** Shows the passkeys' button where it belongs; resolves to whether the page lacks buttons of providers, which the app draws. */
export async function showSignInOptions(): Promise<boolean> {
  try {
    const { supabaseUrl, supabaseKey, customProviders } = await readConfig()
    if (customProviders.length > 0) return true
    const response = await fetch(`${supabaseUrl}/auth/v1/settings`, { headers: { apikey: supabaseKey } })
    const { passkeys_enabled, external = {} }: Settings = await response.json()
    const { dataset } = document.documentElement
    if (passkeys_enabled && 'PublicKeyCredential' in window) dataset.passkeys = ''
    else delete dataset.passkeys
    return Object.keys(PROVIDER_NAMES).some((id) => external[id] === true)
  } catch {
    // The app says what is wrong, once it is asked for something.
    return false
  }
}

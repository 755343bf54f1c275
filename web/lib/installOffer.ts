// The browser's offer to install the app (spec 000 §1), which comes once and early: main.tsx imports this by itself.

interface InstallOffer extends Event {
  prompt(): Promise<void>
  userChoice: Promise<{ outcome: 'accepted' | 'dismissed' }>
}

export type InstallState = {
  /** The app runs in its own window. */
  standalone: boolean
  /** The browser would show its prompt. */
  offered: boolean
}

const STANDALONE_QUERY = '(display-mode: standalone)'
const listeners = new Set<() => void>()
let offer: InstallOffer | null = null
let state: InstallState = { standalone: isStandalone(), offered: false }

function isStandalone(): boolean {
  if (typeof matchMedia === 'undefined') return false
  return matchMedia(STANDALONE_QUERY).matches || ('standalone' in navigator && navigator.standalone === true)
}

function update(next: InstallOffer | null, standalone = isStandalone()) {
  offer = next
  state = { standalone, offered: offer !== null }
  for (const listener of listeners) listener()
}

if (typeof window !== 'undefined') {
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault()
    update(event as InstallOffer)
  })
  addEventListener('appinstalled', () => update(null, true))
  matchMedia(STANDALONE_QUERY).addEventListener('change', () => update(offer))
}

/** The state now; the same object until it changes. */
export const installState = (): InstallState => state

export function onInstallChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Shows the browser's prompt; true when the person accepted. Without an offer, false. */
export async function promptInstall(): Promise<boolean> {
  if (!offer) return false
  const current = offer
  await current.prompt()
  const { outcome } = await current.userChoice
  // An offer works once; the browser makes another after a refusal.
  update(null)
  return outcome === 'accepted'
}

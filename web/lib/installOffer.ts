// The browser's offer to install the app (spec 000 §1), which comes once and early: main.tsx imports this by itself.
import { createStore, type ReadonlyStore } from './store.ts'

interface InstallOffer extends Event {
  prompt(): Promise<void>
  userChoice: Promise<{ outcome: 'accepted' | 'dismissed' }>
}

type InstallState = {
  /** The app runs in its own window. */
  standalone: boolean
  /** The browser would show its prompt. */
  offered: boolean
}

const STANDALONE_QUERY = '(display-mode: standalone)'

const offer = createStore<InstallOffer | null>(null)

/** Nothing is known of the browser in pages rendered at build. */
const state = createStore<InstallState>({ standalone: false, offered: false })
export const installState: ReadonlyStore<InstallState> = state

function isStandalone(): boolean {
  return matchMedia(STANDALONE_QUERY).matches || ('standalone' in navigator && navigator.standalone === true)
}

function update(next: InstallOffer | null, standalone = isStandalone()) {
  offer.set(next)
  state.set({ standalone, offered: next !== null })
}

if (typeof window !== 'undefined') {
  update(null)
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault()
    update(event as InstallOffer)
  })
  addEventListener('appinstalled', () => update(null, true))
  matchMedia(STANDALONE_QUERY).addEventListener('change', () => update(offer.get()))
}

/** Shows the browser's prompt; true when the person accepted. Without an offer, false. */
export async function promptInstall(): Promise<boolean> {
  const current = offer.get()
  if (!current) return false
  await current.prompt()
  const { outcome } = await current.userChoice
  // An offer works once; the browser makes another after a refusal.
  update(null)
  return outcome === 'accepted'
}

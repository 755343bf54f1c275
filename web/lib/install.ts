// Installing the app: the browser's offer (spec 000 §1 and §2 'Install page'). Imported by main.tsx, because the
// offer comes once and early.
import { useSyncExternalStore } from 'react'

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
const listeners = new Set<() => void>()
let offer: InstallOffer | null = null
let state: InstallState = { standalone: isStandalone(), offered: false }

function isStandalone(): boolean {
  return matchMedia(STANDALONE_QUERY).matches || ('standalone' in navigator && navigator.standalone === true)
}

function update(next: InstallOffer | null, standalone = isStandalone()) {
  offer = next
  state = { standalone, offered: offer !== null }
  for (const listener of listeners) listener()
}

addEventListener('beforeinstallprompt', (event) => {
  event.preventDefault()
  update(event as InstallOffer)
})
addEventListener('appinstalled', () => update(null, true))
matchMedia(STANDALONE_QUERY).addEventListener('change', () => update(offer))

/** `{standalone, offered}`, kept current. */
export function useInstall(): InstallState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )
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

/** iPhone, iPad (which calls itself a Mac, but has a touch screen) or iPod. */
export function isIos(): boolean {
  return (
    /iPad|iPhone|iPod/.test(navigator.userAgent) ||
    (/Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)
  )
}

/** A phone or a tablet. */
export function isMobile(): boolean {
  return isIos() || /Android/.test(navigator.userAgent)
}

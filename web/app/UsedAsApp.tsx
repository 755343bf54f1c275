// What stands on every screen of who uses the app as an app: its service worker. A stranger who looks around is spared it.
import { useServiceWorker } from './serviceWorker.ts'

export default function UsedAsApp() {
  useServiceWorker()
  return null
}

// What stands on every screen of who uses the app as an app: its service worker. Visitors have another one (Visitor.tsx).
import { useServiceWorker } from './serviceWorker.ts'

export default function UsedAsApp() {
  useServiceWorker()
  return null
}

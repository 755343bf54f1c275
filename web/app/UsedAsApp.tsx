// The service worker on every screen of the app. Visitors have another one (Visitor.tsx).
import { useServiceWorker } from './serviceWorker.ts'

export default function UsedAsApp() {
  useServiceWorker()
  return null
}

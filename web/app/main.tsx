// The browser's entry: styles, the browser's offer to install, and the app when this page wants it.
import '../ui/tokens.css'
// Built pages show the horizon before the app has loaded.
import '../ui/horizon/horizon.css'
import '../lib/installOffer.ts'
import { arrive } from './arrival.ts'

void arrive(() => import('./start.tsx'))

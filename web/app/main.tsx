// The browser's entry: styles, the browser's offer to install, and the app when this page wants it.
import '../ui/tokens.css'
import '../ui/contrast.css'
import '../ui/rightToLeft.css'
// Built pages show the horizon before the app has loaded.
import '../ui/horizon/horizon.css'
import '../lib/installOffer.ts'
import { arrive } from './arrival.ts'
import { allStyles } from './styles.ts'

void arrive(async () => {
  const [app] = await Promise.all([import('./start.tsx'), allStyles()])
  return app
})

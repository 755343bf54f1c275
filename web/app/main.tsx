// The browser's entry: configuration, language, then the app.
import '../ui/tokens.css'
import '../lib/install.ts'
import { createRoot } from 'react-dom/client'
import { startI18n } from '../i18n/index.ts'
import { readConfig } from '../lib/config.ts'
import { connect } from '../lib/supabase.ts'
import { App } from './App.tsx'
import { StartFailure } from './StartFailure.tsx'

const root = createRoot(document.getElementById('root') as HTMLElement)

// English comes with the app, so that even the failure below has words.
const texts = startI18n()
try {
  const config = await readConfig()
  await texts
  connect(config)
  root.render(<App />)
} catch (error) {
  console.error(error)
  await texts
  root.render(<StartFailure />)
}

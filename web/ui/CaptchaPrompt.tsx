// Asks for a CAPTCHA where the auth service wants its token, over whatever is open.
import { lazy, Suspense, useSyncExternalStore } from 'react'
import { captchaPrompt } from '../lib/captcha.ts'
import { config } from '../lib/config.ts'

const CaptchaDialog = lazy(() => import('./CaptchaDialog.tsx'))

export function CaptchaPrompt() {
  const asked = useSyncExternalStore(captchaPrompt.subscribe, captchaPrompt.asked, () => null)
  return <Suspense>{asked && config.captcha && <CaptchaDialog captcha={config.captcha} />}</Suspense>
}

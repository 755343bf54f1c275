// Asks for a CAPTCHA where the auth service wants its token, over whatever is open.
import { lazy, Suspense } from 'react'
import { captchaPrompt } from '../lib/captcha.ts'
import { config } from '../lib/config.ts'
import { useStore } from '../lib/useStore.ts'

const CaptchaDialog = lazy(() => import('./CaptchaDialog.tsx'))

export function CaptchaPrompt() {
  const asked = useStore(captchaPrompt.asked)
  return <Suspense>{asked && config.captcha && <CaptchaDialog captcha={config.captcha} />}</Suspense>
}

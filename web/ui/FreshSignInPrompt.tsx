// Asks for a recent sign-in where a change needs one, over whatever is open.
import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react'
import { freshSignInPrompt } from '../lib/freshSignIn.ts'

const FreshSignInDialog = lazy(() => import('./FreshSignInDialog.tsx'))

export function FreshSignInPrompt() {
  const asked = useSyncExternalStore(freshSignInPrompt.subscribe, freshSignInPrompt.asked, () => null)
  useEffect(() => freshSignInPrompt.giveUp, [])
  return <Suspense>{asked && <FreshSignInDialog />}</Suspense>
}

// Asks for a recent sign-in where a change needs one, over whatever is open.
import { lazy, Suspense, useEffect } from 'react'
import { freshSignInPrompt } from '../lib/freshSignIn.ts'
import { useStore } from '../lib/useStore.ts'

const FreshSignInDialog = lazy(() => import('./FreshSignInDialog.tsx'))

export function FreshSignInPrompt() {
  const asked = useStore(freshSignInPrompt.asked)
  useEffect(() => freshSignInPrompt.giveUp, [])
  return <Suspense>{asked && <FreshSignInDialog />}</Suspense>
}

// Signing in with a passkey, where the service and the browser know them.
import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import {
  isAbandoned,
  isRefusedPasskey,
  passkeyFailureText,
  passkeysAvailableQuery,
} from '../../../lib/queries/passkeys.ts'
import { Button } from '../../../ui/Button.tsx'
import { classes } from '../../../ui/classes.ts'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { signInWithPasskey } from '../api/actions.ts'
import { signInMessage } from '../errors.ts'
import { useGreeting } from './useGreeting.ts'

export function PasskeyButton() {
  const { t } = useTranslation()
  const greet = useGreeting()
  const { data: available } = useQuery(passkeysAvailableQuery)
  const signingIn = useAction(signInWithPasskey, {
    onSuccess: (secondStep) => {
      if (!secondStep) greet()
    },
    onError: (error) => {
      if (isAbandoned(error)) return
      toast.error(t('auth.signInFailed'), {
        description: isRefusedPasskey(error)
          ? t('auth.passkeyRefused')
          : passkeyFailureText(error, t, signInMessage(error, t)),
      })
    },
  })
  if (available === false) return null
  return (
    <Button
      variant="secondary"
      size="lg"
      className={classes(
        'mt-3 h-auto min-h-13 w-full py-2 whitespace-normal',
        // Until the service has answered, the page shows it where our server sent it: the largest thing here, it came late.
        available === undefined && 'hidden in-data-passkeys:inline-flex',
      )}
      loading={signingIn.isPending}
      onClick={() => signingIn.mutate()}
    >
      <KeyRound aria-hidden />
      <span>{t('auth.passkey')}</span>
    </Button>
  )
}

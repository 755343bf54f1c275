// The dialog in which whoever signed in a while ago confirms that it is them: by the password, or by a code from their
// e-mail, which those without a password need.
import { isAuthError } from '@supabase/supabase-js'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TextKey } from '../i18n/index.ts'
import { latinDigits } from '../lib/digits.ts'
import { errorText } from '../lib/errorText.ts'
import { freshSignInPrompt, proofQuery, proveAgain, sendProofCode } from '../lib/freshSignIn.ts'
import { z } from '../lib/zod.ts'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { Form, SubmitButton } from './form/Form.tsx'
import { useZodForm } from './form/useZodForm.ts'
import { Input } from './Input.tsx'
import { PasswordInput } from './PasswordInput.tsx'
import { INITIAL_FOCUS } from './returnFocus.ts'
import { Skeleton } from './Skeleton.tsx'
import { ErrorState } from './States.tsx'
import { toast } from './Toaster.tsx'
import { useAction } from './useAction.ts'

const passwordSchema = z.object({ proof: z.string().min(1, 'auth.passwordRequired' satisfies TextKey) })
const codeSchema = z.object({
  proof: z
    .string()
    .overwrite((code) => latinDigits(code).replace(/\s/g, ''))
    .min(1, 'account.codeRequired' satisfies TextKey),
})

/** Errors of the service, with the text below the field. */
const refusals: Record<string, TextKey> = {
  invalid_credentials: 'account.wrongPassword',
  reauthentication_not_valid: 'account.wrongCode',
}

export default function FreshSignInDialog() {
  const { t } = useTranslation()
  const proof = useQuery(proofQuery)
  const [wantsCode, setWantsCode] = useState(false)
  const sending = useAction(
    { run: sendProofCode },
    { onSuccess: () => setWantsCode(true), onError: t('ui.errorTitle') },
  )
  const byCode = wantsCode || proof.data?.hasPassword === false
  useEffect(() => {
    freshSignInPrompt.setGivenUpText(t('account.freshGivenUp'))
  }, [t])
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && freshSignInPrompt.giveUp()}
      title={t('account.freshTitle')}
      description={t(byCode ? 'account.freshByCode' : 'account.freshByPassword')}
      size="sm"
    >
      {proof.isLoadingError ? (
        <ErrorState onRetry={() => proof.refetch()} />
      ) : !proof.data ? (
        <Skeleton className="h-36 w-full" />
      ) : (
        <ProofForm key={String(byCode)} byCode={byCode}>
          {sending.isSuccess ? (
            <p className="text-sm text-ink-soft">
              {t('account.deleteCodeSent', { address: proof.data.address })}
            </p>
          ) : (
            <Button variant="link" loading={sending.isPending} onClick={() => sending.mutate()}>
              {t(byCode ? 'account.sendCode' : 'account.deleteByCode')}
            </Button>
          )}
        </ProofForm>
      )}
    </Dialog>
  )
}

/** `children` stand below the field. */
function ProofForm({ byCode, children }: { byCode: boolean; children: ReactNode }) {
  const { t } = useTranslation()
  const form = useZodForm(byCode ? codeSchema : passwordSchema, { defaultValues: { proof: '' } })
  const proving = useAction(
    { run: ({ proof }: { proof: string }) => proveAgain(byCode ? { nonce: proof } : { password: proof }) },
    {
      onSuccess: freshSignInPrompt.done,
      onError: (error) => {
        const refusal = refusals[isAuthError(error) ? (error.code ?? '') : '']
        if (refusal) form.setError('proof', { message: refusal }, { shouldFocus: true })
        else toast.error(t('ui.errorTitle'), { description: errorText(error) })
      },
    },
  )
  return (
    <Form form={form} submission={proving} onSubmit={proving.mutate}>
      <div className="flex flex-col items-start gap-2 [&>*:first-child]:w-full">
        {byCode ? (
          <form.Field name="proof" label={t('account.deleteCode')} required>
            <Input {...INITIAL_FOCUS} inputMode="numeric" autoComplete="one-time-code" autoFocus />
          </form.Field>
        ) : (
          <form.Field name="proof" label={t('account.currentPassword')} required>
            <PasswordInput {...INITIAL_FOCUS} autoComplete="current-password" />
          </form.Field>
        )}
        {children}
      </div>
      <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-end">
        <Button variant="secondary" disabled={proving.isPending} onClick={freshSignInPrompt.giveUp}>
          {t('ui.cancel')}
        </Button>
        <SubmitButton>{t('account.continue')}</SubmitButton>
      </div>
    </Form>
  )
}

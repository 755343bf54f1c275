// Adding an authenticator app: a name for it, the secret it takes as a QR code or by hand, and the code that proves it.
import { isAuthError } from '@supabase/supabase-js'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '../../../lib/errorText.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form, SubmissionError, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { addAuthenticator, dropFactor, type NewAuthenticator, proveAuthenticator } from '../api/factors.ts'
import { factorNameSchema, factorProofSchema } from '../schema.ts'

type DialogProps = {
  userId: string
  /** The names that others have. */
  taken: string[]
  onClose: () => void
  onProved: () => void
}

export function AuthenticatorDialog({ userId, taken, onClose, onProved }: DialogProps) {
  const { t } = useTranslation()
  const [added, setAdded] = useState<NewAuthenticator | null>(null)
  const close = () => {
    if (added) dropFactor(added.id)
    onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && close()}
      title={t('account.authenticatorAdd')}
      description={added ? undefined : t('account.authenticatorBody')}
      size="sm"
    >
      {added ? (
        <ProofForm userId={userId} added={added} onCancel={close} onProved={onProved} />
      ) : (
        <NameForm taken={taken} onCancel={close} onAdded={setAdded} />
      )}
    </Dialog>
  )
}

function NameForm({
  taken,
  onCancel,
  onAdded,
}: {
  taken: string[]
  onCancel: () => void
  onAdded: (added: NewAuthenticator) => void
}) {
  const { t } = useTranslation()
  const name = t('account.authenticator')
  const form = useZodForm(factorNameSchema, {
    defaultValues: { name: taken.includes(name) ? '' : name },
  })
  const adding = useAction(addAuthenticator, {
    onSuccess: onAdded,
    onError: (error) => {
      if (isAuthError(error) && error.code === 'mfa_factor_name_conflict')
        form.setError('name', { message: 'account.factorNameTaken' }, { shouldFocus: true })
      else toast.error(t('ui.errorTitle'), { description: errorText(error) })
    },
  })
  return (
    <Form form={form} submission={adding} onSubmit={adding.mutate}>
      <form.Field name="name" label={t('account.factorName')} hint={t('account.factorNameHint')} required>
        <Input autoComplete="off" />
      </form.Field>
      <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-end">
        <Button variant="secondary" onClick={onCancel}>
          {t('ui.cancel')}
        </Button>
        <SubmitButton>{t('account.continue')}</SubmitButton>
      </div>
    </Form>
  )
}

function ProofForm({
  userId,
  added: { id, qrCode, secret },
  onCancel,
  onProved,
}: {
  userId: string
  added: NewAuthenticator
  onCancel: () => void
  onProved: () => void
}) {
  const { t } = useTranslation()
  const form = useZodForm(factorProofSchema, { defaultValues: { code: '' } })
  const proving = useAction(proveAuthenticator(userId), {
    onSuccess: () => {
      toast.success(t('account.turnedOn'), { description: t('account.turnedOnBody') })
      onProved()
    },
    onError: (error) => {
      if (isAuthError(error) && error.code === 'mfa_verification_failed')
        form.setError('code', { message: 'account.appCodeWrong' }, { shouldFocus: true })
    },
  })
  // The field is what comes next, once the picture was scanned.
  useEffect(() => form.setFocus('code'), [form.setFocus])
  return (
    <Form form={form} submission={proving} onSubmit={({ code }) => proving.mutate({ id, code })}>
      <figure className="flex flex-col items-center gap-3">
        <figcaption className="self-start font-semibold">{t('account.scan')}</figcaption>
        <img
          src={qrCode}
          alt={t('account.qrCode')}
          className="size-56 rounded-md border border-line bg-white"
        />
      </figure>
      <Secret secret={secret} />
      <form.Field name="code" label={t('account.appCode')} required>
        <Input inputMode="numeric" autoComplete="one-time-code" />
      </form.Field>
      {!form.formState.errors.code && <SubmissionError />}
      <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-end">
        <Button variant="secondary" disabled={proving.isPending} onClick={onCancel}>
          {t('ui.cancel')}
        </Button>
        <SubmitButton>{t('account.turnOn')}</SubmitButton>
      </div>
    </Form>
  )
}

function Secret({ secret }: { secret: string }) {
  const { t } = useTranslation()
  const copy = async () => {
    await navigator.clipboard.writeText(secret)
    toast.success(t('account.copied'))
  }
  return (
    <div className="flex flex-col gap-1.5">
      <p className="font-semibold">{t('account.secret')}</p>
      <div className="flex items-center gap-3">
        <code
          translate="no"
          className="min-w-0 flex-1 rounded-md bg-sunken px-3 py-2 font-mono text-sm wrap-anywhere"
        >
          {secret.match(/.{1,4}/g)?.join(' ')}
        </code>
        <Button variant="secondary" size="sm" onClick={copy}>
          {t('account.copy')}
        </Button>
      </div>
    </div>
  )
}

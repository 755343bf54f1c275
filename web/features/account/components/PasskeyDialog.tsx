// The name of a passkey: of a new one, before the browser asks where to keep it, or another one for one that there is.
import { useTranslation } from 'react-i18next'
import { isAbandoned, passkeyFailureText } from '../../../lib/queries/passkeys.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { addPasskey, type Passkey, renamePasskey } from '../api/passkeys.ts'
import { factorNameSchema } from '../schema.ts'

export function PasskeyDialog({
  userId,
  passkey,
  onClose,
}: {
  userId: string
  /** Null for a new one. */
  passkey: Passkey | null
  onClose: () => void
}) {
  const { t } = useTranslation()
  const form = useZodForm(factorNameSchema, {
    defaultValues: { name: passkey ? passkey.name : t('account.passkey') },
  })
  const callbacks = (done: string) => ({
    onSuccess: () => {
      toast.success(done)
      onClose()
    },
    onError: (error: Error) => {
      if (!isAbandoned(error)) toast.error(t('ui.errorTitle'), { description: passkeyFailureText(error, t) })
    },
  })
  const adding = useAction(addPasskey(userId), callbacks(t('account.passkeyAdded')))
  const renaming = useAction(renamePasskey(userId), callbacks(t('account.passkeyRenamed')))
  const submission = passkey ? renaming : adding
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !submission.isPending && onClose()}
      title={passkey ? t('account.passkeyRename', { name: passkey.name }) : t('account.passkeyAdd')}
      description={passkey ? undefined : t('account.passkeyBody')}
      size="sm"
    >
      <Form
        form={form}
        submission={submission}
        onSubmit={({ name }) =>
          passkey ? renaming.mutate({ id: passkey.id, name }) : adding.mutate({ name })
        }
      >
        <form.Field name="name" label={t('account.factorName')} hint={t('account.factorNameHint')} required>
          <Input autoComplete="off" />
        </form.Field>
        <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-end">
          <Button variant="secondary" disabled={submission.isPending} onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <SubmitButton>{t(passkey ? 'account.rename' : 'account.continue')}</SubmitButton>
        </div>
      </Form>
    </Dialog>
  )
}

// The danger zone: deleting the account, after the address was typed and the password entered once more.
import { isAuthError } from '@supabase/supabase-js'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { errorText } from '../../../lib/errorText.ts'
import { paths } from '../../../lib/paths.ts'
import { useSession, useSignOut } from '../../../lib/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { deleteAccount, SecondFactorNeeded } from '../api/actions.ts'
import { deletionObstacleQuery } from '../api/queries.ts'
import { type Deletion, deletionSchema } from '../schema.ts'
import { SettingGroup } from './Setting.tsx'

export function DeleteAccount({ userId }: { userId: string }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  return (
    <SettingGroup title={t('account.deleteTitle')} lead={t('account.deleteLead')}>
      <Button variant="danger" className="self-start" onClick={() => setOpen(true)}>
        {t('account.deleteTitle')}
      </Button>
      {open && <DeleteDialog userId={userId} onClose={() => setOpen(false)} />}
    </SettingGroup>
  )
}

function DeleteDialog({ userId, onClose }: { userId: string; onClose: () => void }) {
  const { t } = useTranslation()
  const obstacle = useQuery(deletionObstacleQuery(userId))
  const [busy, setBusy] = useState(false)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !busy && onClose()}
      title={t(obstacle.data ? 'account.deleteBlocked' : 'account.deleteTitle')}
      size="sm"
    >
      {obstacle.isLoadingError ? (
        <ErrorState onRetry={() => obstacle.refetch()} />
      ) : obstacle.data === undefined ? (
        <Skeleton className="h-40 w-full" />
      ) : obstacle.data ? (
        <div className="flex flex-col items-start gap-5">
          <p>{obstacle.data}</p>
          <Button asChild variant="secondary">
            <Link to={paths.bookings}>{t('account.deleteBookings')}</Link>
          </Button>
        </div>
      ) : (
        <DeletionForm onBusy={setBusy} onClose={onClose} />
      )}
    </Dialog>
  )
}

function DeletionForm({ onBusy, onClose }: { onBusy: (busy: boolean) => void; onClose: () => void }) {
  const { t } = useTranslation()
  const email = useSession().user?.email ?? ''
  const signOut = useSignOut()
  const form = useZodForm<Deletion, Deletion>(deletionSchema(email), {
    defaultValues: { confirmation: '', password: '', code: '' },
  })
  const [codeNeeded, setCodeNeeded] = useState(false)
  const deleting = useAction(deleteAccount(email), {
    onSuccess: () => {
      toast.success(t('account.deleted'))
      void signOut()
    },
    onError: (error) => {
      onBusy(false)
      if (error instanceof SecondFactorNeeded) setCodeNeeded(true)
      else if (isAuthError(error) && error.code === 'mfa_verification_failed') {
        form.setError('code', { message: 'account.wrongCode' }, { shouldFocus: true })
      } else if (isAuthError(error) && error.code === 'invalid_credentials') {
        form.setError('password', { message: 'account.wrongPassword' }, { shouldFocus: true })
      } else toast.error(t('ui.errorTitle'), { description: errorText(error) })
    },
  })
  const submit = (deletion: Deletion) => {
    onBusy(true)
    deleting.mutate(deletion)
  }
  return (
    <Form form={form} submission={deleting} onSubmit={submit}>
      <div className="flex flex-col gap-3 text-ink-soft">
        <p>{t('account.deleteGone')}</p>
        <p>{t('account.deleteKept')}</p>
        <p className="font-medium text-danger">{t('account.deleteNoWay')}</p>
      </div>
      <form.Field name="confirmation" label={t('account.deleteConfirm', { email })} required>
        <Input autoComplete="off" autoCapitalize="none" spellCheck={false} />
      </form.Field>
      <form.Field name="password" label={t('account.currentPassword')} required>
        <PasswordInput autoComplete="current-password" />
      </form.Field>
      {codeNeeded && (
        <form.Field name="code" label={t('account.factorCode')} required>
          <Input inputMode="numeric" autoComplete="one-time-code" />
        </form.Field>
      )}
      <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-end">
        <Button variant="secondary" disabled={deleting.isPending} onClick={onClose}>
          {t('ui.cancel')}
        </Button>
        <SubmitButton variant="danger">{t('account.deleteForever')}</SubmitButton>
      </div>
    </Form>
  )
}

// The danger zone: deleting the account, after the address was typed and the password or a code entered once more.
import { isAuthError } from '@supabase/supabase-js'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { TextKey } from '../../../i18n/index.ts'
import { errorText } from '../../../lib/errorText.ts'
import { paths } from '../../../lib/paths.ts'
import { useHolds, useSession, useSignOut } from '../../../lib/session.tsx'
import { useErrorWords } from '../../../lib/useErrorWords.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { PasswordInput } from '../../../ui/PasswordInput.tsx'
import { usePhone } from '../../../ui/phone.ts'
import { INITIAL_FOCUS } from '../../../ui/returnFocus.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { type Address, accountDeletion, SecondFactorNeeded } from '../api/deletion.ts'
import { accountQuery, deletionObstacleQuery } from '../api/queries.ts'
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
  const reason = useErrorWords(obstacle.data ?? null)
  const works = useHolds('task_doer')
  const account = useQuery(accountQuery(userId))
  const [busy, setBusy] = useState(false)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !busy && onClose()}
      title={t(obstacle.data ? 'account.deleteBlocked' : 'account.deleteTitle')}
      size="sm"
    >
      {obstacle.isLoadingError || account.isLoadingError ? (
        <ErrorState onRetry={() => Promise.all([obstacle.refetch(), account.refetch()])} />
      ) : obstacle.data === undefined || !account.data ? (
        <Skeleton className="h-40 w-full" />
      ) : obstacle.data ? (
        <div className="flex flex-col items-start gap-5">
          <p>{reason}</p>
          <div className="flex flex-wrap gap-3">
            <Button asChild variant="secondary">
              <Link {...INITIAL_FOCUS} to={paths.bookings}>
                {t('account.deleteBookings')}
              </Link>
            </Button>
            {works && (
              <Button asChild variant="secondary">
                <Link to={`${paths.profile}?tab=payout`}>{t('account.deletePayouts')}</Link>
              </Button>
            )}
          </div>
        </div>
      ) : (
        <DeletionForm hasPassword={account.data.hasPassword} onBusy={setBusy} onClose={onClose} />
      )}
    </Dialog>
  )
}

type FormProps = { hasPassword: boolean; onBusy: (busy: boolean) => void; onClose: () => void }

/** The form, the code that is sent, and the deletion. `factor`: the second factor whose code is needed, too. */
function useDeletion({ hasPassword, onBusy }: Omit<FormProps, 'onClose'>) {
  const { t } = useTranslation()
  const { address, shown, matches } = useAddress()
  const signOut = useSignOut()
  const [deletion] = useState(() => accountDeletion(address))
  useEffect(() => () => void deletion.giveUp(), [deletion])
  const form = useZodForm<Deletion, Deletion>(deletionSchema(matches), {
    defaultValues: {
      confirmation: '',
      by: hasPassword ? 'password' : 'code',
      password: '',
      code: '',
      factorCode: '',
    },
  })
  const [factor, setFactor] = useState<'totp' | 'phone' | null>(null)
  const fail = (error: Error) => toast.error(t('ui.errorTitle'), { description: errorText(error) })
  const sending = useAction(
    { run: deletion.sendCode },
    {
      onSuccess: () => {
        onBusy(false)
        form.setValue('by', 'code')
      },
      onError: (error) => {
        onBusy(false)
        fail(error)
      },
    },
  )
  const deleting = useAction(
    { run: deletion.confirm },
    {
      onSuccess: () => {
        toast.success(t('account.deleted'))
        void signOut({ accountGone: true })
      },
      onError: (error) => {
        onBusy(false)
        if (error instanceof SecondFactorNeeded) return setFactor(error.kind)
        const refusal = refusals[isAuthError(error) ? (error.code ?? '') : '']
        if (refusal) form.setError(refusal[0], { message: refusal[1] }, { shouldFocus: true })
        else fail(error)
      },
    },
  )
  const sendCode = () => {
    onBusy(true)
    sending.mutate()
  }
  const submit = (values: Deletion) => {
    onBusy(true)
    deleting.mutate(values)
  }
  return { form, shown, factor, sending, sendCode, deleting, submit }
}

function DeletionForm({ onClose, ...props }: FormProps) {
  const { t } = useTranslation()
  const { form, shown, factor, sending, sendCode, deleting, submit } = useDeletion(props)
  const by = form.watch('by')
  return (
    <Form form={form} submission={deleting} onSubmit={submit}>
      <div className="flex flex-col gap-3 text-ink-soft">
        <p>{t('account.deleteGone')}</p>
        <p>{t('account.deleteKept')}</p>
        <p className="font-medium text-danger">{t('account.deleteNoWay')}</p>
      </div>
      <form.Field name="confirmation" label={t('account.deleteConfirm', { address: shown })} required>
        <Input {...INITIAL_FOCUS} autoComplete="off" autoCapitalize="none" spellCheck={false} />
      </form.Field>
      {by === 'password' ? (
        <div className="flex flex-col items-start gap-2 [&>*:first-child]:w-full">
          <form.Field name="password" label={t('account.currentPassword')} required>
            <PasswordInput autoComplete="current-password" />
          </form.Field>
          <Button variant="link" loading={sending.isPending} onClick={sendCode}>
            {t('account.deleteByCode')}
          </Button>
        </div>
      ) : (
        <div className="flex flex-col items-start gap-2 [&>*:first-child]:w-full">
          <form.Field
            name="code"
            label={t('account.deleteCode')}
            hint={sending.isSuccess ? t('account.deleteCodeSent', { address: shown }) : undefined}
            required
          >
            <Input inputMode="numeric" autoComplete="one-time-code" />
          </form.Field>
          {!sending.isSuccess && (
            <Button variant="link" loading={sending.isPending} onClick={sendCode}>
              {t('account.sendCode')}
            </Button>
          )}
        </div>
      )}
      {factor && (
        <form.Field
          name="factorCode"
          label={t(factor === 'phone' ? 'account.phoneFactorCode' : 'account.factorCode')}
          required
        >
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

/** Errors of the service, with the field that each concerns. */
const refusals: Record<string, [field: keyof Deletion, text: TextKey]> = {
  invalid_credentials: ['password', 'account.wrongPassword'],
  otp_expired: ['code', 'account.wrongCode'],
  mfa_verification_failed: ['factorCode', 'account.wrongCode'],
  mfa_challenge_expired: ['factorCode', 'account.wrongCode'],
}

/** The sign-in address, as shown, and whether typed text equals it. */
function useAddress(): { address: Address; shown: string; matches: (typed: string) => boolean } {
  const { user } = useSession()
  const phone = `+${user?.phone ?? ''}`
  const shownPhone = usePhone(phone, { whole: true })
  if (!user?.email) {
    const digits = (text: string) => text.replace(/\D/g, '')
    return { address: { phone }, shown: shownPhone, matches: (typed) => digits(typed) === digits(phone) }
  }
  const { email } = user
  return { address: { email }, shown: email, matches: (typed) => typed.toLowerCase() === email.toLowerCase() }
}

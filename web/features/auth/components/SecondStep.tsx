// The second step of a sign-in: the code of an authenticator app or a security key, or a recovery code for people who
// have lost it.
import type { Factor, User } from '@supabase/supabase-js'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isAbandoned, isRefusedPasskey, passkeyFailureText } from '../../../lib/queries/passkeys.ts'
import { Button } from '../../../ui/Button.tsx'
import { Problem } from '../../../ui/form/Field.tsx'
import { Form, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { Select } from '../../../ui/Select.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { leaveSignIn, redeemRecoveryCode, verifyCode, verifyKey } from '../api/actions.ts'
import { codeMessage, otherMessage } from '../errors.ts'
import { codeSchema, recoveryCodeSchema } from '../schema.ts'
import { canBeUnknown, UnknownFactor } from './UnknownFactor.tsx'
import { useGreeting } from './useGreeting.ts'

export function SecondStep({ user }: { user: User }) {
  const { t } = useTranslation()
  const [view, setView] = useState<'proof' | 'lost' | 'unknown'>('proof')
  const leaving = useAction(leaveSignIn, { onError: t('ui.errorTitle') })
  const verified = (user.factors ?? []).filter(({ status }) => status === 'verified')
  const apps = verified.filter(({ factor_type }) => factor_type === 'totp')
  const keys = verified.filter(({ factor_type }) => factor_type === 'webauthn')
  return (
    <div className="flex flex-col gap-5">
      <h2 className="text-2xl">{t('auth.secondStep')}</h2>
      {view === 'lost' && <RecoveryForm />}
      {view === 'unknown' && <UnknownFactor email={user.email ?? ''} factors={verified} />}
      {view === 'proof' && (
        <>
          <p className="text-ink-soft wrap-anywhere">
            {t(apps.length > 0 ? 'auth.secondStepBody' : 'auth.secondStepByKey', { email: user.email })}
          </p>
          {apps.length > 0 && <CodeForm apps={apps} />}
          {keys.length > 0 && <Keys keys={keys} only={apps.length === 0} />}
        </>
      )}
      <div className="flex flex-wrap justify-between gap-x-6 gap-y-3">
        {view === 'proof' ? (
          <>
            <Button variant="link" onClick={() => setView('lost')}>
              {t('auth.lostDevice')}
            </Button>
            {canBeUnknown(user, verified) && (
              <Button variant="link" onClick={() => setView('unknown')}>
                {t('auth.notMine')}
              </Button>
            )}
          </>
        ) : (
          <Button variant="link" onClick={() => setView('proof')}>
            {t(apps.length > 0 ? 'auth.backToCode' : 'auth.backToKey')}
          </Button>
        )}
        <Button variant="link" loading={leaving.isPending} onClick={() => leaving.mutate()}>
          {t('auth.leaveSignIn')}
        </Button>
      </div>
    </div>
  )
}

function CodeForm({ apps }: { apps: Factor[] }) {
  const { t } = useTranslation()
  const [factorId, setFactorId] = useState(apps[0]?.id ?? '')
  const form = useZodForm(codeSchema, { defaultValues: { code: '' } })
  const greet = useGreeting()
  const verifying = useAction(verifyCode, {
    onSuccess: greet,
    onError: () => form.setFocus('code', { shouldSelect: true }),
  })
  return (
    <Form form={form} submission={verifying} onSubmit={({ code }) => verifying.mutate({ factorId, code })}>
      {apps.length > 1 && (
        <Select
          aria-label={t('auth.factor')}
          value={factorId}
          onChange={(event) => setFactorId(event.target.value)}
        >
          {apps.map(({ id, friendly_name }) => (
            <option key={id} value={id}>
              {friendly_name || t('auth.factor')}
            </option>
          ))}
        </Select>
      )}
      <form.Field name="code" label={t('auth.factorCode')} required>
        <Input inputMode="numeric" autoComplete="one-time-code" autoFocus />
      </form.Field>
      <div>
        {verifying.error && <Problem>{codeMessage(verifying.error, t)}</Problem>}
        <SubmitButton size="lg" className="w-full">
          {t('auth.verify')}
        </SubmitButton>
      </div>
    </Form>
  )
}

/** One button for each key, since a challenge names the one that it is for. */
function Keys({ keys, only }: { keys: Factor[]; only: boolean }) {
  const { t } = useTranslation()
  const greet = useGreeting()
  const verifying = useAction(verifyKey, {
    onSuccess: greet,
  })
  const { error } = verifying
  return (
    <div className="flex flex-col gap-3">
      {error && !isAbandoned(error) && (
        <Problem>{isRefusedPasskey(error) ? t('auth.keyRefused') : passkeyFailureText(error, t)}</Problem>
      )}
      {keys.map(({ id, friendly_name }) => (
        <Button
          key={id}
          size="lg"
          variant={only ? 'primary' : 'secondary'}
          loading={verifying.isPending && verifying.variables === id}
          onClick={() => verifying.mutate(id)}
        >
          <KeyRound aria-hidden />
          <span>{t('auth.useKey', { name: friendly_name || t('auth.securityKey') })}</span>
        </Button>
      ))}
    </div>
  )
}

function RecoveryForm() {
  const { t } = useTranslation()
  const form = useZodForm(recoveryCodeSchema, { defaultValues: { code: '' } })
  const redeeming = useAction(redeemRecoveryCode, {
    onSuccess: (taken) => {
      if (taken) toast.info(t('auth.recovered'), { description: t('auth.recoveredBody') })
      else form.setFocus('code', { shouldSelect: true })
    },
  })
  return (
    <Form form={form} submission={redeeming} onSubmit={redeeming.mutate}>
      <p className="text-ink-soft">{t('auth.recoveryBody')}</p>
      <form.Field name="code" label={t('auth.recoveryCode')} required>
        <Input autoComplete="off" autoCapitalize="none" spellCheck={false} autoFocus className="font-mono" />
      </form.Field>
      <div>
        {redeeming.data === false && <Problem>{t('auth.recoveryCodeWrong')}</Problem>}
        {redeeming.error && <Problem>{otherMessage(redeeming.error, t)}</Problem>}
        <SubmitButton size="lg" className="w-full">
          {t('auth.recoveryUse')}
        </SubmitButton>
      </div>
    </Form>
  )
}

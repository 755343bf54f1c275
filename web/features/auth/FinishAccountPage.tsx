// /finish-account: asks somebody who signed up through another service for the missing profile data, once, before
// they continue to their destination.
import { useQuery } from '@tanstack/react-query'
import { HandHelping, Megaphone } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Navigate, useSearchParams } from 'react-router'
import { pathAfterSignIn, signInPath } from '../../lib/paths.ts'
import { useMyProfile } from '../../lib/queries/profile.ts'
import { unfinishedAccountQuery } from '../../lib/queries/unfinishedAccount.ts'
import { useSession } from '../../lib/session.tsx'
import { Card } from '../../ui/Card.tsx'
import { Problem } from '../../ui/form/Field.tsx'
import { Form, SubmitButton } from '../../ui/form/Form.tsx'
import { useZodForm } from '../../ui/form/useZodForm.ts'
import { Input } from '../../ui/Input.tsx'
import { Page } from '../../ui/Page.tsx'
import { PhoneInput } from '../../ui/PhoneInput.tsx'
import { RadioCards } from '../../ui/RadioCards.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { useAction } from '../../ui/useAction.ts'
import { finishAccount } from './api/actions.ts'
import { otherMessage } from './errors.ts'
import { finishAccountSchema } from './schema.ts'

export default function FinishAccountPage() {
  const { t } = useTranslation()
  const [search] = useSearchParams()
  const { status, user } = useSession()
  const profile = useMyProfile()
  const unfinished = useQuery(unfinishedAccountQuery(user))

  if (status === 'signedOut') return <Navigate to={signInPath(search.get('next') ?? undefined)} replace />
  if (user && !unfinished.isLoading && !unfinished.data)
    return <Navigate to={pathAfterSignIn(search)} replace />
  if (!user || unfinished.isLoading || profile.isLoading) return <Spinner label={t('ui.loading')} />
  return (
    <Page className="max-w-xl">
      <h1 className="text-3xl">{t('layout.titles.finishAccount')}</h1>
      <p className="mt-2 mb-6 text-ink-soft">{t('finish.body')}</p>
      <Card className="p-5 sm:p-7">
        <FinishForm userId={user.id} name={profile.data?.full_name ?? ''} />
      </Card>
    </Page>
  )
}

function FinishForm({ userId, name }: { userId: string; name: string }) {
  const { t } = useTranslation()
  const form = useZodForm(finishAccountSchema, {
    defaultValues: { fullName: name, phone: '', role: 'task_doer' },
  })
  const finishing = useAction(finishAccount(userId))
  return (
    <Form form={form} submission={finishing} onSubmit={finishing.mutate}>
      <RadioCards
        legend={t('auth.roleLegend')}
        options={[
          { value: 'task_doer', title: t('auth.roleDoer'), hint: t('auth.roleDoerHint'), icon: HandHelping },
          { value: 'task_giver', title: t('auth.roleGiver'), hint: t('auth.roleGiverHint'), icon: Megaphone },
        ]}
        {...form.register('role')}
      />
      <form.Field name="fullName" label={t('auth.fullName')} required>
        <Input autoComplete="name" />
      </form.Field>
      <form.Field name="phone" checkOnLeave label={t('auth.phone')} hint={t('auth.phoneHint')} optional>
        <PhoneInput />
      </form.Field>
      <div>
        {finishing.error && <Problem>{otherMessage(finishing.error, t)}</Problem>}
        <SubmitButton size="lg" className="w-full">
          {t('finish.submit')}
        </SubmitButton>
      </div>
    </Form>
  )
}

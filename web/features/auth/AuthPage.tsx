// /auth: Sign In and Sign Up, and the way back in for a forgotten password (specification 000 §2, §4).
import { useQuery } from '@tanstack/react-query'
import { BadgeCheck, HandCoins, Star } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, useLocation, useNavigate, useSearchParams } from 'react-router'
import { pathAfterSignIn, paths } from '../../lib/paths.ts'
import { useSession } from '../../lib/session.tsx'
import { Card } from '../../ui/Card.tsx'
import { Scene } from '../../ui/horizon/Scene.tsx'
import { Page } from '../../ui/Page.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { linkFailedQuery } from './api/queries.ts'
import { ForgotPasswordForm, NewPasswordForm } from './PasswordForms.tsx'
import { SignInForm } from './SignInForm.tsx'
import { SignUpForm } from './SignUpForm.tsx'

const TAB_SWITCH_DELAY_MS = 1500

const promises = [
  { icon: BadgeCheck, text: 'auth.promiseVerified' },
  { icon: HandCoins, text: 'auth.promiseEscrow' },
  { icon: Star, text: 'auth.promiseReviews' },
] as const

export default function AuthPage() {
  const { t } = useTranslation()
  const { status } = useSession()
  const [search] = useSearchParams()
  const choosingPassword = search.get('view') === 'new-password'

  if (status === 'loading') return <Spinner label={t('ui.loading')} />
  if (status === 'signedIn' && !choosingPassword) return <Navigate to={pathAfterSignIn(search)} replace />

  return (
    <div className="relative -mb-16 lg:min-h-[max(46rem,calc(100dvh-4rem))]">
      <Scene fit="strip" mirrored className="h-36 [--scene-height:15rem] lg:hidden" />
      <Scene mirrored className="hidden lg:block" />
      <Page className="relative grid items-start gap-x-16 gap-y-8 pt-28 pb-28 sm:pt-28 sm:pb-28 lg:grid-cols-[1fr_27rem] lg:pt-14">
        <div className="hidden pt-4 lg:block">
          <p className="max-w-xl font-display text-5xl leading-tight font-bold tracking-tight text-balance">
            {t('auth.promiseTitle')}
          </p>
          <ul className="mt-8 flex max-w-md flex-col gap-4">
            {promises.map(({ icon: Icon, text }) => (
              <li key={text} className="flex items-start gap-4 text-lg font-medium text-ink">
                <Icon aria-hidden className="mt-0.5 size-6 shrink-0" />
                {t(text)}
              </li>
            ))}
          </ul>
        </div>
        <div className="mx-auto w-full max-w-108">
          <h1 className="sr-only">{t('auth.title')}</h1>
          <Card className="p-5 shadow-float sm:p-7">
            <View />
          </Card>
        </div>
      </Page>
    </div>
  )
}

function View() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { status } = useSession()
  const [search, setSearch] = useSearchParams()
  const [createdEmail, setCreatedEmail] = useState<string>()
  const switching = useRef<number>(undefined)
  useEffect(() => () => clearTimeout(switching.current), [])

  const { state } = useLocation()
  const view = search.get('view') ?? (state as { view?: string } | null)?.view ?? 'sign-in'
  const role = search.get('role') === 'task_giver' ? 'task_giver' : undefined
  const pathTo = (next: string) =>
    `${paths.auth}?${new URLSearchParams({ ...Object.fromEntries(search), view: next })}`
  const show = (next: string, { fromTop = false } = {}) => {
    clearTimeout(switching.current)
    setSearch((now) => ({ ...Object.fromEntries(now), view: next }), {
      replace: true,
      preventScrollReset: !fromTop,
    })
  }

  if (view === 'new-password') {
    if (status === 'signedIn')
      return <NewPasswordForm onSaved={() => navigate(paths.dashboard, { replace: true })} />
    return (
      <>
        <Notice title={t('auth.linkFailed')} body={t('auth.newPasswordNoSession')} />
        <ForgotPasswordForm signInPath={pathTo('sign-in')} />
      </>
    )
  }
  if (view === 'forgot-password') return <ForgotPasswordForm signInPath={pathTo('sign-in')} />
  return (
    <>
      <LinkNotice />
      <Tabs
        label={t('auth.title')}
        stretch
        value={view === 'sign-up' ? 'sign-up' : 'sign-in'}
        onChange={(next) => show(next)}
        tabs={[
          {
            value: 'sign-in',
            label: t('auth.signIn'),
            content: <SignInForm email={createdEmail} forgotPath={pathTo('forgot-password')} />,
          },
          {
            value: 'sign-up',
            label: t('auth.signUp'),
            content: (
              <SignUpForm
                role={role}
                onCreated={(email) => {
                  setCreatedEmail(email)
                  // The longer form was left at its end, where the shorter one shows nothing.
                  switching.current = window.setTimeout(
                    () => show('sign-in', { fromTop: true }),
                    TAB_SWITCH_DELAY_MS,
                  )
                }}
              />
            ),
          },
        ]}
      />
    </>
  )
}

/** Says why the link in an e-mail that led here was not taken. */
function LinkNotice() {
  const { t } = useTranslation()
  const { data: failed } = useQuery(linkFailedQuery)
  return failed ? <Notice title={t('auth.linkFailed')} body={t('auth.linkFailedBody')} /> : null
}

function Notice({ title, body }: { title: string; body: string }) {
  return (
    <div role="alert" className="mb-5 rounded-md bg-danger-soft p-4">
      <p className="font-semibold text-danger">{title}</p>
      <p className="mt-1 text-sm">{body}</p>
    </div>
  )
}

// /auth: Sign In and Sign Up, and the way back in for a forgotten password (specification 000 §2, §4).
import { useQuery } from '@tanstack/react-query'
import { BadgeCheck, ClipboardCheck, HandCoins, Star } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, useLocation, useNavigate, useSearchParams } from 'react-router'
import { RESEND_AFTER_SECONDS } from '../../../shared/limits.ts'
import { keepDraft } from '../../lib/drafts.ts'
import { pathAfterSignIn, paths } from '../../lib/paths.ts'
import { providerFailureText } from '../../lib/providers.ts'
import { redirectFailureQuery } from '../../lib/queries/redirectFailure.ts'
import { hasOtherWaysIn } from '../../lib/queries/waysIn.ts'
import { useSession } from '../../lib/session.tsx'
import { confirmedPath, taskIdOf, wantedTaskPath } from '../../lib/taskBeforeSignIn.ts'
import {
  type Confirmation,
  dropConfirmation,
  dropWaitingTask,
  keepConfirmation,
  keepTaskFor,
  readConfirmation,
  strangersTask,
} from '../../lib/taskBeforeSignUp.ts'
import { Card } from '../../ui/Card.tsx'
import { classes } from '../../ui/classes.ts'
import { Scene } from '../../ui/horizon/Scene.tsx'
import { Page } from '../../ui/Page.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { CheckEmail } from './components/CheckEmail.tsx'
import { PasskeyButton } from './components/PasskeyButton.tsx'
import { ForgotPasswordForm, NewPasswordForm } from './components/PasswordForms.tsx'
import { ProviderButtons } from './components/ProviderButtons.tsx'
import { SecondStep } from './components/SecondStep.tsx'
import { SignInForm } from './components/SignInForm.tsx'
import { SignUpForm } from './components/SignUpForm.tsx'
import { TaskPreview } from './components/TaskPreview.tsx'
import type { SignUp } from './schema.ts'

const TAB_SWITCH_DELAY_MS = 1500

const promises = [
  { icon: BadgeCheck, text: 'auth.promiseVerified' },
  { icon: HandCoins, text: 'auth.promiseEscrow' },
  { icon: Star, text: 'auth.promiseReviews' },
] as const

export default function AuthPage() {
  const { t } = useTranslation()
  const { status, pending } = useSession()
  const [search] = useSearchParams()
  // Entering the e-mailed code signs the person in just before the next view is shown.
  const choosingPassword = ['new-password', 'forgot-password'].includes(search.get('view') ?? '')

  if (status === 'loading') return <Spinner label={t('ui.loading')} />
  if (status === 'signedIn' && !choosingPassword) return <Navigate to={pathAfterSignIn(search)} replace />

  const taskId = taskIdOf(pathAfterSignIn(search))
  return (
    <div className="relative -mb-16 lg:min-h-[max(46rem,calc(100dvh-4rem))]">
      {taskId === null && <Scene fit="strip" mirrored className="h-36 [--scene-height:15rem] lg:hidden" />}
      <Scene mirrored className="hidden lg:block" />
      <Page
        className={classes(
          'relative grid grid-cols-[minmax(0,1fr)] items-start gap-x-16 pb-28 sm:pb-28 lg:grid-cols-[minmax(0,1fr)_27rem]',
          taskId === null ? 'gap-y-8 pt-33 sm:pt-33 lg:pt-14' : 'gap-y-3 pt-3 sm:gap-y-6 sm:pt-8 lg:pt-14',
        )}
      >
        <h1 className="sr-only">{t('auth.title')}</h1>
        {taskId === null ? (
          <Promises />
        ) : (
          <div className="mx-auto w-full max-w-108 lg:mx-0 lg:max-w-xl">
            <TaskPreview id={taskId} />
          </div>
        )}
        <div className="mx-auto w-full max-w-108">
          <Card className="p-5 shadow-float sm:p-7">
            {pending ? <SecondStep user={pending} /> : <View />}
          </Card>
        </div>
      </Page>
    </div>
  )
}

/** The marketplace's promises. */
function Promises() {
  const { t } = useTranslation()
  return (
    <div className="hidden pt-4 lg:block">
      <p className="max-w-xl font-display text-5xl leading-tight font-bold tracking-tight text-balance">
        {t('auth.promiseTitle')}
      </p>
      <ul className="mt-8 flex max-w-md flex-col gap-4">
        {promises.map(({ icon: Icon, text }) => (
          <li key={text} className="flex items-start gap-4 text-lg font-medium text-ink">
            <Icon aria-hidden className="mt-0.5 size-6 shrink-0" />
            <span>{t(text)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

function View() {
  const { view, pathTo, show, showLater } = useView()
  const account = useUnconfirmedAccount()
  const { confirmation } = account
  const [task] = useState(strangersTask)
  const asksForPassword = (
    <ForgotPasswordForm signInPath={pathTo('sign-in')} onConfirmed={() => show('new-password')} />
  )
  if (view === 'new-password') return <NewPassword>{asksForPassword}</NewPassword>
  if (view === 'forgot-password') return asksForPassword
  const correct = ({ email, typed }: Confirmation) => {
    if (typed) keepDraft('sign-up', { ...typed, email })
    dropWaitingTask(email)
    account.forget()
    show('sign-up')
  }
  return (
    <>
      <LinkNotice />
      {confirmation ? (
        <CheckEmail
          key={confirmation.email}
          confirmation={confirmation}
          made={account.made}
          confirmed={account.confirmed}
          task={task?.title ?? null}
          onChange={account.setConfirmation}
          onCorrect={() => correct(confirmation)}
        />
      ) : (
        task && <Reason title={task.title} />
      )}
      <ProviderButtons />
      <SignInOrUp
        account={account}
        view={view === 'sign-up' ? 'sign-up' : 'sign-in'}
        forgotPath={pathTo('forgot-password')}
        onChange={show}
        // The longer form was left at its end, where the shorter one shows nothing.
        onCreated={() => showLater('sign-in', { fromTop: true })}
      />
    </>
  )
}

/** The view that the address or the link names. */
function useView() {
  const [search, setSearch] = useSearchParams()
  const { state } = useLocation()
  const switching = useRef<number>(undefined)
  useEffect(() => () => clearTimeout(switching.current), [])
  const show = (next: string, { fromTop = false } = {}) => {
    clearTimeout(switching.current)
    setSearch((now) => ({ ...Object.fromEntries(now), view: next }), {
      replace: true,
      preventScrollReset: !fromTop,
    })
  }
  return {
    view: search.get('view') ?? (state as { view?: string } | null)?.view ?? 'sign-in',
    pathTo: (next: string) =>
      `${paths.auth}?${new URLSearchParams({ ...Object.fromEntries(search), view: next })}`,
    show,
    showLater: (...view: Parameters<typeof show>) => {
      switching.current = window.setTimeout(() => show(...view), TAB_SWITCH_DELAY_MS)
    },
  }
}

/** The account that waits for the confirmation of its address. */
function useUnconfirmedAccount() {
  const [search] = useSearchParams()
  const [confirmation, setConfirmation] = useState(readConfirmation)
  // With its password, so only until the page is left.
  const [made, setMade] = useState<SignUp | null>(null)
  /** From now on it waits for its confirmation, whose e-mail can be sent again in `after` seconds. */
  const waitFor = (email: string, after: number, typed?: Confirmation['typed']) => {
    const next = { email, againAt: Date.now() + after * 1000, ...(typed ? { typed } : {}) }
    keepConfirmation(next)
    keepTaskFor(email, pathAfterSignIn(search))
    setConfirmation(next)
  }
  return {
    confirmation,
    setConfirmation,
    made: made?.email === confirmation?.email ? made : null,
    /** The path where the link of the e-mail leads. */
    confirmed: confirmedPath(wantedTaskPath(search)),
    waitFor,
    create(signUp: SignUp) {
      const { email, fullName, phone, role } = signUp
      setMade(signUp)
      waitFor(email, RESEND_AFTER_SECONDS, { fullName, phone, role })
    },
    forget() {
      dropConfirmation()
      setConfirmation(null)
    },
  }
}

type SignInOrUpProps = {
  account: ReturnType<typeof useUnconfirmedAccount>
  view: 'sign-in' | 'sign-up'
  forgotPath: string
  onChange: (view: string) => void
  onCreated: () => void
}

function SignInOrUp({ account, view, forgotPath, onChange, onCreated }: SignInOrUpProps) {
  const { t } = useTranslation()
  const [search] = useSearchParams()
  const role = (['task_giver', 'task_doer'] as const).find((known) => known === search.get('role'))
  const waitsFor = account.confirmation?.email
  return (
    <Tabs
      label={t('auth.title')}
      stretch
      value={view}
      onChange={(next) => onChange(next)}
      tabs={[
        {
          value: 'sign-in',
          label: t('auth.signIn'),
          content: (
            <>
              <SignInForm
                email={waitsFor}
                forgotPath={forgotPath}
                onUnconfirmed={(email) => email !== waitsFor && account.waitFor(email, 0)}
              />
              <PasskeyButton />
            </>
          ),
        },
        {
          value: 'sign-up',
          label: t('auth.signUp'),
          content: (
            <SignUpForm
              role={role}
              confirmed={account.confirmed}
              onCreated={(signUp) => {
                account.create(signUp)
                onCreated()
              }}
              onTooEarly={(email) => email === waitsFor && account.forget()}
            />
          ),
        },
      ]}
    />
  )
}

/** `children`: the form that asks for another link. */
function NewPassword({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { status } = useSession()
  /** By the account's other ways in, where it has some: whoever had the password may have added one. */
  const leave = async () => {
    const hasMore = await hasOtherWaysIn().catch(() => false)
    if (hasMore) navigate(`${paths.profile}?tab=security`, { replace: true, state: { asksForWaysIn: true } })
    else navigate(paths.dashboard, { replace: true })
  }
  if (status === 'signedIn') return <NewPasswordForm onSaved={leave} />
  return (
    <>
      <Notice title={t('auth.linkFailed')} body={t('auth.newPasswordNoSession')} />
      {children}
    </>
  )
}

/** Why somebody who wrote a task is asked to sign up. */
function Reason({ title }: { title: string }) {
  const { t } = useTranslation()
  return (
    <div role="status" className="mb-6 flex gap-4 rounded-md bg-wheat-soft p-4">
      <ClipboardCheck aria-hidden className="mt-0.5 size-6 shrink-0 text-wheat-ink" />
      <div className="min-w-0">
        <p className="font-semibold wrap-anywhere">{t('auth.taskReady', { title })}</p>
        <p className="mt-1">{`${t('tasks.mustLogIn')}. ${t('auth.taskReadyBody')}`}</p>
      </div>
    </div>
  )
}

/** Says why the link in an e-mail, or the way back from a provider, that led here was not taken. */
function LinkNotice() {
  const { t } = useTranslation()
  const { data: failure } = useQuery(redirectFailureQuery)
  if (!failure) return null
  const byProvider = providerFailureText(failure, t)
  if (byProvider) return <Notice title={t('auth.signInFailed')} body={byProvider} />
  return <Notice title={t('auth.linkFailed')} body={t('auth.linkFailedBody')} />
}

function Notice({ title, body }: { title: string; body: string }) {
  return (
    <div role="alert" className="mb-5 rounded-md bg-danger-soft p-4">
      <p className="font-semibold text-danger">{title}</p>
      <p className="mt-1 text-sm">{body}</p>
    </div>
  )
}

// /dashboard: who you are here, your figures, and what to do next (specification 000 §2).
import { useQuery } from '@tanstack/react-query'
import {
  BadgeCheck,
  BriefcaseBusiness,
  CalendarCheck,
  type LucideIcon,
  Plus,
  Search,
  ShieldCheck,
  User,
} from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, Navigate, useSearchParams } from 'react-router'
import { errorText, isUnreachable } from '../../lib/errorText.ts'
import { useLive } from '../../lib/live.ts'
import { paths } from '../../lib/paths.ts'
import { ownBookings } from '../../lib/queries/ownBookings.ts'
import { useMyProfile } from '../../lib/queries/profile.ts'
import { invitesToVerify, useVerification } from '../../lib/queries/verification.ts'
import { type Role, useRoleQuery, useRoles, useSession, useUserId } from '../../lib/session.tsx'
import { wantedTaskPath } from '../../lib/taskBeforeSignIn.ts'
import { unshownTaskPath } from '../../lib/taskBeforeSignUp.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Scene } from '../../ui/horizon/Scene.tsx'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { PushQuestion } from '../../ui/PushQuestion.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { VerificationState } from '../../ui/VerificationState.tsx'
import { useNarrow } from '../../ui/windowWidth.ts'
import { dashboardTasksQuery } from './api/queries.ts'
import { ActionItems } from './components/ActionItems.tsx'
import { DashboardLoading } from './components/DashboardLoading.tsx'
import { DashboardTasks } from './components/DashboardTasks.tsx'
import { HiddenThings } from './components/HiddenThings.tsx'
import { Stats } from './components/Stats.tsx'

const subtitles = {
  task_giver: 'dashboard.subtitleGiver',
  task_doer: 'dashboard.subtitleDoer',
  admin: 'dashboard.subtitleAdmin',
} as const

export default function DashboardPage() {
  const { t } = useTranslation()
  const userId = useUserId()
  const { user } = useSession()
  const profile = useMyProfile()
  const role = useRoleQuery()
  const roles = useRoles()
  const narrow = useNarrow()
  const tasks = useQuery(dashboardTasksQuery(userId, role.data ?? null))
  useLive([
    ...ownBookings(userId),
    { table: 'tasks', rows: `task_giver_id=eq.${userId}`, refresh: [['tasks']] },
  ])
  // An admin may post tasks, and has the bookings of those; taking tasks and earning is for taskers.
  const admin = role.data === 'admin'
  const gives = role.data === 'task_giver'

  // The page itself reports a lost connection, and fills itself once it is back.
  const failure = [profile.error, role.error, tasks.error].find((error) => error && !isUnreachable(error))
  useEffect(() => {
    if (failure) toast.error(t('dashboard.error'), { id: 'dashboard', description: errorText(failure) })
  }, [failure, t])

  // The link in the e-mail leads here; who wrote a task before signing up goes on to post it, and who was about to look at one
  // goes on to that.
  const [search] = useSearchParams()
  // Asked once: another tab that is faster marks it as shown while this one is still on its way.
  const [waiting] = useState(() => unshownTaskPath(user?.email) ?? wantedTaskPath(search))
  if (waiting) return <Navigate to={waiting} replace />

  if (role.isPending || profile.isPending) return <DashboardLoading />
  return (
    <>
      <Greeting narrow={narrow} role={role.data} name={profile.data?.full_name || user?.email} />
      <Page className="in-order pt-6 sm:pt-8">
        {role.data === undefined || !roles || profile.data === undefined ? (
          <ErrorState
            className="pt-16"
            error={role.error ?? profile.error}
            onRetry={() => Promise.all([role.refetch(), profile.refetch()])}
          />
        ) : (
          <>
            <ActionItems roles={roles} />
            <PushQuestion userId={userId} after="posted" className="mb-8" />
            <HiddenThings />
            <NextActions role={role.data} />
            {narrow && (
              <div className="mt-4 flex flex-wrap gap-3">
                <Shortcuts role={role.data} />
              </div>
            )}
            {!admin && (
              <Stats
                profile={profile.data}
                role={role.data}
                posted={tasks.data?.total}
                className="mt-8 sm:mt-10"
              />
            )}
            {!admin && (
              <DashboardTasks
                gives={gives}
                loading={tasks.isPending}
                failed={tasks.isLoadingError}
                tasks={tasks.data?.tasks ?? []}
                total={tasks.data?.total ?? 0}
                onRetry={tasks.refetch}
              />
            )}
          </>
        )}
      </Page>
    </>
  )
}

type GreetingProps = { narrow: boolean; role: Role | null | undefined; name: string | undefined }

function Greeting({ narrow, role, name }: GreetingProps) {
  const { t } = useTranslation()
  return (
    <div className="relative border-line sm:border-b">
      {/* On a phone, pending items come first. */}
      {!narrow && <Scene fit="strip" />}
      <div className="measure relative pt-6 sm:pt-8 sm:pb-20">
        <PageHeader
          className="mb-0 *:first:basis-full"
          title={t('dashboard.greeting', { name })}
          subtitle={role ? t(subtitles[role]) : undefined}
          actions={narrow ? undefined : <Shortcuts role={role} />}
        />
      </div>
    </div>
  )
}

const firstActions = {
  admin: {
    to: paths.admin,
    icon: ShieldCheck,
    title: 'dashboard.openBackOffice',
    hint: 'dashboard.openBackOfficeHint',
  },
  task_giver: {
    to: paths.postTask,
    icon: Plus,
    title: 'dashboard.postTask',
    hint: 'dashboard.postTaskHint',
  },
  task_doer: {
    to: paths.browse,
    icon: Search,
    title: 'dashboard.browse',
    hint: 'dashboard.browseHint',
  },
} as const

function NextActions({ role }: { role: Role | null }) {
  const { t } = useTranslation()
  const { to, icon, title, hint } = firstActions[role ?? 'task_doer']
  return (
    <div className="grid gap-4 sm:grid-cols-[1.4fr_1fr]">
      <NextAction to={to} icon={icon} title={t(title)} hint={t(hint)} primary />
      <NextAction
        to={paths.bookings}
        icon={BriefcaseBusiness}
        title={t('dashboard.viewBookings')}
        hint={t('dashboard.viewBookingsHint')}
      />
    </div>
  )
}

function Shortcuts({ role }: { role: Role | null | undefined }) {
  const { t } = useTranslation()
  const verification = useVerification()
  return (
    <>
      <Shortcut to={paths.bookings} icon={CalendarCheck} label={t('dashboard.bookings')} />
      <Shortcut to={paths.profile} icon={User} label={t('dashboard.profile')} />
      {role === 'task_doer' && (
        <Shortcut
          to={paths.verification}
          icon={BadgeCheck}
          label={t(invitesToVerify(verification) ? 'dashboard.getVerified' : 'layout.nav.verification')}
        >
          {verification ? (
            <VerificationState state={verification.state} />
          ) : (
            <Skeleton fits className="w-16" />
          )}
        </Shortcut>
      )}
    </>
  )
}

type ShortcutProps = { to: string; icon: LucideIcon; label: string; children?: ReactNode }

function Shortcut({ to, icon: Icon, label, children }: ShortcutProps) {
  return (
    <Button asChild variant="secondary">
      <Link to={to}>
        <Icon aria-hidden />
        <span>{label}</span>
        {children}
      </Link>
    </Button>
  )
}

function NextAction({
  to,
  icon: Icon,
  title,
  hint,
  primary = false,
}: {
  to: string
  icon: LucideIcon
  title: string
  hint: string
  primary?: boolean
}) {
  return (
    <Card
      asChild
      interactive
      className={
        primary ? 'border-wheat-deep bg-wheat text-on-wheat hover:border-wheat-deep hover:bg-wheat-deep' : ''
      }
    >
      <Link to={to} className="flex items-center gap-4 p-4 sm:p-6">
        <Icon aria-hidden className="size-6 shrink-0 sm:size-8" strokeWidth={1.75} />
        <span className="min-w-0">
          <span className="block font-display text-xl font-semibold">{title}</span>
          <span className={primary ? 'block' : 'block text-ink-soft'}>{hint}</span>
        </span>
      </Link>
    </Card>
  )
}

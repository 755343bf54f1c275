// /profile: how others see you, and the forms that change it (specification 001 §2).
import { type ComponentType, Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { isUnreachable } from '../../lib/errorText.ts'
import { useMyProfile } from '../../lib/queries/profile.ts'
import { type Role, roleOn, useRoleQuery, useRoles } from '../../lib/session.tsx'
import { Card } from '../../ui/Card.tsx'
import { HiddenNotice } from '../../ui/HiddenNotice.tsx'
import { lazyPart } from '../../ui/lazyPart.ts'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { useOpenedSide } from '../../ui/useRoleSwitch.ts'
import type { OwnProfile } from './api/queries.ts'
import { BasicInfoForm } from './components/BasicInfoForm.tsx'
import type { PhotoDraft } from './components/PhotoEditor.tsx'
import { ProfileCard } from './components/ProfileCard.tsx'
import { SettingsForm } from './components/SettingsForm.tsx'

const CalendarsSection = lazyPart(() => import('./components/CalendarsSection.tsx'))
const TravelAreaForm = lazyPart(() => import('./components/TravelAreaForm.tsx'))
const HoursSection = lazyPart(() => import('./components/HoursSection.tsx'))

/** Tabs that belong to one side only. */
const TAB_SIDES: Partial<Record<string, 'task_giver' | 'task_doer'>> = {
  settings: 'task_doer',
  payout: 'task_doer',
  payment: 'task_giver',
}

/** Tabs of other features, which web/app hands in. */
export type ProfileSlots = {
  /** A giver's saved cards. */
  PaymentTab: ComponentType
  /** Where everybody else is paid. */
  PayoutTab: ComponentType
  /** Signing in, devices, visibility, and the end of the account. */
  SecurityTab: ComponentType<{ userId: string }>
}

export function ProfilePage({ slots: { PaymentTab, PayoutTab, SecurityTab } }: { slots: ProfileSlots }) {
  const { t } = useTranslation()
  const roleQuery = useRoleQuery()
  const role = roleQuery.data ?? null
  const profile = useMyProfile()
  const [search, setSearch] = useSearchParams()
  const [photo, setPhoto] = useState<PhotoDraft>()
  const wanted = search.get('tab')
  const side = wanted && TAB_SIDES[wanted]
  const held = useRoles()?.held
  useOpenedSide(side && held ? roleOn(side, held) : null)

  // The page itself reports a lost connection, and fills itself once it is back.
  const refused = profile.isLoadingError && !isUnreachable(profile.error)
  useEffect(() => {
    if (refused) toast.error(t('profile.error'), { id: 'profile', description: t('profile.loadFailed') })
  }, [refused, t])

  // The tabs are those of a role: without it the address might name one that is not there yet.
  const own = roleQuery.isPending ? undefined : profile.data
  const card = useNamedTabInView(own !== undefined, search.has('tab'))

  if (profile.isLoadingError || (roleQuery.isLoadingError && isUnreachable(roleQuery.error))) {
    return (
      <Page>
        <PageHeader title={t('profile.title')} />
        <ErrorState onRetry={() => Promise.all([profile.refetch(), roleQuery.refetch()])} />
      </Page>
    )
  }

  const tabs = own && [
    {
      value: 'basic',
      label: t('profile.basicInfo'),
      content: <BasicTab profile={own} role={role} photo={photo} onDone={() => setPhoto(undefined)} />,
    },
    ...(role === 'task_doer'
      ? [
          {
            value: 'settings',
            label: t('profile.settings'),
            content: <TaskerSettings profile={own} />,
          },
        ]
      : []),
    ...(role === 'task_giver'
      ? [{ value: 'payment', label: t('profile.payment'), content: <PaymentTab /> }]
      : role !== null
        ? [{ value: 'payout', label: t('profile.payout'), content: <PayoutTab /> }]
        : []),
    {
      value: 'security',
      label: t('account.securityTab'),
      content: <SecurityTab userId={own.id} />,
    },
  ]
  return (
    <Page className="in-order">
      <PageHeader title={t('profile.title')} className="max-sm:mb-2" />
      {own && <HiddenNotice kind="profile" id={own.id} />}
      <div className="in-order grid items-start gap-6 max-sm:gap-3 lg:grid-cols-[20rem_1fr]">
        <ProfileCard profile={own} roles={held ?? []} photo={photo} onPhoto={setPhoto} />
        <Card ref={card} className="min-w-0 scroll-mt-20 p-5 max-sm:p-3.5 sm:p-7">
          {tabs ? (
            <Tabs
              label={t('profile.tabs')}
              allInView
              tabs={tabs}
              value={tabs.find((tab) => tab.value === wanted)?.value ?? 'basic'}
              onChange={(tab) => setSearch({ tab }, { replace: true, preventScrollReset: true })}
            />
          ) : (
            <Loading />
          )}
        </Card>
      </div>
    </Page>
  )
}

/** A link to a tab leads to the tab: on a phone it is below the card. Returns the ref of the element with the tabs. */
function useNamedTabInView(isLoaded: boolean, isNamed: boolean) {
  const tabs = useRef<HTMLDivElement>(null)
  const named = useRef(isNamed)
  useEffect(() => {
    if (!isLoaded || !named.current) return
    named.current = false
    // After the router, which begins every page at its top.
    requestAnimationFrame(() => {
      if (tabs.current && tabs.current.offsetTop > window.innerHeight / 2) tabs.current.scrollIntoView()
    })
  }, [isLoaded])
  return tabs
}

type BasicTabProps = { profile: OwnProfile; role: Role | null; photo: PhotoDraft; onDone: () => void }

function BasicTab({ profile, role, photo, onDone }: BasicTabProps) {
  return (
    <>
      <BasicInfoForm profile={profile} photo={photo} onDone={onDone} />
      {/* Taskers have it next to their hours. */}
      {role !== 'task_doer' && (
        <Suspense>
          <CalendarsSection userId={profile.id} imports={false} />
        </Suspense>
      )}
    </>
  )
}

function TaskerSettings({ profile }: { profile: OwnProfile }) {
  return (
    <>
      <SettingsForm profile={profile} />
      <Suspense>
        <TravelAreaForm userId={profile.id} />
        <HoursSection profile={profile} />
        <CalendarsSection userId={profile.id} imports />
      </Suspense>
    </>
  )
}

function Loading() {
  return (
    <div className="flex flex-col gap-4" aria-busy>
      <Skeleton className="h-10 w-56" />
      <Skeleton className="h-11 w-full" />
      <Skeleton className="h-11 w-full" />
      <Skeleton className="h-24 w-full" />
    </div>
  )
}

// /admin/verify-users: all people, newest first, the verification of each, and the complaints to decide
// (specification 000 §2, §6, §9).
import { UsersRound } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate } from 'react-router'
import { paths, signInPath } from '../../lib/paths.ts'
import { isLeaving, useRoleQuery, useSession } from '../../lib/session.tsx'
import { Input } from '../../ui/Input.tsx'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { type Person, useProfiles } from './api.ts'
import { Complaints } from './Complaints.tsx'
import { useComplaints } from './complaints.ts'
import { PersonRow } from './PersonRow.tsx'
import { VerifyDialog } from './VerifyDialog.tsx'
import { useWaiting } from './verifications.ts'

export default function VerifyUsersPage() {
  const { t } = useTranslation()
  const { status } = useSession()
  const role = useRoleQuery()
  const allowed = role.data === 'admin'
  const refused = role.isSuccess && !allowed

  useEffect(() => {
    if (status === 'signedOut' && !isLeaving()) {
      toast.error(t('admin.accessDenied'), { id: 'access', description: t('admin.notSignedIn') })
    }
    if (refused) toast.error(t('admin.accessDenied'), { id: 'access', description: t('admin.notAllowed') })
    if (role.isError) toast.error(t('admin.error'), { id: 'access', description: t('admin.accessFailed') })
  }, [status, refused, role.isError, t])

  if (status === 'signedOut') {
    return <Navigate to={isLeaving() ? paths.landing : signInPath(paths.verifyUsers)} replace />
  }
  if (refused) return <Navigate to={paths.dashboard} replace />
  return (
    <Page>
      <PageHeader title={t('admin.title')} subtitle={t('admin.subtitle')} />
      {role.isError ? (
        <ErrorState title={t('admin.accessFailed')} onRetry={() => role.refetch()} />
      ) : (
        <People allowed={allowed} />
      )}
    </Page>
  )
}

function People({ allowed }: { allowed: boolean }) {
  const { t } = useTranslation()
  const profiles = useProfiles(allowed)
  const waiting = useWaiting(allowed)
  const complaints = useComplaints(allowed)
  const submissions = useMemo(
    () => new Map(waiting.data?.map((submission) => [submission.user_id, submission])),
    [waiting.data],
  )
  const [tab, setTab] = useState<'everyone' | 'waiting' | 'complaints'>('everyone')
  const [search, setSearch] = useState('')
  const [chosen, setChosen] = useState<Person>()

  const failed = profiles.isError || waiting.isError || complaints.isError
  useEffect(() => {
    if (failed) toast.error(t('admin.error'), { id: 'profiles', description: t('admin.loadFailed') })
  }, [failed, t])

  if (failed) {
    const retry = () => Promise.all([profiles.refetch(), waiting.refetch(), complaints.refetch()])
    return <ErrorState title={t('admin.loadFailed')} onRetry={retry} />
  }
  if (!profiles.data || !waiting.data || !complaints.data) return <Spinner label={t('ui.loading')} />

  const wanted = search.trim().toLowerCase()
  const listOf = (people: Person[], nobody: string) => {
    const found = people.filter((person) =>
      `${person.full_name ?? ''} ${person.email ?? ''}`.toLowerCase().includes(wanted),
    )
    if (found.length === 0)
      return <EmptyState icon={UsersRound} title={wanted ? t('admin.noneFound') : nobody} />
    return (
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {found.map((person) => (
          <PersonRow
            key={person.id}
            person={person}
            waiting={submissions.has(person.id)}
            onChoose={() => setChosen(person)}
          />
        ))}
      </ul>
    )
  }
  return (
    <>
      <Input
        type="search"
        aria-label={t('admin.search')}
        placeholder={t('admin.search')}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
        className="mb-5 max-w-md"
      />
      <Tabs
        label={t('admin.whom')}
        value={tab}
        onChange={setTab}
        tabs={[
          {
            value: 'everyone',
            label: t('admin.everyone'),
            content: listOf(profiles.data, t('admin.nobody')),
          },
          {
            value: 'waiting',
            label: t('admin.waiting'),
            count: waiting.data.length,
            content: listOf(
              waiting.data.map(({ person }) => person),
              t('admin.nobodyWaits'),
            ),
          },
          {
            value: 'complaints',
            label: t('admin.complaints'),
            count: complaints.data.length,
            content: <Complaints complaints={complaints.data} wanted={wanted} />,
          },
        ]}
      />
      {chosen && (
        <VerifyDialog
          person={chosen}
          submission={submissions.get(chosen.id)}
          onClose={() => {
            setChosen(undefined)
            // Somebody else may have decided it meanwhile.
            waiting.refetch()
          }}
        />
      )}
    </>
  )
}

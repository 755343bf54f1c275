// /admin/verify-users: all people, newest first, and the verification of each (specification 000 §2, §6).
import { UsersRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate } from 'react-router'
import { paths, signInPath } from '../../lib/paths.ts'
import { isLeaving, useRoleQuery, useSession } from '../../lib/session.tsx'
import { Input } from '../../ui/Input.tsx'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { type Person, useProfiles } from './api.ts'
import { PersonRow } from './PersonRow.tsx'
import { VerifyDialog } from './VerifyDialog.tsx'

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
  const [search, setSearch] = useState('')
  const [chosen, setChosen] = useState<Person>()

  useEffect(() => {
    if (profiles.isError)
      toast.error(t('admin.error'), { id: 'profiles', description: t('admin.loadFailed') })
  }, [profiles.isError, t])

  if (profiles.isError) return <ErrorState title={t('admin.loadFailed')} onRetry={() => profiles.refetch()} />
  if (!profiles.data) return <Spinner label={t('ui.loading')} />

  const wanted = search.trim().toLowerCase()
  const found = profiles.data.filter((person) =>
    `${person.full_name ?? ''} ${person.email ?? ''}`.toLowerCase().includes(wanted),
  )
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
      {found.length === 0 ? (
        <EmptyState icon={UsersRound} title={t(wanted ? 'admin.noneFound' : 'admin.nobody')} />
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {found.map((person) => (
            <PersonRow key={person.id} person={person} onChoose={() => setChosen(person)} />
          ))}
        </ul>
      )}
      {chosen && <VerifyDialog person={chosen} onClose={() => setChosen(undefined)} />}
    </>
  )
}

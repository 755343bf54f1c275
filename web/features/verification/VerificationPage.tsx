// /verification: a tasker declares who they are, in four steps (specification 000 §2).
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, useNavigate } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { useMyProfile } from '../../lib/queries/profile.ts'
import { useHolds, useRoleQuery, useUserId } from '../../lib/session.tsx'
import { Card } from '../../ui/Card.tsx'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { useOpenedSide } from '../../ui/useRoleSwitch.ts'
import { answersOf } from './api/actions.ts'
import { myVerificationQuery } from './api/queries.ts'
import { Wizard } from './components/Wizard.tsx'

export default function VerificationPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const role = useRoleQuery()
  const record = useQuery(myVerificationQuery(useUserId()))
  const profile = useMyProfile()
  const status = record.data?.verification_status
  const refused = status === 'rejected'
  const submitted = Boolean(record.data) && !refused
  const verified = status === 'verified'

  // The wizard announces its own submission and leads away itself.
  const sending = useRef(false)
  useEffect(() => {
    if (!submitted || sending.current) return
    toast.info(t(verified ? 'verification.verified' : 'verification.inProgress'), {
      id: 'verification',
      description: t(verified ? 'verification.verifiedBody' : 'verification.inProgressBody'),
    })
    navigate(paths.dashboard, { replace: true })
  }, [submitted, verified, navigate, t])

  useOpenedSide('task_doer')
  const works = useHolds('task_doer')
  const stranger = role.isSuccess && !works
  useEffect(() => {
    if (stranger) toast.info(t('verification.onlyTaskers'), { id: 'verification' })
  }, [stranger, t])

  if (record.isLoadingError) {
    return (
      <Page width="form">
        <ErrorState error={record.error} onRetry={() => record.refetch()} />
      </Page>
    )
  }
  if (record.isPending || role.isPending || profile.isPending || submitted)
    return <Spinner label={t('ui.loading')} />
  if (stranger) return <Navigate to={paths.dashboard} replace />

  return (
    <Page width="form">
      <PageHeader title={t('verification.title')} subtitle={t('verification.subtitle')} />
      {refused && (
        <div role="status" className="mb-6 rounded-md bg-danger-soft p-4">
          <p className="font-semibold text-danger">{t('verification.refused')}</p>
          <p className="mt-1 whitespace-pre-line wrap-anywhere">{record.data?.refusal_reason}</p>
        </div>
      )}
      <Card className="p-5 sm:p-7">
        <Wizard
          skills={profile.data?.skills ?? []}
          before={refused && record.data ? answersOf(record.data) : null}
          onSending={(now) => {
            sending.current = now
          }}
        />
      </Card>
    </Page>
  )
}

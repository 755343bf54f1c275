// /oauth/consent?authorization_id=…: an application of somebody else wants to know who one is. It shows the
// application, the requested access, the signed-in account, and the two answers.
import { useQuery } from '@tanstack/react-query'
import { AppWindow, Check, Unplug } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { useSession } from '../../lib/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { useAction } from '../../ui/useAction.ts'
import { type Authorization, authorizationQuery, decide, signOutHere } from './api/authorization.ts'

export default function ConsentPage() {
  const { t } = useTranslation()
  const [search] = useSearchParams()
  const id = search.get('authorization_id') ?? ''
  const { user } = useSession()
  const authorization = useQuery(authorizationQuery(user?.id ?? '', id))
  const onwards = authorization.data?.redirectUrl
  useEffect(() => {
    if (onwards) location.assign(onwards)
  }, [onwards])

  if (authorization.isLoadingError) {
    return (
      <Page width="form">
        <PageHeader title={t('connectedApps.title')} />
        <ErrorState onRetry={() => authorization.refetch()} />
      </Page>
    )
  }
  if (authorization.data === null) {
    return (
      <Page width="form">
        <PageHeader title={t('connectedApps.title')} />
        <EmptyState
          icon={Unplug}
          title={t('connectedApps.unknown')}
          body={t('connectedApps.unknownBody')}
          action={
            <Button asChild variant="secondary">
              <Link to={paths.dashboard}>{t('connectedApps.toDashboard')}</Link>
            </Button>
          }
        />
      </Page>
    )
  }
  if (!authorization.data || authorization.data.redirectUrl !== null) {
    return (
      <Page width="form">
        <PageHeader title={t('connectedApps.title')} />
        <Skeleton className="h-80 w-full" />
      </Page>
    )
  }
  return <Consent id={id} asked={authorization.data} />
}

function Consent({ id, asked }: { id: string; asked: Extract<Authorization, { redirectUrl: null }> }) {
  const { t } = useTranslation()
  const { application, host, email, scopes } = asked
  const deciding = useAction(decide(id), {
    onSuccess: (redirectUrl) => location.assign(redirectUrl),
    onError: t('ui.errorTitle'),
  })
  const switching = useAction(signOutHere, { onError: t('ui.errorTitle') })
  // Until the browser has left.
  const busy = deciding.isPending || deciding.isSuccess || switching.isPending
  const chosen = (decision: 'approve' | 'deny') => busy && deciding.variables === decision

  return (
    <Page width="form">
      <PageHeader title={t('connectedApps.titleOf', { application })} />
      <Card className="flex flex-col gap-6 p-6 sm:p-8">
        <div className="flex items-center gap-4">
          <AppWindow aria-hidden className="size-9 shrink-0 text-wheat-deep" />
          <p className="min-w-0 wrap-anywhere">
            <span className="font-semibold">{application}</span> <span>{t('connectedApps.asks')}</span>
          </p>
        </div>
        <section aria-labelledby="seen" className="flex flex-col gap-3">
          <h2 id="seen" className="font-sans text-base font-semibold">
            {t('connectedApps.sees')}
          </h2>
          <ul className="flex flex-col gap-2">
            {scopes.map((scope) => (
              <li key={scope} className="flex gap-3">
                <Check aria-hidden className="mt-1 size-4 shrink-0 text-wheat-deep" />
                <span>{t(`connectedApps.scope.${scope}`)}</span>
              </li>
            ))}
          </ul>
          <p className="text-ink-soft">{t('connectedApps.seesNoMore')}</p>
        </section>
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 rounded-md border border-line p-4">
          <p className="min-w-0 wrap-anywhere">
            <span className="block text-sm text-ink-soft">{t('connectedApps.signedInAs')}</span>
            <span>{email}</span>
          </p>
          <Button
            variant="secondary"
            size="sm"
            loading={switching.isPending}
            disabled={busy}
            onClick={() => switching.mutate()}
          >
            {t('connectedApps.switch')}
          </Button>
        </div>
        <div className="flex flex-wrap gap-3">
          <Button loading={chosen('approve')} disabled={busy} onClick={() => deciding.mutate('approve')}>
            {t('connectedApps.approve')}
          </Button>
          <Button
            variant="secondary"
            loading={chosen('deny')}
            disabled={busy}
            onClick={() => deciding.mutate('deny')}
          >
            {t('connectedApps.deny')}
          </Button>
        </div>
        <p className="text-sm text-ink-soft wrap-anywhere">{t('connectedApps.leadsTo', { host })}</p>
      </Card>
    </Page>
  )
}

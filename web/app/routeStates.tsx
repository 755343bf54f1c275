// Shown in a screen's place while it loads and when it fails.
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRouteError } from 'react-router'
import { useOnline } from '../lib/useOnline.ts'
import { Page } from '../ui/Page.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { ErrorState } from '../ui/States.tsx'
import { isMissingChunk, leaveVersion } from './newVersion.ts'

export function PageLoading() {
  const { t } = useTranslation()
  return (
    <Page className="in-order">
      <div aria-busy className="flex flex-col gap-4">
        <span role="status" className="sr-only">
          {t('ui.loading')}
        </span>
        <Skeleton className="h-10 w-72 max-w-full" />
        <Skeleton className="h-5 w-96 max-w-full" />
        <Skeleton className="mt-6 h-40" />
        <Skeleton className="h-40" />
      </div>
    </Page>
  )
}

/** A screen that threw, or whose code could not be loaded (a new release, a lost connection). */
export function RouteFailure() {
  const { t } = useTranslation()
  const error = useRouteError()
  // The failed part may have been far down a page that is gone.
  useEffect(() => scrollTo(0, 0), [])
  // Without a network, loading anew would leave the app for the browser's own page: it waits, and comes by itself.
  const online = useOnline()
  const [lacked] = useState(!online)
  useEffect(() => {
    if (lacked && online) location.reload()
  }, [lacked, online])
  const [leaving, setLeaving] = useState(() => isMissingChunk(error))
  useEffect(() => {
    if (leaving) void leaveVersion().then(setLeaving)
  }, [leaving])
  if (leaving) return <PageLoading />
  return (
    <Page width="narrow">
      <ErrorState
        title={t('errors.pageTitle')}
        offlineTitle={t('errors.pageTitle')}
        body={t(online ? 'errors.pageBody' : 'layout.offline')}
        error={error}
        {...(online && { onRetry: () => location.reload() })}
      />
    </Page>
  )
}

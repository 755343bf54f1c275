// Downloading everything about oneself: requesting it, seeing its state, and fetching the files while they are there.
import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { errorText } from '../../../lib/errorText.ts'
import { formatBytes, formatDateTime } from '../../../lib/format.ts'
import { Button } from '../../../ui/Button.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { Spinner } from '../../../ui/Spinner.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { downloadExport, requestExport } from '../api/exports.ts'
import { type DataExport as Latest, latestExportQuery } from '../api/queries.ts'
import { SettingGroup } from './Setting.tsx'

export function DataExport({ userId }: { userId: string }) {
  const { t } = useTranslation()
  const latest = useQuery(latestExportQuery(userId))
  const requesting = useAction(requestExport(userId), {
    onError: (error) => toast.error(t('ui.errorTitle'), { description: errorText(error) }),
  })
  const state = latest.data
  return (
    <SettingGroup title={t('account.export')} lead={t('account.exportLead')}>
      {latest.isLoadingError ? (
        <ErrorState onRetry={() => latest.refetch()} />
      ) : state === undefined ? (
        <Skeleton className="h-12 w-full" />
      ) : (
        <div className="flex flex-col items-start gap-4">
          {/* There before what it says, so that it is read out; without a place while it says nothing. */}
          <div role="status" className="empty:absolute">
            <ExportState state={state} />
          </div>
          {state?.status === 'ready' && <Parts state={state} />}
          {mayRequest(state) && (
            <Button variant="secondary" loading={requesting.isPending} onClick={() => requesting.mutate()}>
              {t(state?.status === 'failed' ? 'ui.tryAgain' : 'account.exportRequest')}
            </Button>
          )}
        </div>
      )}
    </SettingGroup>
  )
}

function ExportState({ state }: { state: Latest | null }) {
  const { t } = useTranslation()
  if (state?.status === 'requested') {
    return (
      <p className="flex items-center gap-3">
        <Spinner />
        <span>{t('account.exportRequested')}</span>
      </p>
    )
  }
  if (state?.status === 'ready') {
    const size = formatBytes(state.size)
    return <p>{t('account.exportReady', { size, until: formatDateTime(state.expires_at) })}</p>
  }
  if (state?.status === 'failed') return <p className="text-danger">{t('account.exportFailed')}</p>
  if (state) return <p className="text-ink-soft">{t('account.exportExpired')}</p>
  return null
}

function Parts({ state }: { state: Latest }) {
  const { t } = useTranslation()
  const downloading = useAction(downloadExport, {
    onError: (error) => toast.error(t('ui.errorTitle'), { description: errorText(error) }),
  })
  return (
    <div className="flex flex-wrap gap-3">
      {state.files.map((file, index) => (
        <Button
          key={file}
          loading={downloading.isPending && downloading.variables?.file === file}
          onClick={() => downloading.mutate({ file, part: index + 1, parts: state.files.length })}
        >
          <Download aria-hidden className="size-4" />
          <span>
            {state.files.length === 1
              ? t('account.exportDownload')
              : t('account.exportDownloadPart', { part: index + 1, parts: state.files.length })}
          </span>
        </Button>
      ))}
    </div>
  )
}

/** Once a day, unless it failed; the database refuses it else. */
function mayRequest(state: Latest | null): boolean {
  if (!state || state.status === 'failed') return true
  return Date.now() - Date.parse(state.requested_at) > 24 * 3_600_000
}

// /receipt/{id}: a giver's receipt or a tasker's payout statement, to read, to print and as a PDF.
import { useQuery } from '@tanstack/react-query'
import { FileDown, FileQuestion, Printer } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link, useParams } from 'react-router'
import { download } from '../../lib/download.ts'
import { paths } from '../../lib/paths.ts'
import { useUserId } from '../../lib/session.tsx'
import { useTitle } from '../../lib/title.ts'
import { Button } from '../../ui/Button.tsx'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { useAction } from '../../ui/useAction.ts'
import { type Receipt, receiptQuery } from './api/queries.ts'
import { Paper } from './components/Paper.tsx'
import { sheetOf } from './sheet.ts'

export default function ReceiptPage() {
  const { t } = useTranslation()
  const { id = '' } = useParams()
  const receipt = useQuery(receiptQuery(id))
  if (receipt.data) return <Shown receipt={receipt.data} />
  return (
    <Page width="form">
      {receipt.isLoadingError ? (
        <>
          <PageHeader title={t('receipts.receipt')} />
          <ErrorState error={receipt.error} onRetry={() => receipt.refetch()} />
        </>
      ) : receipt.data === null ? (
        <>
          <PageHeader title={t('receipts.notFound')} />
          <EmptyState
            icon={FileQuestion}
            title={t('receipts.notFoundTitle')}
            body={t('receipts.notFoundBody')}
            action={
              <Button asChild variant="secondary">
                <Link to={paths.profile}>{t('layout.titles.profile')}</Link>
              </Button>
            }
          />
        </>
      ) : (
        <div aria-busy className="flex flex-col gap-8">
          <span role="status" className="sr-only">
            {t('ui.loading')}
          </span>
          <Skeleton className="h-11 w-64" />
          <Skeleton className="h-112 w-full" />
        </div>
      )}
    </Page>
  )
}

function Shown({ receipt }: { receipt: Receipt }) {
  const { t } = useTranslation()
  const own = receipt.person_id === useUserId()
  const sheet = sheetOf(receipt, t)
  const title = `${sheet.name} ${sheet.number}`
  useTitle(title)
  const saving = useAction(
    {
      // The writer of PDFs and its fonts come along only now.
      run: async () => {
        const { pdfOf } = await import('./pdf/pdf.ts')
        download(`${t('receipts.file', { title })}.pdf`, await pdfOf(sheet))
      },
    },
    { onError: t('receipts.pdfFailed') },
  )
  const back =
    receipt.kind === 'receipt'
      ? { to: `${paths.profile}?tab=payment`, label: t('receipts.backToPayment') }
      : { to: `${paths.profile}?tab=payout`, label: t('receipts.backToPayout') }
  return (
    <Page width="form" className="print:max-w-none print:p-0">
      <PageHeader
        className="print:hidden"
        title={title}
        {...(own ? { back } : {})}
        actions={
          <>
            <Button loading={saving.isPending} onClick={() => saving.mutate()}>
              <FileDown aria-hidden />
              <span>{t('receipts.pdf')}</span>
            </Button>
            <Button variant="secondary" onClick={() => window.print()}>
              <Printer aria-hidden />
              <span>{t('receipts.print')}</span>
            </Button>
          </>
        }
      />
      <Paper sheet={sheet} />
    </Page>
  )
}

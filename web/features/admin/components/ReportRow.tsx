// One report: what was reported, in its words, who wrote it, who reported it and why, and the decision.
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDateTime } from '../../../lib/format.ts'
import { adminPersonPath, publicProfilePath, taskPath } from '../../../lib/paths.ts'
import { useUserId } from '../../../lib/session.tsx'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Form, SubmissionError } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Textarea } from '../../../ui/Input.tsx'
import { Quote } from '../../../ui/Quote.tsx'
import { INITIAL_FOCUS } from '../../../ui/returnFocus.ts'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { decideReport, type Report } from '../api/reports.ts'
import { givenReasonSchema } from '../schema.ts'

export function ReportRow({ report }: { report: Report }) {
  const { t } = useTranslation()
  const own = report.author_id === useUserId()
  const [hiding, setHiding] = useState(false)
  const author = report.author_name || t('admin.unnamed')
  const decided = report.decided_at && t('admin.decidedAt', { at: formatDateTime(report.decided_at) })
  const place =
    report.kind === 'task'
      ? taskPath(report.subject_id)
      : report.kind === 'message'
        ? undefined
        : publicProfilePath(report.kind === 'profile' ? report.subject_id : report.author_id)
  return (
    <li className="p-4 sm:p-5">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge>{t(`backOffice.reports.kind.${report.kind}`)}</Badge>
        <span className="min-w-0 wrap-anywhere">
          <span>{t('backOffice.reports.by')}</span>{' '}
          <Link to={adminPersonPath(report.author_id)} className="text-sky underline underline-offset-4">
            <bdi>{author}</bdi>
          </Link>
        </span>
        {report.others > 0 && (
          <Badge tone="waiting">{t('backOffice.reports.others', { count: report.others })}</Badge>
        )}
        {place && (
          <Link to={place} className="text-sky underline underline-offset-4">
            {t('backOffice.reports.place')}
          </Link>
        )}
      </p>
      <Quote by={t('backOffice.reports.words')} className="mt-3">
        {report.excerpt}
      </Quote>
      <Quote
        by={t('backOffice.reports.reportedBy', { name: report.reporter_name || t('admin.unnamed') })}
        at={report.created_at}
        className="mt-3"
      >
        {report.reason}
      </Quote>
      {decided && (
        <p className="mt-3 text-sm text-ink-soft wrap-anywhere">
          {report.decision_note ? t('ui.labelled', { label: decided, value: report.decision_note }) : decided}
        </p>
      )}
      {own ? (
        <p className="mt-4 text-sm text-ink-faint">{t('backOffice.reports.own')}</p>
      ) : (
        <Decisions report={report} author={author} onHide={() => setHiding(true)} />
      )}
      {hiding && <HideDialog report={report} author={author} onClose={() => setHiding(false)} />}
    </li>
  )
}

type DecisionsProps = { report: Report; author: string; onHide: () => void }

function Decisions({ report, author, onHide }: DecisionsProps) {
  const { t } = useTranslation()
  const dismissing = useAction(decideReport(report.id), {
    onSuccess: () =>
      toast.success(
        t(report.status === 'hidden' ? 'backOffice.reports.shownToast' : 'backOffice.reports.dismissedToast'),
      ),
    onError: t('admin.error'),
  })
  return (
    <div className="mt-4 flex flex-wrap gap-3">
      {report.status !== 'hidden' && (
        <Button variant="danger" size="sm" onClick={onHide}>
          <span>{t('backOffice.reports.hide')}</span>
          <span className="sr-only">{author}</span>
        </Button>
      )}
      {report.status !== 'dismissed' && (
        <Button
          variant="secondary"
          size="sm"
          loading={dismissing.isPending}
          onClick={() => dismissing.mutate(null)}
        >
          <span>
            {t(report.status === 'hidden' ? 'backOffice.reports.show' : 'backOffice.reports.dismiss')}
          </span>
          <span className="sr-only">{author}</span>
        </Button>
      )}
    </div>
  )
}

function HideDialog({ report, author, onClose }: { report: Report; author: string; onClose: () => void }) {
  const { t } = useTranslation()
  const form = useZodForm(givenReasonSchema, { defaultValues: { reason: '' } })
  const deciding = useAction(decideReport(report.id), {
    onSuccess: () => {
      toast.success(t('backOffice.reports.hiddenToast', { name: author }))
      onClose()
    },
  })
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && !deciding.isPending && onClose()}
      title={t(`backOffice.reports.hideTitle.${report.kind}`)}
      description={t(`backOffice.reports.hideBody.${report.kind}`)}
      confirmLabel={t('backOffice.reports.hide')}
      onConfirm={form.handleSubmit(deciding.mutate)}
      loading={deciding.isPending}
      danger
      size="md"
    >
      <Form form={form} submission={deciding} onSubmit={deciding.mutate}>
        <form.Field
          name="reason"
          label={t('backOffice.people.reason')}
          hint={t('backOffice.people.reasonHint')}
          required
        >
          <Textarea rows={3} {...INITIAL_FOCUS} />
        </form.Field>
        <SubmissionError />
      </Form>
    </AlertDialog>
  )
}

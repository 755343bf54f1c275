// "Report": says that a task, a message, a profile, a review, a question or an answer should not be there, with a reason that admins read.
import { Flag } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { trimmed } from '../../shared/text.ts'
import { type ReportedKind, reportContent } from '../lib/queries/report.ts'
import { z } from '../lib/zod.ts'
import { AlertDialog } from './AlertDialog.tsx'
import { Button } from './Button.tsx'
import { classes } from './classes.ts'
import { Form, SubmissionError } from './form/Form.tsx'
import { useZodForm } from './form/useZodForm.ts'
import { Textarea } from './Input.tsx'
import { toast } from './Toaster.tsx'
import { useAction } from './useAction.ts'

/** As the database has it (report_content). */
const schema = z.object({
  reason: z
    .string()
    .overwrite(trimmed)
    .refine((text) => [...text].length >= 10, 'ui.report.short')
    .refine((text) => [...text].length <= 1000, 'ui.report.long'),
})

type ReportButtonProps = {
  kind: ReportedKind
  /** The id of the reported item. */
  subject: string
  /** Only the sign, where there is no room for the word. */
  compact?: boolean
  className?: string
}

/** `<ReportButton kind="task" subject={task.id} />`, for signed-in people who have not written it. */
export function ReportButton({ kind, subject, compact = false, className }: ReportButtonProps) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button
        variant="ghost"
        size={compact ? 'icon' : 'sm'}
        title={compact ? t(`ui.report.open.${kind}`) : undefined}
        aria-label={compact ? t(`ui.report.open.${kind}`) : undefined}
        onClick={() => setOpen(true)}
        className={classes('text-ink-soft', compact && 'size-8', className)}
      >
        <Flag aria-hidden />
        {!compact && <span>{t(`ui.report.open.${kind}`)}</span>}
      </Button>
      {open && <ReportDialog kind={kind} subject={subject} onClose={() => setOpen(false)} />}
    </>
  )
}

function ReportDialog({
  kind,
  subject,
  onClose,
}: Pick<ReportButtonProps, 'kind' | 'subject'> & { onClose: () => void }) {
  const { t } = useTranslation()
  const form = useZodForm(schema, { defaultValues: { reason: '' } })
  const reporting = useAction(
    { run: ({ reason }: { reason: string }) => reportContent(kind, subject, reason) },
    {
      onSuccess: () => {
        toast.success(t('ui.report.sent'), { description: t('ui.report.sentBody') })
        onClose()
      },
    },
  )
  return (
    <AlertDialog
      open
      onOpenChange={(next) => !next && !reporting.isPending && onClose()}
      title={t(`ui.report.open.${kind}`)}
      description={t('ui.report.body')}
      confirmLabel={t('ui.report.send')}
      onConfirm={form.handleSubmit(reporting.mutate)}
      loading={reporting.isPending}
      size="md"
    >
      <Form form={form} submission={reporting} onSubmit={reporting.mutate}>
        <form.Field name="reason" label={t('ui.report.reason')} required>
          <Textarea rows={3} />
        </form.Field>
        <SubmissionError />
      </Form>
    </AlertDialog>
  )
}

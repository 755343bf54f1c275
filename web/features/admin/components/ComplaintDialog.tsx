// An admin's decision of a complaint, with what each side gets before it is made: it cannot be taken back.
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatMoney } from '../../../lib/format.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Form, SubmissionError } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Textarea } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { type Complaint, decideComplaint } from '../api/complaints.ts'
import { decisionSchema } from '../schema.ts'
import { sharesOf } from '../shares.ts'
import { ComplaintQuotes, onlyReleaseUntil } from './ComplaintQuotes.tsx'
import { DecisionFields } from './DecisionFields.tsx'
import { ShareLines } from './ShareLines.tsx'

const decisions = ['release', 'refund', 'split'] as const

export function ComplaintDialog({ complaint, onClose }: { complaint: Complaint; onClose: () => void }) {
  const { t } = useTranslation()
  const { payment, booking } = complaint
  const until = onlyReleaseUntil(complaint)
  const giver = payment.payer?.full_name || t('admin.unnamed')
  const tasker = payment.payee?.full_name || t('admin.unnamed')
  const form = useZodForm(decisionSchema(decisions, payment.amount), {
    defaultValues: { decision: '', returned: '', note: '' },
  })
  const deciding = useAction(decideComplaint(complaint.id), {
    onSuccess: (_, { returned }) => {
      const { refund, payout } = sharesOf(payment, returned)
      toast.success(t('admin.complaintDecided'), {
        description: t('admin.complaintDecidedBody', {
          giver,
          tasker,
          refund: formatMoney(refund, { exact: true }),
          payout: formatMoney(payout, { exact: true }),
        }),
      })
      onClose()
    },
  })

  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && !deciding.isPending && onClose()}
      title={t('admin.complaintTitle', { task: booking.task.title })}
      description={t('admin.complaintFinal')}
      confirmLabel={t('admin.decide')}
      onConfirm={form.handleSubmit(deciding.mutate)}
      loading={deciding.isPending}
      size="md"
    >
      <Form form={form} submission={deciding} onSubmit={deciding.mutate} className="flex flex-col gap-4">
        <div className="-mt-3">
          <ComplaintQuotes complaint={complaint} />
        </div>
        <DecisionFields
          options={decisions.map((value) => ({
            value,
            title: t(`admin.${value}`),
            hint: t(`admin.hint.${value}`),
            // As the database has it: the tasker may answer first, unless all goes their way.
            disabled: until !== null && value !== 'release',
          }))}
          amount={payment.amount}
          note={
            until && (
              <p className="text-sm text-ink-soft">{t('admin.onlyRelease', { at: formatDateTime(until) })}</p>
            )
          }
          sums={(_, returned) => (
            <ShareLines shares={sharesOf(payment, returned)} giver={giver} tasker={tasker} />
          )}
        />
        <form.Field name="note" label={t('admin.decisionNote')} hint={t('admin.decisionNoteHint')} optional>
          <Textarea rows={2} className="max-h-40" />
        </form.Field>
        <SubmissionError />
      </Form>
    </AlertDialog>
  )
}

// An admin's decision of a complaint, with what each side gets, confirmed before the money moves.
import { useTranslation } from 'react-i18next'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import type { Complaint } from '../api/complaints.ts'
import { ComplaintDecisionFields, ConfirmDecision, useComplaintDecision } from './ComplaintDecision.tsx'
import { ComplaintQuotes } from './ComplaintQuotes.tsx'

export function ComplaintDialog({ complaint, onClose }: { complaint: Complaint; onClose: () => void }) {
  const { t } = useTranslation()
  const { form, deciding, asked, ask, goBack } = useComplaintDecision(complaint, onClose)
  if (asked) {
    return <ConfirmDecision complaint={complaint} asked={asked} deciding={deciding} onBack={goBack} />
  }
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && !deciding.isPending && onClose()}
      title={t('admin.complaintTitle', { task: complaint.booking.task.title })}
      description={t('admin.complaintFinal')}
      confirmLabel={t('admin.decide')}
      onConfirm={form.handleSubmit(ask)}
      loading={deciding.isPending}
      size="md"
    >
      <Form form={form} submission={deciding} onSubmit={ask} className="flex flex-col gap-4">
        <div className="-mt-3">
          <ComplaintQuotes complaint={complaint} />
        </div>
        <ComplaintDecisionFields complaint={complaint} />
      </Form>
    </AlertDialog>
  )
}

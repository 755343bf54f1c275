// An admin's decision of a complaint, with what each side gets before it is made: it cannot be taken back.
import { useTranslation } from 'react-i18next'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import type { Complaint } from '../api/complaints.ts'
import { ComplaintDecisionFields, useComplaintDecision } from './ComplaintDecision.tsx'
import { ComplaintQuotes } from './ComplaintQuotes.tsx'

export function ComplaintDialog({ complaint, onClose }: { complaint: Complaint; onClose: () => void }) {
  const { t } = useTranslation()
  const { form, deciding } = useComplaintDecision(complaint, onClose)
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && !deciding.isPending && onClose()}
      title={t('admin.complaintTitle', { task: complaint.booking.task.title })}
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
        <ComplaintDecisionFields complaint={complaint} />
      </Form>
    </AlertDialog>
  )
}

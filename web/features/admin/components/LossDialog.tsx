// An admin's decision about a payment of which a part went back for good, with what each side gets before it is made.
import { useTranslation } from 'react-i18next'
import { formatMoney } from '../../../lib/format.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Form, SubmissionError } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { decideLoss, type Loss, type LossDecision } from '../api/disputes.ts'
import { decisionSchema } from '../schema.ts'
import { sharesOf } from '../shares.ts'
import { DecisionFields } from './DecisionFields.tsx'
import { ShareLines } from './ShareLines.tsx'

type Decision = LossDecision['decision']

export function LossDialog({ loss, onClose }: { loss: Loss; onClose: () => void }) {
  const { t } = useTranslation()
  const giver = loss.payer?.full_name || t('admin.unnamed')
  const tasker = loss.payee?.full_name || t('admin.unnamed')
  const frozen = loss.escrow_status === 'frozen'
  // Only done work can count for less; an extra payment is decided about as a whole.
  const decisions: Decision[] =
    frozen && loss.booking?.status === 'completed' ? ['carry_on', 'refund', 'split'] : ['carry_on', 'refund']
  const form = useZodForm(decisionSchema(decisions, loss.amount), {
    defaultValues: { decision: '', returned: '', extras: '', note: '' },
  })
  const deciding = useAction(decideLoss(loss.id), {
    onSuccess: () => {
      toast.success(t('admin.lossDecided'))
      onClose()
    },
  })
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && !deciding.isPending && onClose()}
      title={t('admin.complaintTitle', { task: loss.task.title })}
      description={t('admin.lossBody', {
        lost: formatMoney(loss.lost_amount, { exact: true }),
        total: formatMoney(loss.total, { exact: true }),
      })}
      confirmLabel={t('admin.decide')}
      onConfirm={form.handleSubmit(deciding.mutate)}
      loading={deciding.isPending}
      size="md"
    >
      <Form form={form} submission={deciding} onSubmit={deciding.mutate} className="flex flex-col gap-4">
        <DecisionFields
          options={decisions.map((value) => ({
            value,
            title: t(`admin.loss.${value}`),
            hint: t(
              frozen || value === 'split' ? `admin.lossHint.${value}` : `admin.lossHint.${value}AfterRelease`,
              { giver, tasker },
            ),
          }))}
          amount={loss.amount}
          sums={(decision, returned) =>
            frozen &&
            decision !== 'carry_on' && (
              <ShareLines shares={sharesOf(loss, returned)} giver={giver} tasker={tasker} />
            )
          }
        />
        <SubmissionError />
      </Form>
    </AlertDialog>
  )
}

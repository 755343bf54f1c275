// The fields of a decision about a complaint, shared by the dialog and the case page: the action with its
// explanation, and the inputs.
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatMoney } from '../../../lib/format.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { SubmissionError } from '../../../ui/form/Form.tsx'
import { FormField } from '../../../ui/form/FormField.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Textarea } from '../../../ui/Input.tsx'
import { Quote } from '../../../ui/Quote.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import {
  type Complaint,
  type ComplaintDecision,
  decideComplaint,
  type SeenCase,
  seenCase,
} from '../api/complaints.ts'
import { decisionSchema } from '../schema.ts'
import { sharesOf } from '../shares.ts'
import { onlyReleaseUntil } from './ComplaintQuotes.tsx'
import { DecisionFields } from './DecisionFields.tsx'
import { ShareLines } from './ShareLines.tsx'

type AskedDecision = ComplaintDecision & { seen: SeenCase }

const extrasGoBack = ({ decision, extras }: ComplaintDecision) =>
  decision === 'refund' || (decision === 'split' && extras === 'refund')

const DECISIONS = ['release', 'refund', 'split'] as const

const useNames = ({ payment }: Complaint) => {
  const { t } = useTranslation()
  return {
    giver: payment.payer?.full_name || t('admin.unnamed'),
    tasker: payment.payee?.full_name || t('admin.unnamed'),
  }
}

/** The form of a decision, the decision that waits to be confirmed, and the action that makes it; `onDecided` once it is made. */
export function useComplaintDecision(complaint: Complaint, onDecided: () => void) {
  const { t } = useTranslation()
  const { payment } = complaint
  const { giver, tasker } = useNames(complaint)
  const form = useZodForm(decisionSchema(DECISIONS, payment.amount, complaint.extras > 0), {
    defaultValues: { decision: '', returned: '', extras: '', note: '' },
    draft: `decision:${complaint.id}`,
  })
  const [asked, setAsked] = useState<AskedDecision | null>(null)
  const deciding = useAction(decideComplaint(complaint.id), {
    onSuccess: (_, { returned }) => {
      form.dropDraft()
      const { refund, payout } = sharesOf(payment, returned)
      toast.success(t('admin.complaintDecided'), {
        description: t('admin.complaintDecidedBody', {
          giver,
          tasker,
          refund: formatMoney(refund, { exact: true }),
          payout: formatMoney(payout, { exact: true }),
        }),
      })
      setAsked(null)
      onDecided()
    },
    // The case is read again, and the form shows the error above its current state.
    onError: () => setAsked(null),
  })
  return {
    form,
    deciding,
    asked,
    /** Records the case as shown now: an answer that arrives while the dialog is open must not count as read. */
    ask: (decision: ComplaintDecision) => setAsked({ ...decision, seen: seenCase(complaint) }),
    goBack: () => setAsked(null),
  }
}

/** Used in a Form over decisionSchema. */
export function ComplaintDecisionFields({ complaint }: { complaint: Complaint }) {
  const { t } = useTranslation()
  const { payment } = complaint
  const { giver, tasker } = useNames(complaint)
  const until = onlyReleaseUntil(complaint)
  return (
    <>
      <DecisionFields
        options={DECISIONS.map((value) => ({
          value,
          title: t(`admin.${value}`),
          hint: t(`admin.hint.${value}`),
          // As the database has it: the tasker may answer first, unless all goes their way.
          disabled: until !== null && value !== 'release',
        }))}
        amount={payment.amount}
        extras={complaint.extras}
        note={
          until && (
            <p className="text-sm text-ink-soft">{t('admin.onlyRelease', { at: formatDateTime(until) })}</p>
          )
        }
        sums={(_, returned) => (
          <ShareLines shares={sharesOf(payment, returned)} giver={giver} tasker={tasker} />
        )}
      />
      <FormField<{ note: string }>
        name="note"
        label={t('admin.decisionNote')}
        hint={t('admin.decisionNoteHint')}
        optional
      >
        <Textarea rows={2} className="max-h-40" />
      </FormField>
      <SubmissionError />
    </>
  )
}

/** The second click of a double click must not confirm. */
const PAUSE_MS = 600

/** Asks before the money moves: shows the decision and what each side gets. */
export function ConfirmDecision({
  complaint,
  asked,
  deciding,
  onBack,
}: {
  complaint: Complaint
  asked: AskedDecision
  deciding: { isPending: boolean; mutate: (decision: AskedDecision) => void }
  onBack: () => void
}) {
  const { t } = useTranslation()
  const { giver, tasker } = useNames(complaint)
  const [ready, setReady] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && !deciding.isPending && onBack()}
      title={t('admin.confirmDecision')}
      description={t('admin.complaintFinal')}
      confirmLabel={t(`admin.${asked.decision}`)}
      cancelLabel={t('admin.backToDecision')}
      onConfirm={() => deciding.mutate(asked)}
      loading={deciding.isPending || !ready}
    >
      <ShareLines shares={sharesOf(complaint.payment, asked.returned)} giver={giver} tasker={tasker} />
      {complaint.extras > 0 && (
        <p className="mt-3">
          {t(extrasGoBack(asked) ? 'admin.extrasBack' : 'admin.extrasReleased', {
            sum: formatMoney(complaint.extras, { exact: true }),
          })}
        </p>
      )}
      {asked.note && <Quote by={t('admin.decisionNote')}>{asked.note}</Quote>}
    </AlertDialog>
  )
}

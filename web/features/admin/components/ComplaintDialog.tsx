// An admin's decision of a complaint, with what each side gets before it is made: it cannot be taken back.
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { trimmed } from '../../../../shared/text.ts'
import { errorText } from '../../../lib/errorText.ts'
import { formatDateTime, formatMoney } from '../../../lib/format.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Field, FieldError } from '../../../ui/form/Field.tsx'
import { Input, Textarea } from '../../../ui/Input.tsx'
import { RadioCards } from '../../../ui/RadioCards.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { type Complaint, useDecideComplaint } from '../api/complaints.ts'
import { sharesOf } from '../shares.ts'
import { ComplaintQuotes, onlyReleaseUntil } from './ComplaintQuotes.tsx'
import { ShareLines } from './ShareLines.tsx'

const decisions = ['release', 'refund', 'split'] as const

export function ComplaintDialog({ complaint, onClose }: { complaint: Complaint; onClose: () => void }) {
  const { t } = useTranslation()
  const { payment, booking } = complaint
  const [decision, setDecision] = useState<(typeof decisions)[number]>()
  const [typed, setTyped] = useState('')
  const [note, setNote] = useState('')
  const [tried, setTried] = useState(false)
  const until = onlyReleaseUntil(complaint)
  const giver = payment.payer?.full_name || t('admin.unnamed')
  const tasker = payment.payee?.full_name || t('admin.unnamed')

  const returns = { release: 0, refund: payment.amount, split: Math.round(Number(typed) * 100) / 100 }
  const returned = decision ? returns[decision] : 0
  const possible =
    decision !== undefined && (decision !== 'split' || (returned > 0 && returned < payment.amount))
  const shares = sharesOf(payment, possible ? returned : 0)
  const deciding = useDecideComplaint(complaint.id, () => {
    toast.success(t('admin.complaintDecided'), {
      description: t('admin.complaintDecidedBody', {
        giver,
        tasker,
        refund: formatMoney(shares.refund, { exact: true }),
        payout: formatMoney(shares.payout, { exact: true }),
      }),
    })
    onClose()
  })
  const tooLong = [...trimmed(note)].length > limits.decisionReason.max
  // What each side gets is in sight before it is final.
  const sums = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (decision && shares.refund >= 0) sums.current?.scrollIntoView({ block: 'nearest' })
  }, [decision, shares.refund])
  const decide = () => {
    setTried(true)
    if (possible && !tooLong) deciding.mutate({ decision, returned, note: trimmed(note) })
  }

  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && !deciding.isPending && onClose()}
      title={t('admin.complaintTitle', { task: booking.task.title })}
      description={t('admin.complaintFinal')}
      confirmLabel={t('admin.decide')}
      onConfirm={decide}
      loading={deciding.isPending}
      size="md"
    >
      <div className="flex flex-col gap-4">
        <div className="-mt-3">
          <ComplaintQuotes complaint={complaint} />
        </div>
        <RadioCards
          legend={t('admin.decision')}
          name="decision"
          value={decision ?? ''}
          onChange={(event) => setDecision(event.target.value as typeof decision)}
          error={tried && !decision ? t('admin.decisionRequired') : undefined}
          options={decisions.map((value) => ({
            value,
            title: t(`admin.${value}`),
            hint: t(`admin.hint.${value}`),
            // As the database has it: the tasker is heard first, unless all goes their way.
            disabled: until !== null && value !== 'release',
          }))}
        />
        {until && (
          <p className="text-sm text-ink-soft">{t('admin.onlyRelease', { at: formatDateTime(until) })}</p>
        )}
        {decision === 'split' && (
          <Field
            label={t('admin.returned')}
            hint={t('admin.returnedHint', { amount: formatMoney(payment.amount) })}
            error={tried && !possible ? t('admin.returnedOutside') : undefined}
            required
          >
            <Input
              type="number"
              inputMode="decimal"
              min={0.01}
              step={0.01}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          </Field>
        )}
        {possible && (
          <div ref={sums}>
            <ShareLines shares={shares} giver={giver} tasker={tasker} />
          </div>
        )}
        <Field
          label={t('admin.decisionNote')}
          hint={t('admin.decisionNoteHint')}
          error={tried && tooLong ? t('admin.reasonTooLong') : undefined}
          optional
        >
          <Textarea
            rows={2}
            className="max-h-40"
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
        </Field>
        {deciding.error && <FieldError>{errorText(deciding.error)}</FieldError>}
      </div>
    </AlertDialog>
  )
}

// An admin's decision of a complaint, with what each side gets before it is made: it cannot be taken back.
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { amountsOf } from '../../lib/amounts.ts'
import { errorText } from '../../lib/errorText.ts'
import { formatMoney } from '../../lib/format.ts'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { AmountLines } from '../../ui/AmountLines.tsx'
import { Field, FieldError } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { RadioCards } from '../../ui/RadioCards.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { type Complaint, useDecideComplaint } from './complaints.ts'

const acts = ['release', 'refund', 'split'] as const

export function ComplaintDialog({ complaint, onClose }: { complaint: Complaint; onClose: () => void }) {
  const { t } = useTranslation()
  const { payment, booking } = complaint
  const [act, setAct] = useState<(typeof acts)[number]>()
  const [typed, setTyped] = useState('')
  const [tried, setTried] = useState(false)
  const giver = payment.payer?.full_name || t('admin.unnamed')
  const tasker = payment.payee?.full_name || t('admin.unnamed')

  const returns = { release: 0, refund: payment.amount, split: Math.round(Number(typed) * 100) / 100 }
  const returned = act ? returns[act] : 0
  const possible = act !== undefined && (act !== 'split' || (returned > 0 && returned < payment.amount))
  const kept = amountsOf(possible ? Math.round((payment.amount - returned) * 100) / 100 : payment.amount)
  const shares = {
    refund: Math.round((payment.total - kept.total) * 100) / 100,
    payout: kept.payout,
  }
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
  const decide = () => {
    setTried(true)
    if (possible) deciding.mutate({ act, returned })
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
    >
      <div className="flex flex-col gap-4">
        <RadioCards
          legend={t('admin.decision')}
          name="decision"
          value={act ?? ''}
          onChange={(event) => setAct(event.target.value as typeof act)}
          error={tried && !act ? t('admin.decisionRequired') : undefined}
          options={acts.map((value) => ({ value, title: t(`admin.${value}`) }))}
        />
        {act === 'split' && (
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
          <AmountLines
            lines={[
              { label: t('admin.giverGets', { giver }), amount: shares.refund },
              { label: t('admin.taskerGets', { tasker }), amount: shares.payout },
            ]}
          />
        )}
        {deciding.error && <FieldError>{errorText(deciding.error)}</FieldError>}
      </div>
    </AlertDialog>
  )
}

// An admin's decision about a payment of which a part went back for good, with what each side gets before it is made.
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '../../../lib/errorText.ts'
import { formatMoney } from '../../../lib/format.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Field, FieldError } from '../../../ui/form/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { RadioCards } from '../../../ui/RadioCards.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { type Loss, type LossDecision, useDecideLoss } from '../api/disputes.ts'
import { sharesOf } from '../shares.ts'
import { ShareLines } from './ShareLines.tsx'

type Decision = LossDecision['decision']

export function LossDialog({ loss, onClose }: { loss: Loss; onClose: () => void }) {
  const { t } = useTranslation()
  const [decision, setDecision] = useState<Decision>()
  const [typed, setTyped] = useState('')
  const [tried, setTried] = useState(false)
  const giver = loss.payer?.full_name || t('admin.unnamed')
  const tasker = loss.payee?.full_name || t('admin.unnamed')
  const frozen = loss.escrow_status === 'frozen'
  // Only done work can count for less.
  const decisions: Decision[] =
    frozen && loss.booking.status === 'completed' ? ['carry_on', 'refund', 'split'] : ['carry_on', 'refund']
  const split = Math.round(Number(typed) * 100) / 100
  const returned = decision === 'refund' ? loss.amount : decision === 'split' ? split : 0
  const possible = decision !== undefined && (decision !== 'split' || (split > 0 && split < loss.amount))
  const deciding = useDecideLoss(loss.id, () => {
    toast.success(t('admin.lossDecided'))
    onClose()
  })
  // What each side gets is in sight before it is final.
  const sums = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (decision && possible && returned > 0) sums.current?.scrollIntoView({ block: 'nearest' })
  }, [decision, possible, returned])
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && !deciding.isPending && onClose()}
      title={t('admin.complaintTitle', { task: loss.booking.task.title })}
      description={t('admin.lossBody', {
        lost: formatMoney(loss.lost_amount, { exact: true }),
        total: formatMoney(loss.total, { exact: true }),
      })}
      confirmLabel={t('admin.decide')}
      onConfirm={() => {
        setTried(true)
        if (decision && possible) deciding.mutate({ decision, returned })
      }}
      loading={deciding.isPending}
      size="md"
    >
      <div className="flex flex-col gap-4">
        <RadioCards
          legend={t('admin.decision')}
          name="decision"
          value={decision ?? ''}
          onChange={(event) => setDecision(event.target.value as Decision)}
          error={tried && !decision ? t('admin.decisionRequired') : undefined}
          options={decisions.map((value) => ({
            value,
            title: t(`admin.loss.${value}`),
            hint: t(
              frozen || value === 'split' ? `admin.lossHint.${value}` : `admin.lossHint.${value}AfterRelease`,
              {
                giver,
                tasker,
              },
            ),
          }))}
        />
        {decision === 'split' && (
          <Field
            label={t('admin.returned')}
            hint={t('admin.returnedHint', { amount: formatMoney(loss.amount) })}
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
        {frozen && possible && decision !== 'carry_on' && (
          <div ref={sums}>
            <ShareLines shares={sharesOf(loss, returned)} giver={giver} tasker={tasker} />
          </div>
        )}
        {deciding.error && <FieldError>{errorText(deciding.error)}</FieldError>}
      </div>
    </AlertDialog>
  )
}

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

type Act = LossDecision['act']

export function LossDialog({ loss, onClose }: { loss: Loss; onClose: () => void }) {
  const { t } = useTranslation()
  const [act, setAct] = useState<Act>()
  const [typed, setTyped] = useState('')
  const [tried, setTried] = useState(false)
  const giver = loss.payer?.full_name || t('admin.unnamed')
  const tasker = loss.payee?.full_name || t('admin.unnamed')
  const frozen = loss.escrow_status === 'frozen'
  // Only done work can count for less.
  const acts: Act[] =
    frozen && loss.booking.status === 'completed' ? ['carry_on', 'refund', 'split'] : ['carry_on', 'refund']
  const split = Math.round(Number(typed) * 100) / 100
  const returned = act === 'refund' ? loss.amount : act === 'split' ? split : 0
  const possible = act !== undefined && (act !== 'split' || (split > 0 && split < loss.amount))
  const deciding = useDecideLoss(loss.id, () => {
    toast.success(t('admin.lossDecided'))
    onClose()
  })
  // What each side gets is in sight before it is final.
  const sums = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (act && possible && returned > 0) sums.current?.scrollIntoView({ block: 'nearest' })
  }, [act, possible, returned])
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
        if (act && possible) deciding.mutate({ act, returned })
      }}
      loading={deciding.isPending}
      size="md"
    >
      <div className="flex flex-col gap-4">
        <RadioCards
          legend={t('admin.decision')}
          name="decision"
          value={act ?? ''}
          onChange={(event) => setAct(event.target.value as Act)}
          error={tried && !act ? t('admin.decisionRequired') : undefined}
          options={acts.map((value) => ({
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
        {act === 'split' && (
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
        {frozen && possible && act !== 'carry_on' && (
          <div ref={sums}>
            <ShareLines shares={sharesOf(loss, returned)} giver={giver} tasker={tasker} />
          </div>
        )}
        {deciding.error && <FieldError>{errorText(deciding.error)}</FieldError>}
      </div>
    </AlertDialog>
  )
}

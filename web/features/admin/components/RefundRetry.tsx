// Sending a refund again that the provider refused, or that came back from the card after it was sent.
import { RotateCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Cents } from '../../../../shared/money.ts'
import { formatMoney } from '../../../lib/format.ts'
import { Button } from '../../../ui/Button.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { retryRefund } from '../api/money.ts'

type RefundRetryProps = { paymentId: string; amount: Cents; giver: string }

export function RefundRetry({ paymentId, amount, giver }: RefundRetryProps) {
  const { t } = useTranslation()
  const retrying = useAction(retryRefund(paymentId), {
    onSuccess: () => toast.success(t('backOffice.money.sentAgain')),
    onError: t('admin.error'),
  })
  return (
    <Button
      variant="secondary"
      size="sm"
      className="mt-3"
      loading={retrying.isPending}
      aria-label={t('backOffice.money.sendAgainOf', {
        amount: formatMoney(amount, { exact: true }),
        name: giver,
      })}
      onClick={() => retrying.mutate()}
    >
      <RotateCw aria-hidden />
      <span>{t('backOffice.money.sendAgain')}</span>
    </Button>
  )
}

// Each side's share of frozen money before a decision.
import { useTranslation } from 'react-i18next'
import { cents } from '../../../../shared/money.ts'
import { AmountLines } from '../../../ui/AmountLines.tsx'
import type { Shares } from '../shares.ts'

export function ShareLines({ shares, giver, tasker }: { shares: Shares; giver: string; tasker: string }) {
  const { t } = useTranslation()
  return (
    <AmountLines
      lines={[
        { label: t('admin.giverGets', { giver }), amount: shares.refund },
        { label: t('admin.taskerGets', { tasker }), amount: shares.payout },
        shares.kept < 0
          ? { label: t('admin.weBear'), amount: cents(-shares.kept), less: true }
          : { label: t('admin.weKeep'), amount: shares.kept },
        { label: t('admin.frozenNow'), amount: shares.frozen, total: true },
      ]}
    />
  )
}

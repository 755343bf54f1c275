// Disputes of banks about payments, each with its state, and above them the payments lost in part, whose rest an
// admin decides about. Empty lists are hidden.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { CreditCard } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatMoney } from '../../../lib/format.ts'
import { taskPath } from '../../../lib/paths.ts'
import { useUserId } from '../../../lib/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../../ui/States.tsx'
import {
  type DisputeState,
  disputeCountQuery,
  disputesQuery,
  type Loss,
  lossesQuery,
} from '../api/disputes.ts'
import { AdminSection } from './AdminSection.tsx'
import { DisputeRow } from './DisputeRow.tsx'
import { ListPages } from './ListPages.tsx'
import { LossDialog } from './LossDialog.tsx'
import { Parties } from './Parties.tsx'

export function Losses() {
  const { t } = useTranslation()
  const userId = useUserId()
  const losses = useQuery(lossesQuery)
  const [chosen, setChosen] = useState<Loss>()
  if (losses.isPending || (losses.data?.length === 0 && !chosen)) return null
  return (
    <AdminSection title={t('admin.losses')} lead={t('admin.lossesLead')}>
      {losses.data ? (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {losses.data.map((loss) => (
            <LossRow
              key={loss.id}
              loss={loss}
              own={[loss.payer_id, loss.payee_id].includes(userId)}
              onChoose={() => setChosen(loss)}
            />
          ))}
        </ul>
      ) : (
        <ErrorState title={t('admin.chargebacksFailed')} onRetry={() => losses.refetch()} />
      )}
      {chosen && <LossDialog loss={chosen} onClose={() => setChosen(undefined)} />}
    </AdminSection>
  )
}

function LossRow({ loss, own, onChoose }: { loss: Loss; own: boolean; onChoose: () => void }) {
  const { t } = useTranslation()
  const { id, title } = loss.task
  return (
    <li className="flex flex-wrap items-start gap-4 p-4 sm:p-5">
      <div className="min-w-0 flex-[1_1_14rem]">
        <p className="font-semibold wrap-anywhere">
          <Link to={taskPath(id)} className="inline-block py-1 text-sky underline-offset-4 hover:underline">
            <bdi>{title}</bdi>
          </Link>
        </p>
        <Parties
          giver={{ id: loss.payer_id, name: loss.payer?.full_name }}
          tasker={{ id: loss.payee_id, name: loss.payee?.full_name }}
        />
        <p className="tabular mt-1">
          {t('admin.lossMoney', {
            lost: formatMoney(loss.lost_amount, { exact: true }),
            total: formatMoney(loss.total, { exact: true }),
          })}
        </p>
      </div>
      {own ? (
        <p className="text-sm text-ink-faint sm:max-w-56 sm:text-end">{t('admin.ownComplaint')}</p>
      ) : (
        <Button variant="secondary" size="sm" onClick={onChoose}>
          <span>{t('admin.decide')}</span>
          <span className="sr-only">{title}</span>
        </Button>
      )}
    </li>
  )
}

type DisputesProps = { state?: DisputeState; search?: string; whenEmpty?: string }

/** Without `whenEmpty` an empty list is not there. */
export function Disputes({ state = 'all', search = '', whenEmpty }: DisputesProps) {
  const { t } = useTranslation()
  const disputes = useInfiniteQuery(disputesQuery(state, search))
  if (disputes.isPending) return whenEmpty ? <Skeleton className="h-64 w-full rounded-lg" /> : null
  if (disputes.data?.length === 0)
    return whenEmpty ? <EmptyState icon={CreditCard} title={whenEmpty} /> : null
  return (
    <AdminSection title={t('admin.chargebacks')} lead={t('admin.chargebacksLead')}>
      {disputes.data ? (
        <ListPages pages={disputes} count={disputeCountQuery(state, search)}>
          {disputes.data.map((dispute) => (
            <DisputeRow key={dispute.id} dispute={dispute} />
          ))}
        </ListPages>
      ) : (
        <ErrorState title={t('admin.chargebacksFailed')} onRetry={() => disputes.refetch()} />
      )}
    </AdminSection>
  )
}

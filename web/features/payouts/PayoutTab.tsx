// The Payout tab of My Profile: where a tasker is paid, and what is still missing (specification 001 §3, §4).
import { useQuery } from '@tanstack/react-query'
import { CircleCheck, Hourglass, Landmark, type LucideIcon } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Cents, cents } from '../../../shared/money.ts'
import type { TextKey } from '../../i18n/index.ts'
import { formatMoney } from '../../lib/format.ts'
import { useLive } from '../../lib/live.ts'
import { useHolds, useUserId } from '../../lib/session.tsx'
import { Badge, type Tone } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ErrorState } from '../../ui/States.tsx'
import {
  type Payee,
  type PayoutAccount,
  payeeQuery,
  payoutAccountQuery,
  waitingQuery,
} from './api/queries.ts'
import { BankForm } from './components/BankForm.tsx'
import { NextStep } from './components/NextStep.tsx'
import { distinctNeeds } from './requirements.ts'

const PayoutReport = lazy(() => import('./components/PayoutReport.tsx'))

const states: Record<'active' | 'pending' | 'notSetUp', { tone: Tone; icon: LucideIcon; text: TextKey }> = {
  active: { tone: 'success', icon: CircleCheck, text: 'payouts.status.active' },
  pending: { tone: 'waiting', icon: Hourglass, text: 'payouts.status.pending' },
  notSetUp: { tone: 'neutral', icon: Landmark, text: 'payouts.status.notSetUp' },
}

export function PayoutTab() {
  const userId = useUserId()
  const account = useQuery(payoutAccountQuery(userId))
  const payee = useQuery(payeeQuery(userId))
  const waiting = useQuery(waitingQuery(userId))
  // Money that was being sent becomes sent while one looks.
  useLive([{ table: 'payments', rows: `payee_id=eq.${userId}`, refresh: [['payouts']] }])
  const failed = [account, payee].find(({ isLoadingError }) => isLoadingError)
  if (failed) return <ErrorState error={failed.error} onRetry={() => failed.refetch()} />
  if (account.data === undefined || !payee.data || waiting.isPending) return <Loading />
  return <Account account={account.data} payee={payee.data} waiting={waiting.data} />
}

function Account({
  account,
  payee,
  waiting = cents(0),
}: {
  account: PayoutAccount | null
  payee: Payee
  waiting: Cents | undefined
}) {
  const { t } = useTranslation()
  const [updating, setUpdating] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  const isTasker = useHolds('task_doer')
  // The form goes away with the focus in it.
  const close = () => {
    setUpdating(false)
    heading.current?.focus()
  }
  const status = account?.account_status
  const active = status === 'active'
  const state = states[active ? 'active' : status === 'pending' ? 'pending' : 'notSetUp']
  // Bank details of a project without connected accounts are only noted.
  const connected = account !== null && account.account_type !== 'manual'
  const needs = connected ? distinctNeeds(account.requirements) : []
  const asks = (part: string) => !connected || needs.some((need) => need.part === part)
  const bank = updating || asks('bank') || !needs.some(({ part }) => part === 'person' || part === 'terms')
  const person = asks('person')
  const elsewhere = needs.some(({ part }) => part === 'elsewhere')

  return (
    <div className="in-order flex flex-col gap-6">
      <header className="flex flex-col gap-2">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <h2 ref={heading} tabIndex={-1} className="text-2xl">
            {t('payouts.account')}
          </h2>
          <Badge tone={state.tone} icon={state.icon}>
            {t(state.text)}
          </Badge>
        </div>
        <p className="max-w-prose text-ink-soft">{t(isTasker ? 'payouts.lead' : 'payouts.onlyTaskers')}</p>
      </header>

      {!active && waiting > 0 && (
        <p className="rounded-md bg-wheat-soft p-4 font-medium">
          {t('payouts.waiting', { amount: formatMoney(waiting, { exact: true }) })}
        </p>
      )}
      {status === 'pending' && connected && <p role="status">{t('payouts.pendingBody')}</p>}
      {account && needs.length > 0 && <NextStep account={account} needs={needs} />}

      {account?.bank_last4 && (
        <BankAccount account={account} onUpdate={active && !updating ? () => setUpdating(true) : null} />
      )}
      {isTasker &&
        (!active || updating) &&
        !(elsewhere && needs.every(({ part }) => part === 'elsewhere')) && (
          <BankForm
            payee={payee}
            asked={{ bank, person, dateOfBirth: person && payee.dateOfBirth === null, terms: asks('terms') }}
            onSaved={close}
            {...(updating ? { onCancel: close } : {})}
          />
        )}
      <Suspense fallback={<Skeleton className="h-64 w-full" />}>
        <PayoutReport />
      </Suspense>
    </div>
  )
}

type BankAccountProps = { account: PayoutAccount; onUpdate: (() => void) | null }

function BankAccount({ account, onUpdate }: BankAccountProps) {
  const { t } = useTranslation()
  return (
    <div className="flex flex-wrap items-center gap-4 rounded-md border border-line p-4">
      <Landmark aria-hidden className="size-6 text-ink-soft" />
      <div className="min-w-0 flex-1 basis-52">
        <p className="font-semibold">
          {t('payouts.bankEnding', {
            bank: account.bank_name ?? t('payouts.anyBank'),
            last4: account.bank_last4,
          })}
        </p>
        {account.account_status === 'active' && (
          <p className="text-sm text-ink-soft">{t('payouts.activeBody')}</p>
        )}
      </div>
      {onUpdate && (
        <Button variant="secondary" onClick={onUpdate}>
          {t('payouts.update')}
        </Button>
      )}
    </div>
  )
}

function Loading() {
  const { t } = useTranslation()
  return (
    <div className="flex flex-col gap-4" aria-busy>
      <span role="status" className="sr-only">
        {t('ui.loading')}
      </span>
      <Skeleton className="h-7 w-56" />
      <Skeleton className="h-12 w-full sm:h-6" />
      <Skeleton className="mt-2 h-20 w-full" />
    </div>
  )
}

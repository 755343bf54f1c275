// /admin/money: what stands in the books, what is stuck first, and every payment, payout, refund and chargeback, narrowed by state
// and found by an id or a person. The address holds what is shown.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { formatMoney } from '../../lib/format.ts'
import { useDebounced } from '../../lib/useDebounced.ts'
import { PageHeader } from '../../ui/Page.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Select } from '../../ui/Select.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { accounts, balancesQuery, type Kind, kinds, type State, states } from './api/money.ts'
import { Disputes, Losses } from './components/Chargebacks.tsx'
import { PaymentList } from './components/PaymentList.tsx'
import { TYPING_DELAY_MS } from './components/People.tsx'

const tabs = [...kinds, 'disputes'] as const
type Tab = (typeof tabs)[number]

export default function MoneyPage() {
  const { t } = useTranslation()
  const [address, setAddress] = useSearchParams()
  const tab = tabs.find((known) => known === address.get('tab')) ?? 'payments'
  // One search for all lists: it stays while one goes from list to list.
  const [text, setText] = useState(address.get('search') ?? '')
  const search = useDebounced(text.trim(), TYPING_DELAY_MS)
  useEffect(() => {
    setAddress(
      (before) => {
        const next = new URLSearchParams(before)
        if (search) next.set('search', search)
        else next.delete('search')
        return next
      },
      { replace: true, preventScrollReset: true },
    )
  }, [search, setAddress])
  return (
    <>
      <PageHeader
        title={t('backOffice.money.title')}
        subtitle={t('backOffice.money.subtitle')}
        className="mb-6"
      />
      <Balances />
      <Tabs<Tab>
        label={t('backOffice.money.lists')}
        value={tab}
        onChange={(next) =>
          setAddress(
            { ...(next !== 'payments' && { tab: next }), ...(search && { search }) },
            { preventScrollReset: true },
          )
        }
        tabs={tabs.map((value) => ({
          value,
          label: t(`backOffice.money.tab.${value}`),
          content:
            value === 'disputes' ? (
              <>
                <Losses />
                <Disputes whenEmpty={t('backOffice.money.noDisputes')} />
              </>
            ) : (
              <Payments kind={value} text={text} onType={setText} search={search} />
            ),
        }))}
      />
    </>
  )
}

function Balances() {
  const { t } = useTranslation()
  const balances = useQuery(balancesQuery)
  if (balances.isPending) return <Skeleton className="mb-8 h-28 w-full rounded-lg" />
  if (!balances.data)
    return <ErrorState error={balances.error} onRetry={() => balances.refetch()} className="mb-8" />
  return (
    <dl className="mb-8 grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3 lg:grid-cols-6">
      {accounts.map((account) => (
        <div key={account} className="flex flex-col justify-between gap-1 bg-surface p-4">
          <dt className="text-sm text-ink-soft">{t(`backOffice.money.account.${account}`)}</dt>
          <dd className="tabular font-display text-xl font-semibold">
            {formatMoney(balances.data[account], { exact: true })}
          </dd>
        </div>
      ))}
    </dl>
  )
}

type PaymentsProps = { kind: Kind; text: string; onType: (text: string) => void; search: string }

function Payments({ kind, text, onType, search }: PaymentsProps) {
  const { t } = useTranslation()
  const [address, setAddress] = useSearchParams()
  const known: readonly State[] = ['all', 'stuck', ...states[kind]]
  const state = known.find((one) => one === address.get('state')) ?? 'all'
  return (
    <>
      <div className="flex flex-wrap gap-x-4">
        <div className="min-w-0 flex-[1_1_18rem]">
          <SearchField label={t('backOffice.money.search')} text={text} onType={onType} />
        </div>
        <Select
          aria-label={t('backOffice.money.state')}
          value={state}
          onChange={(event) =>
            setAddress(
              {
                ...(kind !== 'payments' && { tab: kind }),
                ...(event.target.value !== 'all' && { state: event.target.value }),
                ...(search && { search }),
              },
              { replace: true, preventScrollReset: true },
            )
          }
          className="mb-5 min-w-48 max-sm:w-full"
        >
          {known.map((one) => (
            <option key={one} value={one}>
              {t(`backOffice.money.states.${one}`)}
            </option>
          ))}
        </Select>
      </div>
      {state === 'all' && !search && (
        <PaymentList kind={kind} state="stuck" search="" title={t('backOffice.money.stuckFirst')} />
      )}
      <PaymentList kind={kind} state={state} search={search} none={t('backOffice.money.none')} />
    </>
  )
}

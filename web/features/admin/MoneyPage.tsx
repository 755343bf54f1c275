// /admin/money: what stands in the books, what is stuck first, and every payment, payout, refund and chargeback, narrowed by state
// and found by an id or a person. The address holds what is shown.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { formatMoney } from '../../lib/format.ts'
import { useDebounced } from '../../lib/useDebounced.ts'
import { useOptimisticChoice } from '../../lib/useOptimisticChoice.ts'
import { FilterChips } from '../../ui/FilterChips.tsx'
import { PageHeader } from '../../ui/Page.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Select } from '../../ui/Select.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ErrorState } from '../../ui/States.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { DISPUTE_STATES, type DisputeState } from './api/disputes.ts'
import { ACCOUNTS, balancesQuery, KINDS, type Kind, paymentsQuery, type State, states } from './api/money.ts'
import { Disputes, Losses } from './components/Chargebacks.tsx'
import { PaymentList } from './components/PaymentList.tsx'
import { TYPING_DELAY_MS } from './components/People.tsx'

const tabs = [...KINDS, 'disputes'] as const
type Tab = (typeof tabs)[number]

export default function MoneyPage() {
  const { t } = useTranslation()
  const [address, setAddress] = useSearchParams()
  const [tab, chooseTab] = useOptimisticChoice<Tab>(
    tabs.find((known) => known === address.get('tab')) ?? 'payments',
  )
  const { text, onType, search, linked } = useSearch(tab)
  return (
    <>
      <PageHeader
        title={t('backOffice.money.title')}
        subtitle={t('backOffice.money.subtitle')}
        className="mb-6"
      />
      <Balances />
      {linked && <Linked id={linked} onClear={() => onType('')} />}
      <Tabs<Tab>
        label={t('backOffice.money.lists')}
        value={tab}
        onChange={(next) => {
          chooseTab(next)
          setAddress(
            { ...(next !== 'payments' && { tab: next }), ...(search && { search }) },
            { preventScrollReset: true },
          )
        }}
        tabs={tabs.map((value) => ({
          value,
          label: t(`backOffice.money.tab.${value}`),
          content:
            value === 'disputes' ? (
              <Narrowed kind={value} known={DISPUTE_STATES} text={text} onType={onType} search={search}>
                {(state) => (
                  <>
                    {state === 'all' && !search && <Losses />}
                    <Disputes
                      state={state}
                      search={search}
                      whenEmpty={t(
                        state === 'all' && !search
                          ? 'backOffice.money.noDisputes'
                          : 'backOffice.money.noDisputeFound',
                      )}
                    />
                  </>
                )}
              </Narrowed>
            ) : (
              <Narrowed
                kind={value}
                known={['all', 'stuck', ...states[value]] as State[]}
                text={text}
                onType={onType}
                search={search}
              >
                {(state) => <Payments kind={value} state={state} search={search} />}
              </Narrowed>
            ),
        }))}
      />
    </>
  )
}

/** One search for all lists, kept in the address: it stays while one goes from list to list. */
function useSearch(tab: Tab) {
  const [address, setAddress] = useSearchParams()
  const inAddress = address.get('search') ?? ''
  const [text, setText] = useState(UUID.test(inAddress) ? '' : inAddress)
  // The payment that a link of the back office is about: it is named, and its id is not typed into the search.
  const [linked, setLinked] = useState(UUID.test(inAddress) ? inAddress : '')
  const typed = useDebounced(text.trim(), TYPING_DELAY_MS)
  const search = typed || linked
  // A link of the bell, say, leads here while the page is shown.
  const [arrivedWith, setArrivedWith] = useState(inAddress)
  if (inAddress !== arrivedWith) {
    setArrivedWith(inAddress)
    if (inAddress !== search && UUID.test(inAddress)) {
      setLinked(inAddress)
      setText('')
    }
  }
  useEffect(() => {
    if (inAddress === search) return
    setAddress(
      (before) => {
        const next = new URLSearchParams(before)
        if (search) next.set('search', search)
        else next.delete('search')
        // The list that was just chosen may not stand in the address yet.
        if (tab !== 'payments') next.set('tab', tab)
        return next
      },
      { replace: true, preventScrollReset: true },
    )
  }, [inAddress, search, tab, setAddress])
  const onType = (next: string) => {
    setText(next)
    setLinked('')
  }
  return { text, onType, search, linked }
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The payment that the lists are narrowed to, by the title of its task. */
function Linked({ id, onClear }: { id: string; onClear: () => void }) {
  const { t } = useTranslation()
  const found = useInfiniteQuery(paymentsQuery('payments', 'all', id)).data
  if (!found) return <Skeleton className="mb-5 h-9 w-48 rounded-full" />
  const label = found[0]?.task_title ?? t('backOffice.effects.payment')
  return (
    <div className="mb-5">
      <FilterChips chips={[{ key: id, label, onClear }]} onClearAll={onClear} />
    </div>
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
      {ACCOUNTS.map((account) => (
        <div key={account} className="flex flex-col justify-between gap-1 bg-surface p-4">
          <dt className="text-sm text-ink-soft">{t(`backOffice.money.account.${account}`)}</dt>
          <dd translate="no" className="tabular font-display text-xl font-semibold">
            {formatMoney(balances.data[account], { exact: true })}
          </dd>
        </div>
      ))}
    </dl>
  )
}

type NarrowedProps<Narrow extends State | DisputeState> = {
  kind: Tab
  /** Filters of the list, 'all' first. */
  known: readonly Narrow[]
  text: string
  onType: (text: string) => void
  search: string
  children: (state: Narrow | 'all') => ReactNode
}

/** The search and the choice of a state above a list; the state stands in the address. */
function Narrowed<Narrow extends State | DisputeState>(props: NarrowedProps<Narrow>) {
  const { kind, known, text, onType, search, children } = props
  const { t } = useTranslation()
  const [address, setAddress] = useSearchParams()
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
      {children(state)}
    </>
  )
}

type PaymentsProps = { kind: Kind; state: State; search: string }

function Payments({ kind, state, search }: PaymentsProps) {
  const { t } = useTranslation()
  return (
    <>
      {state === 'all' && !search && (
        <PaymentList kind={kind} state="stuck" search="" title={t('backOffice.money.stuckFirst')} />
      )}
      <PaymentList kind={kind} state={state} search={search} none={t('backOffice.money.none')} />
    </>
  )
}

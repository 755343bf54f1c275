// /admin/effects: failed effects on other services: abandoned ones, and those that are tried again by themselves.
import { useInfiniteQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { PageHeader } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { EFFECT_LISTS, type EffectList, effectCountQuery, effectsQuery } from './api/effects.ts'
import { EffectRow } from './components/EffectRow.tsx'
import { ListPages } from './components/ListPages.tsx'

export default function EffectsPage() {
  const { t } = useTranslation()
  const [address, setAddress] = useSearchParams()
  const tab = EFFECT_LISTS.find((known) => known === address.get('tab')) ?? 'given_up'
  return (
    <>
      <PageHeader
        title={t('backOffice.effects.title')}
        subtitle={t('backOffice.effects.subtitle')}
        className="mb-6"
      />
      <Tabs
        label={t('backOffice.effects.lists')}
        value={tab}
        onChange={(next) =>
          setAddress(next === 'given_up' ? {} : { tab: next }, { preventScrollReset: true })
        }
        tabs={EFFECT_LISTS.map((value) => ({
          value,
          label: t(`backOffice.effects.tab.${value}`),
          content: <List list={value} />,
        }))}
      />
    </>
  )
}

function List({ list }: { list: EffectList }) {
  const { t } = useTranslation()
  const effects = useInfiniteQuery(effectsQuery(list))
  if (effects.isPending) return <Skeleton className="h-64 w-full rounded-lg" />
  if (!effects.data) return <ErrorState error={effects.error} onRetry={() => effects.refetch()} />
  if (effects.data.length === 0)
    return <EmptyState icon={CircleCheck} title={t(`backOffice.effects.none.${list}`)} />
  return (
    <ListPages pages={effects} count={effectCountQuery(list)}>
      {effects.data.map((effect) => (
        <EffectRow key={effect.id} effect={effect} />
      ))}
    </ListPages>
  )
}

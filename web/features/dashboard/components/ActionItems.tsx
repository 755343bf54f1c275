// What waits for this person, first on the dashboard.
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { actionItemsQuery } from '../../../lib/queries/actionItems.ts'
import { type Role, useUserId } from '../../../lib/session.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { ActionItemList } from '../ActionItemList.tsx'

export function ActionItems({ role }: { role: Role | null | undefined }) {
  const { t } = useTranslation()
  const items = useQuery(actionItemsQuery(useUserId(), role))
  return (
    <section aria-labelledby="needs-you" aria-busy={items.isPending} className="mb-8 sm:mb-10">
      <h2 id="needs-you" className="mb-3 text-2xl sm:mb-4">
        {t('actionItems.title')}
      </h2>
      {items.isPending ? (
        <Skeleton className="h-52 rounded-lg sm:h-48" />
      ) : items.isLoadingError ? (
        <ErrorState onRetry={items.refetch} />
      ) : items.data.length === 0 ? (
        <p className="rounded-lg border border-dashed border-line-strong/60 px-5 py-4 text-ink-soft">
          {t('actionItems.none')}
        </p>
      ) : (
        <ActionItemList items={items.data} />
      )}
    </section>
  )
}

// The person's pending items, first on the dashboard: others' decisions and their own draft.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { actionItemsQuery, onActiveSide } from '../../../lib/queries/actionItems.ts'
import { type Roles, useUserId } from '../../../lib/session.tsx'
import { unpostedTask } from '../../../lib/taskBeforeSignUp.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { ActionItemList } from '../ActionItemList.tsx'
import { UnpostedTask } from './UnpostedTask.tsx'

export function ActionItems({ roles }: { roles: Roles }) {
  const { t } = useTranslation()
  const userId = useUserId()
  const items = useQuery(actionItemsQuery(userId, roles))
  const [ownDraft] = useState(() => unpostedTask(userId))
  const draft = roles.active === 'task_giver' ? ownDraft : null
  const shown = items.data && onActiveSide(items.data, roles)
  const others = roles.held.flatMap((role) => {
    const waiting = items.data?.filter((item) => item.side === role && !shown?.includes(item)) ?? []
    return waiting.length > 0 ? [{ role, waiting }] : []
  })
  return (
    <section aria-labelledby="needs-you" aria-busy={items.isPending} className="mb-8 sm:mb-10">
      <h2 id="needs-you" className="mb-3 text-2xl sm:mb-4">
        {t('actionItems.title')}
      </h2>
      {items.isPending ? (
        <Skeleton className="h-52 rounded-lg sm:h-48" />
      ) : items.isLoadingError ? (
        <ErrorState onRetry={items.refetch} />
      ) : shown?.length === 0 ? (
        !draft && (
          <p className="rounded-lg border border-dashed border-line-strong/60 px-5 py-4 text-ink-soft">
            {t('actionItems.none')}
          </p>
        )
      ) : (
        <ActionItemList items={shown ?? []} />
      )}
      {draft && !items.isPending && (
        <div className={shown?.length === 0 ? undefined : 'mt-4'}>
          <UnpostedTask title={draft} />
        </div>
      )}
      {others.map(({ role, waiting }) => (
        <div key={role} className="mt-6">
          <h3 className="mb-3 text-lg">{t(`layout.side.on.${role}`)}</h3>
          <ActionItemList items={waiting} level={4} />
        </div>
      ))}
    </section>
  )
}

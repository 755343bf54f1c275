// /find-taskers: verified taskers, searched by name, skills or bio (spec 000 §2 'Find taskers').
import { Search, UserSearch } from 'lucide-react'
import { useDeferredValue, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Input } from '../../ui/Input.tsx'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { matches, useTaskers } from './api.ts'
import { TaskerCard } from './TaskerCard.tsx'

export default function FindTaskersPage() {
  const { t } = useTranslation()
  const taskers = useTaskers()
  const [text, setText] = useState('')
  const search = useDeferredValue(text)
  const { isError } = taskers
  useEffect(() => {
    if (isError) toast.error(t('taskers.failed'))
  }, [isError, t])

  const found = taskers.data?.filter((tasker) => matches(tasker, search))
  return (
    <Page>
      <PageHeader title={t('taskers.title')} subtitle={t('taskers.lead')} />
      <search className="relative mb-8 block max-w-xl">
        <Search
          aria-hidden
          className="pointer-events-none absolute start-3.5 top-1/2 size-5 -translate-y-1/2 text-ink-faint"
        />
        <Input
          type="search"
          aria-label={t('taskers.search')}
          placeholder={t('taskers.search')}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="h-12 ps-11"
        />
      </search>
      {taskers.isPending && <Spinner label={t('ui.loading')} />}
      {isError && (
        <ErrorState
          title={t('taskers.failed')}
          error={taskers.error}
          onRetry={() => void taskers.refetch()}
        />
      )}
      {found && found.length === 0 && (
        <EmptyState
          icon={UserSearch}
          title={t('taskers.none')}
          body={search.trim() ? t('taskers.noneSearch') : t('taskers.noneYet')}
        />
      )}
      {found && found.length > 0 && (
        <>
          <p role="status" className="sr-only">
            {t('taskers.found', { count: found.length })}
          </p>
          <ul className="grid gap-5 sm:grid-cols-2 lg:grid-cols-3">
            {found.map((tasker) => (
              <li key={tasker.id}>
                <TaskerCard tasker={tasker} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Page>
  )
}

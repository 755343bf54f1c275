// /saved-searches: the searches that a person has saved, how each alerts them, and the tasks that match now.
import { useQuery } from '@tanstack/react-query'
import { BellRing, Search, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { limits } from '../../../shared/limits.ts'
import { paths } from '../../lib/paths.ts'
import { useUserId } from '../../lib/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { Select } from '../../ui/Select.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { useAction } from '../../ui/useAction.ts'
import {
  type Pace,
  removeSearch,
  type SavedSearch,
  savedSearchesQuery,
  searchPath,
  setPace,
} from './api/savedSearches.ts'
import { SearchSummary, useSearchText } from './components/SearchSummary.tsx'

export default function SavedSearchesPage() {
  const { t } = useTranslation()
  const saved = useQuery(savedSearchesQuery(useUserId()))
  return (
    <Page width="narrow">
      <PageHeader
        title={t('savedSearches.title')}
        subtitle={t('savedSearches.limits', { alerts: limits.alertsPerDay, searches: limits.savedSearches })}
      />
      {saved.isPending ? (
        <Spinner label={t('ui.loading')} />
      ) : saved.isLoadingError ? (
        <ErrorState error={saved.error} onRetry={() => saved.refetch()} />
      ) : saved.data?.length === 0 ? (
        <EmptyState
          icon={BellRing}
          title={t('savedSearches.none')}
          body={t('savedSearches.noneBody')}
          action={
            <Button asChild>
              <Link to={paths.browse}>{t('savedSearches.browse')}</Link>
            </Button>
          }
        />
      ) : (
        <ul className="flex flex-col gap-3">
          {saved.data?.map((search) => (
            <li key={search.id}>
              <SearchCard search={search} />
            </li>
          ))}
        </ul>
      )}
    </Page>
  )
}

function SearchCard({ search }: { search: SavedSearch }) {
  const { t } = useTranslation()
  const name = useSearchText(search, search.place_name)
  const pace = useAction(setPace(search.id), { onError: t('savedSearches.failed') })
  const remove = useAction(removeSearch(search.id), { onError: t('savedSearches.failed') })
  return (
    <Card className="flex flex-col gap-3 p-4">
      <SearchSummary search={search} place={search.place_name} />
      <div className="flex items-center gap-2">
        <Select
          className="min-w-0 flex-1"
          aria-label={t('savedSearches.paceOf', { search: name })}
          value={pace.isPending ? pace.variables : search.pace}
          onChange={(event) => pace.mutate(event.target.value as Pace)}
        >
          <option value="at_once">{t('savedSearches.atOnce')}</option>
          <option value="daily">{t('savedSearches.daily')}</option>
        </Select>
        <Button asChild variant="secondary" className="max-sm:size-11 max-sm:px-0">
          <Link to={searchPath(search)}>
            <Search aria-hidden />
            <span className="max-sm:sr-only">{t('savedSearches.show')}</span>
          </Link>
        </Button>
        <Button
          variant="ghost"
          size="icon"
          aria-label={t('savedSearches.remove', { search: name })}
          loading={remove.isPending}
          onClick={() => remove.mutate()}
        >
          <Trash2 aria-hidden />
        </Button>
      </div>
    </Card>
  )
}

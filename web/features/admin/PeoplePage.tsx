// /admin/people: everyone with an account, found by name, e-mail address or phone number; the address holds what is looked for.
import { useInfiniteQuery } from '@tanstack/react-query'
import { UsersRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { formatDate } from '../../lib/format.ts'
import { adminPersonPath } from '../../lib/paths.ts'
import { useDebounced } from '../../lib/useDebounced.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { PageHeader } from '../../ui/Page.tsx'
import { PhoneText } from '../../ui/PhoneText.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Select } from '../../ui/Select.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { directoryCountQuery, directoryQuery, FILTERS, type FoundPerson } from './api/directory.ts'
import { ListPages } from './components/ListPages.tsx'
import { TYPING_DELAY_MS } from './components/People.tsx'
import { PersonBadges } from './components/PersonBadges.tsx'

export default function PeoplePage() {
  const { t } = useTranslation()
  const [address, setAddress] = useSearchParams()
  const filter = FILTERS.find((known) => known === address.get('filter')) ?? 'everyone'
  const [text, setText] = useState(address.get('search') ?? '')
  const search = useDebounced(text.trim(), TYPING_DELAY_MS)
  const people = useInfiniteQuery(directoryQuery(search, filter))
  const found = people.data
  // The search is part of the address, so Back from a person leads to the same list.
  useEffect(() => {
    setAddress(
      { ...(search && { search }), ...(filter !== 'everyone' && { filter }) },
      { replace: true, preventScrollReset: true },
    )
  }, [search, filter, setAddress])
  return (
    <>
      <PageHeader
        title={t('backOffice.people.title')}
        subtitle={t('backOffice.people.subtitle')}
        className="mb-6"
      />
      <div className="flex flex-wrap gap-x-4">
        <div className="min-w-0 flex-[1_1_18rem]">
          <SearchField label={t('backOffice.people.search')} text={text} onType={setText} />
        </div>
        <Select
          aria-label={t('backOffice.people.filter')}
          value={filter}
          onChange={(event) =>
            setAddress({ ...(search && { search }), filter: event.target.value }, { replace: true })
          }
          className="mb-5 min-w-48 max-sm:w-full"
        >
          {FILTERS.map((one) => (
            <option key={one} value={one}>
              {t(`backOffice.people.filters.${one}`)}
            </option>
          ))}
        </Select>
      </div>
      {people.isPending && <Skeleton className="h-80 w-full rounded-lg" />}
      {people.isError && !found && <ErrorState error={people.error} onRetry={() => people.refetch()} />}
      {found?.length === 0 && (
        <EmptyState icon={UsersRound} title={t(search ? 'admin.noneFound' : 'backOffice.people.none')} />
      )}
      {found && found.length > 0 && (
        <ListPages pages={people} count={directoryCountQuery(search, filter)}>
          {found.map((person) => (
            <Row key={person.id} person={person} />
          ))}
        </ListPages>
      )}
    </>
  )
}

function Row({ person }: { person: FoundPerson }) {
  const { t } = useTranslation()
  return (
    <li className="relative flex items-center gap-4 px-4 py-3 hover:bg-sunken/50 sm:px-5 lg:py-2">
      <Avatar name={person.full_name} src={person.avatar_url} size="sm" />
      <div className="min-w-0 flex-1 items-center gap-x-4 lg:grid lg:grid-cols-[minmax(0,1fr)_minmax(0,1.1fr)]">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Link
            to={adminPersonPath(person.id)}
            className="font-semibold wrap-anywhere after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-sky"
          >
            <bdi>{person.full_name || t('admin.unnamed')}</bdi>
          </Link>
          <PersonBadges person={person} />
        </p>
        {/* Where there is room, a column each. */}
        <p className="flex flex-wrap items-center gap-x-4 text-sm text-ink-soft lg:grid lg:grid-cols-[minmax(0,1fr)_8rem_10rem]">
          <span className="wrap-anywhere">{person.email}</span>
          <span className="max-lg:empty:hidden">{person.phone && <PhoneText phone={person.phone} />}</span>
          <span>{t('admin.joined', { date: formatDate(person.created_at) })}</span>
        </p>
      </div>
    </li>
  )
}

// The people of the admin's page, and the dialog about one.
import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query'
import { UsersRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useUserId } from '../../../lib/session.tsx'
import { useDebounced } from '../../../lib/useDebounced.ts'
import { SearchField } from '../../../ui/SearchField.tsx'
import { Spinner } from '../../../ui/Spinner.tsx'
import { EmptyState, ErrorState } from '../../../ui/States.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import type { CountQuery } from '../api/counts.ts'
import { type Person, peopleCountQuery, peopleQuery } from '../api/people.ts'
import { ListPages } from './ListPages.tsx'
import { PersonRow } from './PersonRow.tsx'
import { VerifyDialog } from './VerifyDialog.tsx'

export const TYPING_DELAY_MS = 300

type PeopleProps = { text: string; onType: (text: string) => void }

export function Everyone({ text, onType }: PeopleProps) {
  const { t } = useTranslation()
  const search = useDebounced(text.trim(), TYPING_DELAY_MS)
  const people = useInfiniteQuery(peopleQuery(search))
  const count = peopleCountQuery(search)
  return <List people={people} count={count} nobody={t('admin.nobody')} text={text} onType={onType} />
}

type ListProps = PeopleProps & { people: UseInfiniteQueryResult<Person[]>; count: CountQuery; nobody: string }

function List({ people, count, nobody, text, onType }: ListProps) {
  const { t } = useTranslation()
  const userId = useUserId()
  const [chosen, setChosen] = useState<Person>()
  const { data: found, isError } = people
  useEffect(() => {
    if (isError) toast.error(t('admin.error'), { id: 'profiles', description: t('admin.loadFailed') })
  }, [isError, t])

  return (
    <>
      <SearchField label={t('admin.search')} text={text} onType={onType} />
      {people.isPending && <Spinner label={t('ui.loading')} />}
      {isError && !found && <ErrorState onRetry={() => people.refetch()} />}
      {found?.length === 0 && (
        <EmptyState icon={UsersRound} title={text.trim() ? t('admin.noneFound') : nobody} />
      )}
      {found && found.length > 0 && (
        <ListPages pages={people} count={count}>
          {found.map((person) => (
            <PersonRow
              key={person.id}
              person={person}
              own={person.id === userId}
              onChoose={() => setChosen(person)}
            />
          ))}
        </ListPages>
      )}
      {chosen && <VerifyDialog person={chosen} onClose={() => setChosen(undefined)} />}
    </>
  )
}

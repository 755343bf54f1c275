// Places by their name or id, as public.places has them.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { supabase } from '../supabase.ts'

const COLUMNS = 'id,name,kind,city,latitude,longitude'

export type Place = Awaited<ReturnType<typeof findPlaces>>[number]

/** `Saskatoon`, or `Nutana, Saskatoon` for a neighbourhood. */
export const placeLabel = ({ name, city }: Pick<Place, 'name' | 'city'>) => (city ? `${name}, ${city}` : name)

const SHORTEST_TERM = 2
const MOST_FOUND = 6

/** Places whose name begins like that or sounds alike, or that have this postal code; asked from two characters on. */
export const placeSearchQuery = (term: string) =>
  queryOptions({
    queryKey: ['places', 'search', term],
    enabled: term.length >= SHORTEST_TERM,
    queryFn: ({ signal }) => findPlaces(term, signal),
    placeholderData: keepPreviousData,
  })

/** The place with this id; null for none. */
export const placeQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ['places', 'one', id],
    enabled: id !== undefined,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('places')
        .select(COLUMNS)
        .eq('id', id ?? '')
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data
    },
  })

async function findPlaces(term: string, signal: AbortSignal) {
  const { data } = await supabase
    .rpc('search_places', { term, max_results: MOST_FOUND })
    .select(COLUMNS)
    .abortSignal(signal)
    .throwOnError()
  return data
}

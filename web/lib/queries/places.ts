// Places by their id, by a text that names one, and those whose name, sound or postal code fits what a person types.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { supabase } from '../supabase.ts'

const COLUMNS = 'id,name,kind,city,latitude,longitude'

export const PLACE_TERM_MIN_LENGTH = 2
const MAX_PLACES = 8
/** The most that the database returns, so that enough are left without neighbourhoods. */
const MAX_WITH_NEIGHBOURHOODS = 20
const MUNICIPALITY_KINDS = ['city', 'town', 'village'] as const

export type Place = Awaited<ReturnType<typeof findPlaces>>[number]

/** The place as fields hold it: 'Saskatoon', or 'Nutana, Saskatoon' for a neighbourhood. */
export const placeLabel = ({ name, city }: Pick<Place, 'name' | 'city'>) => (city ? `${name}, ${city}` : name)

/** The kind of a municipality; undefined for a neighbourhood. */
export const municipalityKind = (place: Pick<Place, 'kind'>) =>
  MUNICIPALITY_KINDS.find((kind) => kind === place.kind)

/** The best matches first, asked from two characters on. */
export const placesQuery = (term: string, onlyMunicipalities: boolean) =>
  queryOptions({
    queryKey: ['places', 'search', term, onlyMunicipalities],
    enabled: term.length >= PLACE_TERM_MIN_LENGTH,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const places = await findPlaces(term, onlyMunicipalities ? MAX_WITH_NEIGHBOURHOODS : MAX_PLACES, signal)
      return places.filter((place) => !onlyMunicipalities || municipalityKind(place)).slice(0, MAX_PLACES)
    },
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

/** The place that a text names, as the database matches it; null for none. */
export const namedPlaceQuery = (location: string) =>
  queryOptions({
    queryKey: ['places', 'named', location],
    enabled: location !== '',
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .rpc('find_place', { location })
        .select(COLUMNS)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data
    },
  })

async function findPlaces(term: string, maxResults: number, signal: AbortSignal) {
  const { data } = await supabase
    .rpc('search_places', { term, max_results: maxResults })
    .select(COLUMNS)
    .abortSignal(signal)
    .throwOnError()
  return data
}

// Places whose name, sound or postal code fits what a person types, for fields that ask where something is.
import type { QueryData } from '@supabase/supabase-js'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { supabase } from '../supabase.ts'

export const PLACE_TERM_MIN_LENGTH = 2
const MAX_PLACES = 8
/** The most that the database returns, so that enough are left without neighbourhoods. */
const MAX_WITH_NEIGHBOURHOODS = 20

const searchPlaces = (term: string, maxResults: number) =>
  supabase.rpc('search_places', { term, max_results: maxResults }).select('id, name, kind, city')

export type Place = QueryData<ReturnType<typeof searchPlaces>>[number]

/** The place as fields hold it: 'Saskatoon', or 'Nutana, Saskatoon' for a neighbourhood. */
export const placeLabel = ({ name, city }: Pick<Place, 'name' | 'city'>) => (city ? `${name}, ${city}` : name)

/** The best matches first. A failure gives no suggestions and no message: the text is free. */
export const placesQuery = (term: string, onlyMunicipalities: boolean) =>
  queryOptions({
    queryKey: ['places', term, onlyMunicipalities],
    enabled: term.length >= PLACE_TERM_MIN_LENGTH,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const { data } = await searchPlaces(term, onlyMunicipalities ? MAX_WITH_NEIGHBOURHOODS : MAX_PLACES)
        .abortSignal(signal)
        .throwOnError()
      return data.filter(({ kind }) => !onlyMunicipalities || kind !== 'neighbourhood').slice(0, MAX_PLACES)
    },
  })

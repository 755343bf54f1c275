// The places of the marketplace as facts (docs/places.md). Loaded with a map, and where a position is checked.
import type { Position } from '../../shared/distances.ts'
import data from '../../supabase/places.json'

type KnownPlace = Position & {
  name: string
  kind: string
  population?: number
}

export const places: readonly KnownPlace[] = data.places

// The clocks of places. A task's times are those of its place: most have the marketplace's clock, few another one.
import { clock, province } from '../marketplace.config.ts'
import places from './placeClocks.json' with { type: 'json' }
import { searchText } from './searchText.ts'

/** The clock of a task's place, as IANA names it; the marketplace's for a place without another, and for none. */
export const clockOf = ({ place_id: id }: { place_id?: string | null }): string =>
  places.find((place) => place.id === id)?.timeZone ?? clock.timeZone

const NAMES = places.map((place) => ({ ...place, words: ` ${wordsOf(place.name)}` }))
const PROVINCE = [province.code, province.names.en.name].map(wordsOf).join('|')
const ENDING = new RegExp(`( (${PROVINCE}|[a-z]\\d[a-z]( ?\\d[a-z]\\d)?))+$`)

/** The clock of the place that a text ends with, such as '12 Main St, Lloydminster, SK'. The database finds the place more thoroughly. */
export const clockOfLocation = (location: string): string => clockOf({ place_id: placeWithClock(location) })

/** The id of that place if it has another clock than the marketplace's; null for any other. */
export function placeWithClock(location: string): string | null {
  const text = location
    .split(/[,;:/()\n]/)
    .map((part) => ` ${wordsOf(part)}`.replace(ENDING, ''))
    .findLast((part) => part.trim() !== '')
  return NAMES.find(({ words }) => text?.endsWith(words))?.id ?? null
}

/** Letters and figures, one space between words. */
function wordsOf(text: string): string {
  return searchText(text)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

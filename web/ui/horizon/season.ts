// Which of the place's four seasons a day belongs to.
import { seasons } from '../../../marketplace.config.ts'

export type Season = keyof typeof seasons

const latestFirst = (Object.keys(seasons) as Season[]).sort((a, b) => seasons[b] - seasons[a])

/** The season that began last; early in the year the last one of the year before. */
export function seasonOf(date: Date): Season | undefined {
  const month = date.getMonth() + 1
  return latestFirst.find((season) => seasons[season] <= month) ?? latestFirst[0]
}

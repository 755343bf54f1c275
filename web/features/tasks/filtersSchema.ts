// The form of filters: the rules of the address (browsing.ts), as forms ask them.
import { z } from '../../lib/zod.ts'
import { tidied, wrongFilter } from './browsing.ts'

const typed = z.string()

export const filtersSchema = z
  .object({ place: typed, min: typed, max: typed, from: typed, to: typed })
  .overwrite(tidied)
  .check(({ value, issues }) => {
    const wrong = wrongFilter(value)
    if (wrong) issues.push({ code: 'custom', path: [wrong.field], message: wrong.text, input: value })
  })

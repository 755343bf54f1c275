// The parts of a review: stars, and an optional line. The rules repeat the database's, with the same words.

import { limits } from '../../../shared/limits.ts'
import { trimmed } from '../../../shared/text.ts'
import type { TextKey } from '../../i18n/index.ts'
import { z } from '../../lib/zod.ts'

const CHOOSE: TextKey = 'reviews.chooseStars'
const TOO_LONG: TextKey = 'reviews.commentTooLong'

/** Characters as the database counts them. */
export const characters = (text: string) => [...text].length

export const reviewSchema = z.object({
  rating: z
    .string()
    .nullable()
    .transform(Number)
    .refine((stars) => stars >= limits.reviewStars.min && stars <= limits.reviewStars.max, CHOOSE),
  comment: z
    .string()
    .overwrite(trimmed)
    .refine((text) => characters(text) <= limits.reviewComment.max, TOO_LONG),
})

export type ReviewText = z.output<typeof reviewSchema>

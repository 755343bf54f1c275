// The rules of what the two sides write about a complaint (specification 000 §9); messages are text keys.

import { limits } from '../../../shared/limits.ts'
import { trimmed, visibleLength } from '../../../shared/text.ts'
import type { TextKey } from '../../i18n/index.ts'
import { z } from '../../lib/zod.ts'

/** A complaint's reason, or its answer. */
export const complaintText = (tooShort: TextKey, tooLong: TextKey) =>
  z
    .string()
    .overwrite(trimmed)
    .refine((text) => visibleLength(text) >= limits.complaint.min, tooShort)
    .refine((text) => [...text].length <= limits.complaint.max, tooLong)

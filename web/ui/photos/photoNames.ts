// Names of photos in a form's value: those that are uploaded, and those that are waited for.

import { limits } from '../../../shared/limits.ts'
import type { TextKey } from '../../i18n/index.ts'
import { z } from '../../lib/zod.ts'

/** The prefix of names of photos that are not uploaded yet. */
export const WAITED_FOR = 'waiting:'
export const isWaitedFor = (entry: string) => entry.startsWith(WAITED_FOR)

const WAIT: TextKey = 'ui.photosWait'

/** The rule of a form's photos: all of them are uploaded. */
export const photoNames = z
  .array(z.string())
  .max(limits.photos.count)
  .refine((names) => !names.some(isWaitedFor), WAIT)

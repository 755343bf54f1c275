// One full stop where a name that ends with its own ends a sentence: 'It goes to Theo K.', not 'to Theo K..'.
import type { PostProcessorModule } from 'i18next'

/** The sign that closes a name written in the other direction (shared/bidi.ts) may be between the two. */
const TWO_STOPS = /([^.])\.(\u2069?)\.(?=[^.]|$)/g

export const oneFullStop: PostProcessorModule = {
  type: 'postProcessor',
  name: 'oneFullStop',
  process: (text: string) => text.replace(TWO_STOPS, '$1.$2'),
}

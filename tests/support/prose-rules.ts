// The turns of phrase that tests/prose.test.ts finds, each with a plain way to say it.

type Phrase = { pattern: RegExp; instead: string }

/** In one sentence; inline code does not count. */
export const MOST_WORDS = 35

/** A sentence that begins so is a question, or it lacks its noun. */
export const OPENER = /\b(?:Who|What|Whose|Where nobody)\b/

export const PHRASES: Phrase[] = [
  {
    pattern: /\b(?:am|is|are|was|were|be|been|being) told\b(?! apart)/i,
    instead: 'notify, report or show, with the actor',
  },
  { pattern: /\b(?:hears?|heard) of\b/i, instead: 'is notified about, or receives' },
  { pattern: /\b(?:says?|tells?) of\b/i, instead: 'reports, shows or describes' },
  { pattern: /\bof (?:its|their|his|her|our|my|one's) own\b/i, instead: 'its own, separate or dedicated' },
  {
    pattern: /\b(?:stands?|stood) (?:in(?! for)|on|at|above|below|between|first|last|there|here)\b/i,
    instead: 'is, is written or is stored',
  },
  {
    pattern: /\b(?:how|where) (?:[\w’']+ ){1,4}stands?(?![-\w])/i,
    instead: 'the state or the place of the noun',
  },
  { pattern: /\b(?:for|to|from) who\b/i, instead: 'people who, or the noun' },
  { pattern: /\bwhat (?:is|was) (?:no|none)\b/i, instead: 'anything else, or an invalid one' },
  { pattern: /\bbesides?\b/i, instead: 'next to, in addition to, or compared with' },
  { pattern: /\b(?:keep|keeps|kept) what\b/i, instead: 'retain or store, with the noun' },
  { pattern: /\b(?:has|have|had) room\b/i, instead: 'fit' },
  { pattern: /\bthat which\b/i, instead: 'the noun' },
  { pattern: /\btaken away\b/i, instead: 'remove or delete, with the actor' },
  {
    pattern: /\b(?:nobody|nothing|none) (?:does|did|has|had|is|was|can|will|may) not\b/i,
    instead: 'one negation',
  },
]

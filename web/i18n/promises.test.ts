// No text promises that taskers were checked before they take a job: anyone may apply (see docs/specification.md).
import { expect, test } from 'vitest'
import { english } from './en/index.ts'

/** Statements that would be untrue. */
const UNTRUE = [
  /\b(all|every|each|only)( of)?( our)? (tasker|professional|helper)s?\b[^.]*\b(verified|checked|vetted|screened|ID)\b/i,
  /\b(only|always) (verified|checked|vetted)\b/i,
  /\b(tasker|professional|they)s?\b[^.]*\b(show|hand in|prove)\b[^.]*\bbefore (they|you|taking|a job|any)\b/i,
  /\bbackground[- ]checks? (for|of) (all|every)/i,
  /\b(fully|completely) insured\b/i,
  /\b(our insurance|all tasks are (covered|insured))\b/i,
  /\bsomebody answers\b/i,
  /\bfind each other first\b/i,
  /\bhas checked who they are\b/i,
]

function texts(value: unknown, path: string): [string, string][] {
  if (typeof value === 'string') return [[path, value]]
  return Object.entries(value as object).flatMap(([key, inner]) => texts(inner, `${path}.${key}`))
}

const untrue = (all: [string, string][]) => all.filter(([, text]) => UNTRUE.some((words) => words.test(text)))

test('no text promises what the product does not do', () => {
  const all = texts(english, '')
  expect(all.length).toBeGreaterThan(500)
  expect(untrue(all)).toEqual([])
})

test('the rule sees the promises it is there for', () => {
  const promises = [
    'Every tasker is verified.',
    'All our taskers are vetted by us.',
    'Only verified people come to your home.',
    'Taskers show government ID before they take a job.',
    'Background checks for everyone',
    'You are fully insured.',
    'All tasks are covered, whatever happens.',
    'Our insurance covers all tasks.',
    'Frozen pipe at two in the morning? Somebody answers.',
    'The nearest jobs and the nearest hands find each other first.',
    'An administrator has checked who they are.',
  ]
  expect(untrue(promises.map((text) => ['', text]))).toHaveLength(promises.length)
})

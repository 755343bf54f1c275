// The selection of `npm test -- changed` for a change.
import { expect, it } from 'vitest'
import { repositoryRoot } from '../../plugins/repository.ts'
import { journeysOf, projectsInFull } from '../../scripts/changed.mjs'

const journeys = (...files: string[]) => journeysOf(repositoryRoot, files)

it('a schema file runs the tests of the database, of the protocols, and every journey', () => {
  const files = ['supabase/schemas/tasks.sql']
  expect([...projectsInFull(files)]).toEqual(['database', 'protocol'])
  expect(journeys(...files)).toBe('all')
})

it('a source of the server runs its own tests and those that speak with it', () => {
  expect([...projectsInFull(['packages/server/src/rest/app.ts'])]).toEqual([
    'server',
    'stripe-sandbox',
    'protocol',
  ])
})

it('a feature runs the journeys that name one of its addresses', () => {
  const found = journeys('web/features/receipts/ReceiptPage.tsx')
  expect(found).toContain('tests/e2e/receipts.spec.ts')
  expect(found).toContain('tests/e2e/accessibility.spec.ts')
  expect(found).not.toContain('tests/e2e/captcha.spec.ts')
})

it('a helper of journeys runs those that import it, and a document none', () => {
  expect(journeys('tests/e2e/wizard.ts')).toContain('tests/e2e/verification.spec.ts')
  expect(journeys('tests/e2e/wizard.ts')).not.toContain('tests/e2e/landing.spec.ts')
  expect(journeys('docs/architecture.md')).toEqual([])
  expect([...projectsInFull(['docs/architecture.md'])]).toEqual([])
})

it('the design system runs every journey', () => {
  expect(journeys('web/ui/Button.tsx')).toBe('all')
})

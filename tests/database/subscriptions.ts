// Subscribing browsers to pushes in a test database.
import { newBrowser } from '../support/browser.ts'
import type { TestDatabase } from '../support/database.ts'
import { as, type Persona } from './personas.ts'

/** Subscribes a new browser of that person, or this one. */
export async function subscribe(db: TestDatabase, person: Persona, browser = newBrowser()) {
  const { endpoint, p256dh, auth_secret } = browser
  await as(db, person)('select public.save_push_subscription($1, $2, $3)', [endpoint, p256dh, auth_secret])
  return browser
}

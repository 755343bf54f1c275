// Reads a person's new notifications, oldest first, and checks that no placeholder is left in them.
import { expect } from 'vitest'
import type { TestDatabase } from '../support/database.ts'
import { as } from './personas.ts'

/** The bell of a database with the cast. `seen` collects the keys of all notifications that were read. */
export function bellOf(db: TestDatabase) {
  const seen = new Set<string>()

  /** The person's unread notifications, oldest first; reading them marks them as read. */
  async function heard(person: string) {
    const { rows } = await as(
      db,
      person,
    )(
      'select id, key, title, message, link, params from public.notifications where not read order by created_at, key',
    )
    await as(db, person)('update public.notifications set read = true where not read')
    for (const { key, title, message, link, params } of rows) {
      seen.add(key)
      expect(title).not.toMatch(/[{}]/)
      expect(message).not.toMatch(/[{}]/)
      expect(link).toMatch(/^\/(bookings|profile|dashboard|verification|admin)/)
      expect(Object.values(params)).not.toContain(null)
    }
    return rows as {
      key: string
      title: string
      message: string
      link: string
      params: Record<string, unknown>
    }[]
  }
  const messages = async (person: string) => (await heard(person)).map((row) => row.message)
  const keys = async (person: string) => (await heard(person)).map((row) => row.key)
  const nothingNew = () => Promise.all(['grace', 'theo', 'ada'].map(heard))
  return { heard, messages, keys, nothingNew, seen }
}

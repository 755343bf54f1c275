// npm run migrations:hash: adds the hashes of new migrations to supabase/migrations.sha256, in the format of
// sha256sum. Existing hashes stay: a migration is never edited, and tests/unit/migrations.test.ts compares them.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../supabase/migrations/', import.meta.url))
const list = fileURLToPath(new URL('../supabase/migrations.sha256', import.meta.url))
const known = existsSync(list) ? readFileSync(list, 'utf8').split('\n').filter(Boolean) : []
const names = new Set(known.map((line) => line.split('  ')[1]))
const added = readdirSync(folder)
  .filter((name) => name.endsWith('.sql') && !names.has(name))
  .sort()
  .map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(folder + name))
        .digest('hex')}  ${name}`,
  )
const byName = (a, b) => (a.split('  ')[1] < b.split('  ')[1] ? -1 : 1)
writeFileSync(list, `${[...known, ...added].sort(byName).join('\n')}\n`)

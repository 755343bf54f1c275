// What is looked at in a database that was restored or upgraded, and how it is told.

/** What has to be 0, by what it is; a project without these tables has no such check. */
export const CHECKS = {
  'payments whose ledger does not add up': `select count(*) from
    (select payment_id from public.ledger_entries group by payment_id having sum(amount) <> 0) unbalanced`,
}

/**
 * Prints the rows of each table that has any, and answers how many there are in all and what is wrong.
 * @param {{ rows: Record<string, number>, missing: string[], checks: Record<string, number> }} findings
 */
export function findingsOf({ rows, missing, checks }) {
  const counted = Object.entries(rows).filter(([, count]) => count > 0)
  for (const [table, count] of counted) process.stdout.write(`  ${table}: ${count}\n`)
  return {
    total: counted.reduce((sum, [, count]) => sum + count, 0),
    faults: [
      ...missing.map((name) => `stored object without its file, or with another one: ${name}`),
      ...Object.entries(checks).flatMap(([name, count]) => (count === 0 ? [] : `${name}: ${count}`)),
    ],
  }
}

// Prints what was found in a database that was restored or upgraded.
import type { Findings } from '../backup/inspect.ts'

/** Prints the rows of each table that has any, and answers their number in all and the faults. */
export function printFindings({ rows, missing, checks }: Findings): { total: number; faults: string[] } {
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

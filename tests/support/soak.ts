// How much an endurance test does: little in the gate, much in `npm run test:soak`, which runs every file that asks here.

/** True in `npm run test:soak`. */
export const isSoak = process.env.SOAK === 'true'

/**
 * True where databases belong to an account that is no superuser, on Debian's PostgreSQL (plain-owner.ts):
 * `PLAIN_OWNER=true npx vitest run --project protocol`.
 */
export const isPlainOwner = process.env.PLAIN_OWNER === 'true'

/** The number of rounds, clients or requests of a test: `gate` in `npm test`, `soak` in `npm run test:soak`. */
export function amount({ gate, soak }: { gate: number; soak: number }): number {
  return isSoak ? soak : gate
}

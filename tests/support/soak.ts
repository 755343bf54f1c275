// How much an endurance test does: little in the gate, much in `npm run test:soak`, which runs every file that asks here.

/** True in `npm run test:soak`. */
export const isSoak = process.env.SOAK === 'true'

/** True where the tests' databases belong to an account that is no superuser (plain-owner.ts): `npm run test:soak -- plain-owner`. */
export const isPlainOwner = process.env.PLAIN_OWNER === 'true'

/** The folder with the `initdb` and `postgres` that the tests' databases are of; undefined for the embedded ones. */
export const POSTGRES_BIN = process.env.POSTGRES_BIN || undefined

/** The number of rounds, clients or requests of a test: `gate` in `npm test`, `soak` in `npm run test:soak`. */
export function amount({ gate, soak }: { gate: number; soak: number }): number {
  return isSoak ? soak : gate
}

// How much an endurance test does: little in the gate, much in `npm run test:soak`, which runs every file that asks here.

/** True in `npm run test:soak`. */
export const isSoak = process.env.SOAK === 'true'

/** The number of rounds, clients or requests of a test: `gate` in `npm test`, `soak` in `npm run test:soak`. */
export function amount({ gate, soak }: { gate: number; soak: number }): number {
  return isSoak ? soak : gate
}

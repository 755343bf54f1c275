// The field `ban_duration` of administrators: a duration as Go writes it (https://pkg.go.dev/time#ParseDuration).
import { invalid } from '../errors.ts'

const UNIT_MS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

/** A thousand years: longer bans would exceed the range of dates. */
const MAX_BAN_MS = 1000 * 365 * 24 * 3_600_000

/** Until when a ban of this duration ("24h", "1h30m") lasts; null lifts it, undefined leaves it. */
export function readBan(duration: string): Date | null | undefined {
  if (duration === '') return undefined
  if (duration === 'none') return null
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== duration) {
    throw invalid(`invalid format for ban duration: time: invalid duration ${JSON.stringify(duration)}`)
  }
  const lengthMs = parts.reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (UNIT_MS[unit ?? 's'] ?? 0),
    0,
  )
  return lengthMs === 0 ? null : new Date(Date.now() + Math.min(lengthMs, MAX_BAN_MS))
}

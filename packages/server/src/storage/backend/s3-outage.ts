// Names in the log why S3 cannot be used: once for each cause, not once for each request, and once when it answers again.
import type pino from 'pino'

export interface OutageLog {
  failed(error: unknown): void
  answered(): void
}

type Place = { bucket: string; endpoint: string | null }
type Failure = Error & { code?: string; $metadata?: { httpStatusCode?: number } }

/** A cause that comes and goes is logged again after so many milliseconds. */
const REPEAT_AFTER_MS = 60_000

export function createOutageLog(log: pino.Logger, { bucket, endpoint }: Place): OutageLog {
  const place = { bucket, endpoint }
  const loggedAt = new Map<string, number>()
  let away = false
  return {
    failed(error) {
      const cause = causeOf(error as Failure)
      away = true
      const now = performance.now()
      if (now - (loggedAt.get(cause) ?? Number.NEGATIVE_INFINITY) < REPEAT_AFTER_MS) return
      loggedAt.set(cause, now)
      log.error({ ...place, cause }, `the bucket ${bucket} cannot be used: ${cause}`)
    },
    answered() {
      if (!away) return
      away = false
      log.info(place, `the bucket ${bucket} answers again`)
    },
  }
}

/** Such as `ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:9000`, or `403 AccessDenied: Access Denied`. */
function causeOf({ name, code, message, $metadata }: Failure): string {
  const status = $metadata?.httpStatusCode
  const what = status ? `${status} ${name}` : (code ?? name)
  return message && message !== what ? `${what}: ${message}` : what
}

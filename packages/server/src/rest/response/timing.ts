// How long the steps of a request took, for the header `Server-Timing`, where `server_timing_enabled` asks for it.
// Reference: PostgREST 14, "Server-Timing Header". Tokens are checked before the request comes here.

type Step = 'parse' | 'plan' | 'transaction' | 'response'

export type Timing = {
  /** Ends a step, which began where the one before it ended. */
  end(step: Step): void
  /** The header's value: durations in milliseconds. */
  header(): string
}

export function startTiming(): Timing {
  const steps: string[] = []
  let last = performance.now()
  return {
    end(step) {
      const now = performance.now()
      steps.push(`${step};dur=${(now - last).toFixed(1)}`)
      last = now
    },
    header: () => steps.join(', '),
  }
}

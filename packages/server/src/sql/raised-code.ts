// The code of an error that the application's own SQL raises: RAISE with a detail that is JSON, {"code": "task.pay_too_low",
// "params": {"min": 25}}, so that clients can translate its message.

export type RaisedCode = { code: string; params: Record<string, unknown> }

/** The code and parameters in the detail of PostgreSQL's error; null where the detail is something else. */
export function raisedCodeOf(error: unknown): RaisedCode | null {
  const { detail } = error as { detail?: unknown }
  if (typeof detail !== 'string' || !detail.startsWith('{')) return null
  try {
    const { code, params } = JSON.parse(detail)
    return typeof code === 'string'
      ? { code, params: params && typeof params === 'object' ? params : {} }
      : null
  } catch {
    return null
  }
}

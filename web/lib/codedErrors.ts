// The code of an error (docs/errors.md), whichever service answered it and however its client hands it over. By the shape of the
// errors, so that no client library has to be loaded.
import { type CodedError, codedError, errorInDetail } from '../../shared/errors.ts'

/** Codes of the marketplace have a family before the point, those of the services and of PostgreSQL have none. */
const isOurs = (code: unknown): code is string => typeof code === 'string' && code.includes('.')

/** The error's code and parameters; null where it has none of the marketplace. */
export function codedErrorOf(error: unknown): CodedError | null {
  if (!(error instanceof Error)) return null
  const { coded, details, code } = error as { coded?: unknown; details?: unknown; code?: unknown }
  // A function's refusal, PostgREST's detail, the auth service's error code.
  return codedError(coded) ?? errorInDetail(details) ?? (isOurs(code) ? { code, params: {} } : null)
}

/**
 * A refusal of the storage service, for its client, which hands on no more than a message and a code: the message is in the
 * reader's language already. The response itself where the service answered without a code.
 */
export async function translatedRefusal(
  response: Response,
  wordsOf: (error: CodedError) => string | undefined,
): Promise<Response> {
  const answer = await response
    .clone()
    .json()
    .catch(() => null)
  const error = codedError(answer)
  if (!error || !isOurs(error.code)) return response
  const { status, headers } = response
  return Response.json({ code: error.code, message: wordsOf(error) ?? answer.message }, { status, headers })
}

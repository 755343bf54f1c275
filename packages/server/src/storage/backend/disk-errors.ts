// Maps errors of a full disk to NoSpace.
import { type Backend, NoSpace, type Parts } from './backend.ts'

/** ENOSPC: the disk is full. EDQUOT: this account's part of it is. EFBIG: no larger file may be written. */
const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** NoSpace for an error of a full disk, or the same error. */
function spaceError(error: unknown): unknown {
  return FULL.includes((error as NodeJS.ErrnoException).code ?? '') ? new NoSpace(error) : error
}

/** The backend, whose methods that write throw NoSpace. */
export function withSpaceErrors(backend: Backend): Backend {
  const { parts } = backend
  return {
    ...backend,
    put: mapErrors(backend.put),
    copy: mapErrors(backend.copy),
    parts: {
      append: mapErrors(parts.append),
      finish: mapErrors(parts.finish.bind(parts)),
      abandon: parts.abandon,
    } satisfies Parts,
  }
}

function mapErrors<Given extends unknown[], Result>(
  work: (...given: Given) => Promise<Result>,
): (...given: Given) => Promise<Result> {
  return async (...given) => {
    try {
      return await work(...given)
    } catch (error) {
      throw spaceError(error)
    }
  }
}

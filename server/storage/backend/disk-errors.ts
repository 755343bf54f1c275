// A disk that takes no more, told apart from one that is broken.
import { type Backend, NoSpace, type Pieces } from './backend.ts'

/** ENOSPC: the disk is full. EDQUOT: this account's part of it is. EFBIG: no larger file may be written. */
const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** The same error, or NoSpace where it says that there is no room. */
export function spaceError(error: unknown): unknown {
  return FULL.includes((error as NodeJS.ErrnoException).code ?? '') ? new NoSpace(error) : error
}

/** The backend, whose methods that write throw NoSpace. */
export function tellingOfSpace(backend: Backend): Backend {
  const { pieces } = backend
  return {
    ...backend,
    put: telling(backend.put),
    copy: telling(backend.copy),
    pieces: {
      append: telling(pieces.append),
      finish: telling(pieces.finish.bind(pieces)),
      abandon: pieces.abandon,
    } satisfies Pieces,
  }
}

function telling<Given extends unknown[], Result>(
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

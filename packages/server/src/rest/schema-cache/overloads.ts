// The order of functions that share a name, as PostgREST keeps them and names them where it cannot choose.
import type { Routine } from './types.ts'

/** Fewer parameters first, then those without a description, then by descriptions, and by names and types. */
export function compareOverloads(a: Routine, b: Routine): number {
  return (
    a.parameters.length - b.parameters.length ||
    Number(a.description !== null) - Number(b.description !== null) ||
    compareLists([a.description ?? '', ...namesAndTypes(a)], [b.description ?? '', ...namesAndTypes(b)])
  )
}

function namesAndTypes({ parameters }: Routine): string[] {
  return parameters.flatMap(({ name, type }) => [name, type])
}

/** By code points, item by item; the lists are equally long. */
function compareLists(a: string[], b: string[]): number {
  for (const [at, text] of a.entries()) {
    const order = Buffer.compare(Buffer.from(text), Buffer.from(b[at] as string))
    if (order !== 0) return order
  }
  return 0
}

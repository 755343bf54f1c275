// Lists that are read page by page, by offset.

/** `getNextPageParam` of a list: the next page begins where the last one ended; a shorter one was the last. */
export const nextOffset = (size: number) => (last: unknown[], _pages: unknown[], offset: number) =>
  last.length < size ? undefined : offset + size

/** `select` of a list: all pages as one, with a row that moved to a later page meanwhile in it once. */
export function uniqueRows<Row extends { id: unknown }>({ pages }: { pages: Row[][] }): Row[] {
  return [...new Map(pages.flat().map((row) => [row.id, row])).values()]
}

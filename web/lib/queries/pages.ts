// Lists that are read page by page: each after the last row that was read (keyset), which costs the same on every page.

/** `select` of a list: all pages as one, with a row that moved to a later page meanwhile in it once. */
export function uniqueRows<Row extends { id: unknown }>({ pages }: { pages: Row[][] }): Row[] {
  return [...new Map(pages.flat().map((row) => [row.id, row])).values()]
}

/** `getNextPageParam` of a list by keyset: the last row of a full page; a shorter one was the last. */
export const nextKey =
  (size: number) =>
  <Row>(last: Row[]): Row | undefined =>
    last.length < size ? undefined : last.at(-1)

/** A value for `.or()`: the rows after this one, newest first by `created_at` and then by id. */
export const olderThan = ({ created_at: at, id }: { created_at: string; id: string }) =>
  `created_at.lt."${at}",and(created_at.eq."${at}",id.lt."${id}")`

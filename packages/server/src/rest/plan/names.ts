// Keys of the answer's JSON. Two values under one key, embeds included, are refused, because readers would silently
// get only one.
import { embeddedTwice, namedTwice } from '../errors/errors.ts'
import { nameOf, type ReadNode } from './types.ts'

/**
 * Throws 42712 for embeds of one name, as PostgreSQL refuses what PostgREST asks of it then, and PGRST100 for an
 * embed, or a column of a spread, that has the name of another column. Columns that `*` stands for are not counted:
 * of a column of `*` and an embed of its name clients read the embed, which comes behind it.
 */
export function requireDistinctNames(node: ReadNode): void {
  const embeds = new Set<string>()
  for (const child of node.children) {
    const name = nameOf(child)
    if (embeds.has(name)) throw embeddedTwice(`${child.relationship?.table.name}_${name}_${child.depth}`)
    embeds.add(name)
  }
  const taken = new Set(columnsOf(node))
  for (const child of node.children) {
    const given = child.spread ? namesOf(child) : isShown(child) ? [nameOf(child)] : []
    for (const name of given) if (taken.has(name)) throw namedTwice(name)
    for (const name of given) taken.add(name)
    requireDistinctNames(child)
  }
}

/** `clients()` shows nothing; it only filters. */
export function isShown(node: ReadNode): boolean {
  return node.select.length > 0 || node.children.some(isShown)
}

/** The keys that a spread embed adds to its parent. */
function namesOf(node: ReadNode): string[] {
  const below = node.children.flatMap((child) =>
    child.spread ? namesOf(child) : isShown(child) ? [nameOf(child)] : [],
  )
  return [...columnsOf(node), ...below]
}

function columnsOf({ select }: ReadNode): string[] {
  return select.flatMap(({ column, alias, aggregate }) => {
    const name = alias ?? aggregate ?? column.name
    return name === '*' ? [] : [name]
  })
}

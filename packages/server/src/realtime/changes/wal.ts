// Row changes out of the messages of the replication stream.
// https://www.postgresql.org/docs/18/protocol-logicalrep-message-formats.html
import type { Pgoutput } from 'pg-logical-replication'

type Relation = Pgoutput.MessageRelation

/** Values by column in PostgreSQL's text form. A value that the log does not hold (unchanged TOAST) is undefined. */
export type Tuple = Record<string, string | null | undefined>

export interface RowChange {
  type: 'INSERT' | 'UPDATE' | 'DELETE'
  relation: Relation
  /** The row as it is now; null after a DELETE. */
  record: Tuple | null
  /** The row as it was: the columns of the table's replica identity, which are its key or all. */
  old: Tuple | null
  /** Of the transaction, the lower 32 bits. */
  xid: number
  /** ISO 8601, UTC. */
  committedAt: string
  /** Characters of all values. */
  size: number
}

/** Reads rows out of messages; it needs every message in order. */
export function createRowReader(): (message: Pgoutput.Message) => RowChange | null {
  let xid = 0
  let committedAt = ''
  return (message) => {
    switch (message.tag) {
      case 'begin':
        xid = message.xid >>> 0
        committedAt = new Date(Number((message.commitTime as bigint) / 1000n)).toISOString()
        return null
      case 'insert':
        return change('INSERT', message.relation, message.new, null)
      case 'update':
        return change('UPDATE', message.relation, message.new, oldKey(message))
      case 'delete':
        return change('DELETE', message.relation, null, message.old ?? message.key)
      default:
        return null
    }
  }

  function change(type: RowChange['type'], relation: Relation, record: Tuple | null, old: Tuple | null) {
    return { type, relation, record, old, xid, committedAt, size: sizeOf(record) + sizeOf(old) }
  }
}

/** The position one byte before `lsn`, both as PostgreSQL writes them ("16/B374D848"); null before the first one. */
export function precedingLsn(lsn: string): string | null {
  const [upper = '', lower = ''] = lsn.split('/')
  const position = (BigInt(`0x${upper}`) << 32n) + BigInt(`0x${lower}`) - 1n
  if (position < 0n) return null
  return `${(position >> 32n).toString(16)}/${(position & 0xffffffffn).toString(16)}`.toUpperCase()
}

/** PostgreSQL sends the old key only when it changed; otherwise it is the new one. */
function oldKey({ relation, key, old, new: record }: Pgoutput.MessageUpdate): Tuple | null {
  if (old || key) return old ?? key
  if (relation.keyColumns.length === 0) return null
  return Object.fromEntries(relation.keyColumns.map((name) => [name, record[name]]))
}

function sizeOf(tuple: Tuple | null): number {
  let size = 0
  for (const name in tuple) size += tuple[name]?.length ?? 0
  return size
}

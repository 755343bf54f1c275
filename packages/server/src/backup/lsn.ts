// Positions in PostgreSQL's write-ahead log (LSN), as bytes from its beginning:
// https://www.postgresql.org/docs/18/datatype-pg-lsn.html

/** "16/B374D848" as bytes. */
export function parseLsn(text: string): bigint {
  const [upper = '', lower = ''] = text.split('/')
  return (BigInt(`0x${upper}`) << 32n) + BigInt(`0x${lower}`)
}

/** Bytes as "16/B374D848". */
export function formatLsn(lsn: bigint): string {
  return `${(lsn >> 32n).toString(16)}/${(lsn & 0xffffffffn).toString(16)}`.toUpperCase()
}

/** The name of the segment of `segmentBytes` that begins at `lsn`, as PostgreSQL has it in pg_wal. */
export function segmentName(timeline: number, lsn: bigint, segmentBytes: bigint): string {
  const number = lsn / segmentBytes
  const perFile = 0x100000000n / segmentBytes
  return [BigInt(timeline), number / perFile, number % perFile].map((part) => hex(part, 8)).join('')
}

/** Hexadecimal digits in capitals, `digits` of them. */
export function hex(value: bigint, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0')
}

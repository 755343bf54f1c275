// How receipts and payout statements are called on every screen and in files.
import type { Enums } from '../database.types.ts'

export type ReceiptKind = Enums<'receipt_kind'>

/** 'R-12' for a receipt, 'S-12' for a statement: each kind counts by itself. */
export function receiptNumber({ kind, number }: { kind: ReceiptKind; number: number | null }): string {
  return `${kind === 'receipt' ? 'R' : 'S'}-${number}`
}

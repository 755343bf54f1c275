// The part of reconcile.mjs that the tests use.
import type pg from 'pg'

type ProviderObject = { id: string; object: string; amount: number; metadata?: Record<string, string> }

export function reconcile(
  pool: pg.Pool,
  objects: AsyncIterable<ProviderObject>,
): Promise<{ differences: string[]; payments: number }>
export function sandboxObjects(pool: pg.Pool): AsyncIterable<ProviderObject>

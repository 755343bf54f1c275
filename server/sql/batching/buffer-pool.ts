// Memory for long answers that is used again and again: what PostgreSQL sends is put together in it, the browser's
// socket reads from it, and then it is given back. Made anew for each answer, it cost more than all else about it.

/** Bytes of a slab; whatever is longer has memory of its own. */
export const SLAB = 128 * 1024
/** Slabs that wait to be used again at most. */
const KEPT = 24

const free: Buffer[] = []
/** What is lent and not given back, because its reader went away, is left to the garbage collector. */
const lent = new WeakSet<ArrayBufferLike>()

export function takeSlab(): Buffer {
  const slab = free.pop() ?? Buffer.allocUnsafeSlow(SLAB)
  lent.add(slab.buffer)
  return slab
}

/** Nobody may look at `bytes` any more. Does nothing for what is no part of a slab. */
export function giveBack({ buffer }: Buffer): void {
  if (lent.delete(buffer) && free.length < KEPT) free.push(Buffer.from(buffer as ArrayBuffer))
}

// How many bytes of unfinished requests are held in memory at once: in all, and for one address. Where there is no room
// left, the largest makes way for a smaller one, so that a few who send much never keep out those who send little.

/** Which bound leaves no room. */
export type Exhausted = 'address' | 'all'

/** The memory that one request holds. */
export interface Reservation {
  /** Counts `bytes` more, or says which bound leaves no room for them; then nothing is counted. */
  grow(bytes: number): Exhausted | null
  /** Which bound would leave no room for `bytes` in all, even if others made way; null when there would be some. */
  lacks(bytes: number): Exhausted | null
  /** From here on it does not make way for others: what it holds is complete, and being worked on. */
  keep(): void
  /** Gives everything back. May be called more than once. */
  release(): void
}

export interface MemoryLimits {
  /** Bytes. */
  total: number
  /** Bytes of one address. */
  perAddress: number
}

/** The last part of either bound is for requests of so many bytes at most: large ones never keep out small ones. */
const SMALL_REQUEST_BYTES = 256 * 1024
const SHARE_FOR_ALL = 0.75

type Account = { held: number; open: Set<Entry> }
type Entry = { account: Account; held: number; kept: boolean; revoke: (exhausted: Exhausted) => void }

export class MemoryBudget {
  private held = 0
  private readonly accounts = new Map<string, Account>()
  private readonly limits: MemoryLimits

  constructor(limits: MemoryLimits) {
    this.limits = limits
  }

  /** Bytes held now. */
  get size(): number {
    return this.held
  }

  /** Begins a reservation of nothing. `revoke` is called when it had to make way; what it held is given back already. */
  open(address: string, revoke: (exhausted: Exhausted) => void): Reservation {
    let account = this.accounts.get(address)
    if (!account) {
      account = { held: 0, open: new Set() }
      this.accounts.set(address, account)
    }
    const entry: Entry = { account, held: 0, kept: false, revoke }
    account.open.add(entry)
    return {
      grow: (bytes) => this.grow(entry, bytes),
      lacks: (bytes) => this.lacks(entry, bytes),
      keep: () => {
        entry.kept = true
      },
      release: () => this.release(address, entry),
    }
  }

  private lacks({ account }: Entry, bytes: number): Exhausted | null {
    const share = bytes > SMALL_REQUEST_BYTES ? SHARE_FOR_ALL : 1
    const over = account.held + bytes - this.limits.perAddress * share
    if (over > 0) {
      let larger = 0
      for (const { held, kept } of account.open) if (!kept && held > bytes) larger += held
      if (larger < over) return 'address'
    }
    const isFull = this.held + bytes > this.limits.total * share
    return isFull && this.heaviest().held <= account.held + bytes ? 'all' : null
  }

  private grow(entry: Entry, bytes: number): Exhausted | null {
    const { account } = entry
    const wanted = entry.held + bytes
    const share = wanted > SMALL_REQUEST_BYTES ? SHARE_FOR_ALL : 1
    while (account.held + bytes > this.limits.perAddress * share)
      if (!this.makeWay(account, entry, wanted, 'address')) return 'address'
    while (this.held + bytes > this.limits.total * share) {
      const heaviest = this.heaviest()
      // The account that would hold more than the requester gives memory back. Within the requester's own account,
      // larger requests do.
      const giving = heaviest !== account && heaviest.held > account.held + bytes ? heaviest : account
      if (!this.makeWay(giving, entry, giving === account ? wanted : 0, 'all')) return 'all'
    }
    entry.held += bytes
    account.held += bytes
    this.held += bytes
    return null
  }

  /** Revokes the account's largest reservation, if that is larger than `least` bytes. */
  private makeWay(account: Account, requester: Entry, least: number, exhausted: Exhausted): boolean {
    let largest: Entry | undefined
    for (const entry of account.open)
      if (!entry.kept && entry.held > (largest?.held ?? least)) largest = entry
    if (!largest || largest === requester) return false
    this.empty(largest)
    largest.revoke(exhausted)
    return true
  }

  private heaviest(): Account {
    let heaviest: Account | undefined
    for (const account of this.accounts.values())
      if (!heaviest || account.held > heaviest.held) heaviest = account
    return heaviest as Account
  }

  private release(address: string, entry: Entry): void {
    this.empty(entry)
    const { account } = entry
    if (account.open.delete(entry) && account.open.size === 0) this.accounts.delete(address)
  }

  private empty(entry: Entry): void {
    entry.account.held -= entry.held
    this.held -= entry.held
    entry.held = 0
  }
}

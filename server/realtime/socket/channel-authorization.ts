// With what right a channel is held: whose token it is, and what the project's policies let them read and write there.
import { isUnavailable } from '../../sql/database.ts'
import type { Asker, Extension } from '../authorization.ts'
import type { Exchange } from '../hub.ts'
import { type Identity, identify, Refusal } from './principal.ts'

export interface Place {
  /** The topic, without the `realtime:` before it. */
  name: string
  isPrivate: boolean
  /** JSON of the socket's `x-…` headers. */
  headers: string
}

const EVERYTHING: Record<Extension, boolean> = { broadcast: true, presence: true }

export class Pass {
  readonly identity: Identity
  readonly reads: Readonly<Record<Extension, boolean>>
  private readonly place: Place
  private readonly exchange: Exchange
  /** What was asked already; on a public channel nothing needs to be. */
  private readonly writes: Partial<Record<Extension, boolean>>

  constructor(exchange: Exchange, place: Place, identity: Identity, reads: Record<Extension, boolean>) {
    this.exchange = exchange
    this.place = place
    this.identity = identity
    this.reads = reads
    this.writes = place.isPrivate ? {} : EVERYTHING
  }

  /** At once where it is known. Rejects when a policy fails. */
  mayWrite(extension: Extension): boolean | Promise<boolean> {
    const known = this.writes[extension]
    if (known !== undefined) return known
    const { authorization } = this.exchange
    return authorization.mayWrite(askerOf(this.place, this.identity), extension).then((may) => {
      this.writes[extension] = may
      return may
    })
  }

  reader() {
    const { role, claims } = this.identity
    return { role, claims }
  }
}

/** Throws Refusal, also where nothing may be read. */
export async function issuePass(exchange: Exchange, place: Place, token: string): Promise<Pass> {
  const identity = await identify(exchange.keys, token)
  if (!place.isPrivate) return new Pass(exchange, place, identity, EVERYTHING)
  const reads = await exchange.authorization.mayRead(askerOf(place, identity)).catch((error: unknown) => {
    if (isUnavailable(error)) throw error
    exchange.log.warn({ err: error, topic: place.name }, 'a policy on realtime.messages failed')
    throw mayNotRead(place.name)
  })
  if (!reads.broadcast && !reads.presence) throw mayNotRead(place.name)
  return new Pass(exchange, place, identity, reads)
}

export function mayNotRead(name: string): Refusal {
  return new Refusal('Unauthorized', `You do not have permissions to read from this Channel topic: ${name}`)
}

export function mayNotWrite(name: string): Refusal {
  return new Refusal('Unauthorized', `You do not have permissions to write to this Channel topic: ${name}`)
}

function askerOf({ name, headers }: Place, { role, claims }: Identity): Asker {
  return { role, claims, topic: name, headers }
}

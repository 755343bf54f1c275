// The authorization of one joined channel: the verified token, and what the project's policies let it read and write.
import { isUnavailable } from '../../sql/errors.ts'
import type { ChannelRef, Extension, Principal } from '../authorization.ts'
import type { Hub } from '../hub.ts'
import { type VerifiedToken, verifyToken } from './access-token.ts'
import { mayNotRead } from './join-error.ts'

const ALL: Record<Extension, boolean> = { broadcast: true, presence: true }

export class ChannelAuthorization {
  readonly token: VerifiedToken
  readonly reads: Readonly<Record<Extension, boolean>>
  private readonly channel: ChannelRef
  private readonly hub: Hub
  /** Answers so far; a public channel needs none. */
  private readonly writes: Partial<Record<Extension, boolean>>

  constructor(hub: Hub, channel: ChannelRef, token: VerifiedToken, reads: Record<Extension, boolean>) {
    this.hub = hub
    this.channel = channel
    this.token = token
    this.reads = reads
    this.writes = channel.isPrivate ? {} : ALL
  }

  /** Not a promise once it is known. Rejects when a policy fails. */
  mayWrite(extension: Extension): boolean | Promise<boolean> {
    const known = this.writes[extension]
    if (known !== undefined) return known
    return this.hub.authorization.mayWrite(this.token, this.channel, extension).then((may) => {
      this.writes[extension] = may
      return may
    })
  }

  get principal(): Principal {
    const { role, claims } = this.token
    return { role, claims }
  }
}

/** Throws JoinError, also where nothing may be read. */
export async function authorizeChannel(
  hub: Hub,
  channel: ChannelRef,
  token: string,
): Promise<ChannelAuthorization> {
  const verified = await verifyToken(hub.keys, token)
  if (!channel.isPrivate) return new ChannelAuthorization(hub, channel, verified, ALL)
  const { subTopic } = channel
  const reads = await hub.authorization.mayRead(verified, channel).catch((error: unknown) => {
    if (isUnavailable(error)) throw error
    hub.log.warn({ err: error, topic: subTopic }, 'a policy on realtime.messages failed')
    throw mayNotRead(subTopic)
  })
  if (!reads.broadcast && !reads.presence) throw mayNotRead(subTopic)
  return new ChannelAuthorization(hub, channel, verified, reads)
}

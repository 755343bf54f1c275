// The join of a channel: checks token and policies, reads the messages to replay, subscribes row changes.
import { isUnavailable } from '../../sql/errors.ts'
import { BindingError, type ChangeListener, type Subscription } from '../changes/contract.ts'
import type { Hub } from '../hub.ts'
import { authorizeChannel, type ChannelAuthorization } from './channel-authorization.ts'
import type { UserBroadcast } from './frames.ts'
import { type ChannelSettings, type JoinConfig, parseJoin } from './join-config.ts'
import { JoinError, mayNotRead } from './join-error.ts'
import { messagesToReplay } from './replay.ts'

/** A request to join a topic. */
export interface JoinRequest {
  hub: Hub
  /** The topic without its `realtime:` prefix. */
  subTopic: string
  /** The socket's API key, where the join brings no token. */
  token: string
  /** JSON of the socket's `x-…` headers. */
  headers: string
  listener: ChangeListener
}

export interface JoinResult {
  settings: ChannelSettings
  authorization: ChannelAuthorization
  /** Broadcasts from before the join, oldest first. */
  replay: UserBroadcast[]
  /** To be closed when the channel ends. */
  subscription: Subscription | null
  /** The bindings as the client wrote them, with their ids. */
  bindings: object[]
  /** Why the bindings cannot be subscribed. */
  bindingError: string | null
  /** The client wants to know when messages of the database can be received. */
  replicationReady: boolean
}

/** Throws JoinError, or a failure of the database (see joinErrorReason). */
export async function join(request: JoinRequest, payload: Record<string, unknown>): Promise<JoinResult> {
  const { hub, subTopic } = request
  const config = parseJoin(payload, subTopic)
  const { settings, replicationReady } = config
  if (subTopic.includes('\0')) {
    throw new JoinError('InvalidJoinPayload', 'topic: must not have a NUL character')
  }
  if (hub.limits.private_only && !settings.isPrivate) {
    throw new JoinError('PrivateOnly', 'This project only allows private channels')
  }
  const authorization = await authorizeToken(request, settings, config.token ?? '')
  const replay = await readReplay(request, config, authorization)
  const { subscription, ids, bindingError } = await subscribe(request, config, authorization)
  const bindings = config.rawBindings.map((one, index) => ({ ...one, id: ids[index] }))
  return { settings, authorization, replay, subscription, bindings, bindingError, replicationReady }
}

/** Authorizes `token`; an API key, or none, stands for the socket's own. */
export function authorizeToken(
  { hub, subTopic, token: socketToken, headers }: JoinRequest,
  { isPrivate }: ChannelSettings,
  token: string,
): Promise<ChannelAuthorization> {
  const shown = token === '' || token.startsWith('sb_') ? socketToken : token
  return authorizeChannel(hub, { subTopic, isPrivate, headers }, shown)
}

async function readReplay(
  { hub, subTopic }: JoinRequest,
  { replay, settings }: JoinConfig,
  { reads }: ChannelAuthorization,
): Promise<UserBroadcast[]> {
  if (!replay) return []
  if (!settings.isPrivate) {
    throw new JoinError('UnableToReplayMessages', 'Replay is not allowed for public channels')
  }
  if (!reads.broadcast) throw mayNotRead(subTopic)
  return messagesToReplay(hub.database, subTopic, replay)
}

/** As on Supabase, a channel with an invalid binding is joined and then gets the error, unless it chose rejection. */
async function subscribe(
  { hub, listener }: JoinRequest,
  { bindings, rejectInvalidBindings }: JoinConfig,
  { principal }: ChannelAuthorization,
): Promise<Pick<JoinResult, 'subscription' | 'bindingError'> & { ids: readonly number[] }> {
  if (bindings.length === 0) return { subscription: null, ids: [], bindingError: null }
  try {
    const subscription = await hub.changes.subscribe(principal, bindings, listener)
    return { subscription, ids: subscription.ids, bindingError: null }
  } catch (error) {
    if (!(error instanceof BindingError)) throw error
    if (rejectInvalidBindings) throw new JoinError('RealtimeDisabledForConfiguration', error.message)
    return { subscription: null, ids: bindings.map((_, index) => index + 1), bindingError: error.message }
  }
}

/** The reason of a failed join, as clients read it. */
export function joinErrorReason(error: unknown, { hub, subTopic }: JoinRequest): string {
  if (error instanceof JoinError) return error.reason
  if (isUnavailable(error)) {
    return 'UnableToConnectToProject: Realtime was unable to connect to the project database'
  }
  hub.log.error({ err: error, topic: subTopic }, 'a channel failed')
  return 'UnknownErrorOnChannel: Unknown Error on Channel'
}

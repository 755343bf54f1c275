// What has to be found out before a join is answered: what the client asks for, with what right, what was sent before
// it came, and whether row changes can be heard. Everything here asks the database.
import { isUnavailable } from '../../sql/database.ts'
import { BindingError, type ChangeListener, type Subscription } from '../changes/contract.ts'
import type { Exchange } from '../hub.ts'
import { issuePass, mayNotRead, type Pass } from './channel-authorization.ts'
import type { UserBroadcast } from './frames.ts'
import { type ChannelSettings, type JoinRequest, readJoin } from './join-config.ts'
import { Refusal } from './principal.ts'
import { keptMessages } from './replay.ts'

/** Who wants to join, and where. */
export interface Applicant {
  exchange: Exchange
  /** The topic, without the `realtime:` before it. */
  name: string
  /** What the socket came in with, for who shows nothing else. */
  token: string
  /** JSON of the socket's `x-…` headers. */
  headers: string
  listener: ChangeListener
}

export interface Admission {
  settings: ChannelSettings
  pass: Pass
  /** Broadcasts from before the join, oldest first. */
  kept: UserBroadcast[]
  /** To be closed by whoever has no use for it any more. */
  subscription: Subscription | null
  /** The bindings as they were asked for, with their numbers. */
  bindings: object[]
  /** Why the bindings cannot be. */
  problem: string | null
  /** It wants to be told when messages of the database can be heard. */
  replicationReady: boolean
}

/** Throws Refusal, or a failure of the database (see reasonOf). */
export async function admit(applicant: Applicant, payload: Record<string, unknown>): Promise<Admission> {
  const { exchange, name } = applicant
  const request = readJoin(payload, name)
  const { settings, asked, replicationReady } = request
  if (name.includes('\0')) throw new Refusal('InvalidJoinPayload', 'topic: must not have a NUL character')
  if (exchange.limits.private_only && !settings.isPrivate) {
    throw new Refusal('PrivateOnly', 'This project only allows private channels')
  }
  const pass = await passFor(applicant, settings, request.token ?? '')
  const kept = await findKept(applicant, request, pass)
  const { subscription, ids, problem } = await subscribe(applicant, request, pass)
  const bindings = asked.map((one, index) => ({ ...one, id: ids[index] }))
  return { settings, pass, kept, subscription, bindings, problem, replicationReady }
}

/** The right that goes with `token`. A key in its place says nothing that the socket's own does not say. */
export function passFor(
  { exchange, name, token: own, headers }: Applicant,
  { isPrivate }: ChannelSettings,
  token: string,
): Promise<Pass> {
  const shown = token === '' || token.startsWith('sb_') ? own : token
  return issuePass(exchange, { name, isPrivate, headers }, shown)
}

async function findKept(
  { exchange, name }: Applicant,
  { replay, settings }: JoinRequest,
  { reads }: Pass,
): Promise<UserBroadcast[]> {
  if (!replay) return []
  if (!settings.isPrivate) {
    throw new Refusal('UnableToReplayMessages', 'Replay is not allowed for public channels')
  }
  if (!reads.broadcast) throw mayNotRead(name)
  return keptMessages(exchange.database, name, replay)
}

/** Like on Supabase, a channel with a wrong binding is joined, and told what is wrong, unless it asks to be refused. */
async function subscribe(
  { exchange, listener }: Applicant,
  { bindings, strict }: JoinRequest,
  pass: Pass,
): Promise<Pick<Admission, 'subscription' | 'problem'> & { ids: readonly number[] }> {
  if (bindings.length === 0) return { subscription: null, ids: [], problem: null }
  try {
    const subscription = await exchange.changes.subscribe(pass.reader(), bindings, listener)
    return { subscription, ids: subscription.ids, problem: null }
  } catch (error) {
    if (!(error instanceof BindingError)) throw error
    if (strict) throw new Refusal('RealtimeDisabledForConfiguration', error.message)
    return { subscription: null, ids: bindings.map((_, index) => index + 1), problem: error.message }
  }
}

/** What a client is told of a failure. */
export function reasonOf(error: unknown, { exchange, name }: Applicant): string {
  if (error instanceof Refusal) return error.reason
  if (error instanceof RangeError) return 'InvalidPayload: must not be nested so deeply'
  if (isUnavailable(error)) {
    return 'UnableToConnectToProject: Realtime was unable to connect to the project database'
  }
  exchange.log.error({ err: error, topic: name }, 'a channel failed')
  return 'UnknownErrorOnChannel: Unknown Error on Channel'
}

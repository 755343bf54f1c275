// Presence of all topics, on this server and on the others, in the form of Phoenix.Presence: a key has one meta for
// each channel it is present on. https://hexdocs.pm/phoenix/Phoenix.Presence.html
import { encode, type Frame, type Version } from './socket/frames.ts'
import { clientTopic } from './topics.ts'

export interface Member {
  /** Unique over all servers; clients see it as `phx_ref`. */
  ref: string
  key: string
  meta: Record<string, unknown>
}

/** Members by key, then by ref. */
type MembersByKey = Map<string, Map<string, Member & { server: string }>>

interface PresenceTopic {
  members: MembersByKey
  /** The members that listeners know of; a key's metas are never changed, only replaced. */
  announced: MembersByKey
  /** Keys for which the two may differ. */
  changedKeys: Set<string>
  /** `announced` as encoded for sockets of each version, until it changes. */
  stateFrames: Map<Version, Frame>
  flushedAt: number
  timer: NodeJS.Timeout | null
}

/** Changes of one topic within this time are sent together. */
const FLUSH_INTERVAL_MS = 100

export class Presence {
  private readonly topics = new Map<string, PresenceTopic>()
  private nextRef = 0
  private readonly server: string
  private readonly sendDiff: (topic: string, diff: string) => void

  /** `server` is this one's name in the cluster; `sendDiff` sends JSON of what changed to the topic's listeners. */
  constructor(server: string, sendDiff: (topic: string, diff: string) => void) {
    this.server = server
    this.sendDiff = sendDiff
  }

  /** A member of this server. `previous` is the one that it replaces. */
  createMember(key: string, meta: Record<string, unknown>, previous: Member | null): Member {
    const ref = `${this.server}-${(this.nextRef++).toString(36)}`
    const previousRef = previous && { phx_ref_prev: previous.ref }
    return { ref, key, meta: { ...meta, phx_ref: ref, ...previousRef } }
  }

  /** Applies joins and leaves of members that are all on `server`. */
  update(topic: string, server: string, joins: readonly Member[], leaves: readonly Member[]): void {
    if (joins.length === 0 && leaves.length === 0) return
    const state = this.topics.get(topic) ?? this.addTopic(topic)
    for (const { key, ref } of leaves) {
      const members = state.members.get(key)
      if (!members?.delete(ref)) continue
      if (members.size === 0) state.members.delete(key)
      state.changedKeys.add(key)
    }
    for (const member of joins) {
      const members = state.members.get(member.key) ?? new Map()
      state.members.set(member.key, members.set(member.ref, { ...member, server }))
      state.changedKeys.add(member.key)
    }
    if (state.timer || state.changedKeys.size === 0) return
    const delay = Math.max(0, state.flushedAt + FLUSH_INTERVAL_MS - performance.now())
    state.timer = setTimeout(() => this.flush(topic, state), delay)
  }

  /** Replaces all members of `server` on all topics; the difference is sent. */
  replaceServer(server: string, membersByTopic: ReadonlyMap<string, readonly Member[]>): void {
    for (const topic of this.topics.keys()) {
      const kept = new Set(membersByTopic.get(topic)?.map(({ ref }) => ref))
      const leaves = this.membersOf(server, topic).filter(({ ref }) => !kept.has(ref))
      this.update(topic, server, [], leaves)
    }
    for (const [topic, members] of membersByTopic) {
      const existing = new Set(this.membersOf(server, topic).map(({ ref }) => ref))
      const joins = members.filter(({ ref }) => !existing.has(ref))
      this.update(topic, server, joins, [])
    }
  }

  /** Members of this server by topic, for servers that join the cluster. */
  localMembers(): Map<string, Member[]> {
    const topics = [...this.topics.keys()].map(
      (topic) => [topic, this.membersOf(this.server, topic)] as const,
    )
    return new Map(topics.filter(([, members]) => members.length > 0))
  }

  /**
   * `presence_state` with all announced members: `{key: {metas: […]}}`. The rest follows as a diff. All who join get the
   * same buffer: many join at once, and not all of them read.
   */
  stateFrame(topic: string, version: Version): Frame {
    const state = this.topics.get(topic)
    const cached = state?.stateFrames.get(version)
    if (cached) return cached
    const json = state ? JSON.stringify(metasByKey(state.announced.keys(), state.announced)) : '{}'
    const frame = encode(version, null, null, clientTopic(topic), 'presence_state', json)
    state?.stateFrames.set(version, frame)
    return frame
  }

  /** Members over all topics and servers. */
  get size(): number {
    let sum = 0
    for (const { members } of this.topics.values()) for (const { size } of members.values()) sum += size
    return sum
  }

  stop(): void {
    for (const { timer } of this.topics.values()) if (timer) clearTimeout(timer)
    this.topics.clear()
  }

  private membersOf(server: string, topic: string): Member[] {
    const found: Member[] = []
    for (const members of this.topics.get(topic)?.members.values() ?? []) {
      for (const member of members.values()) {
        if (member.server === server) found.push({ ref: member.ref, key: member.key, meta: member.meta })
      }
    }
    return found
  }

  private addTopic(topic: string): PresenceTopic {
    const state: PresenceTopic = {
      members: new Map(),
      announced: new Map(),
      changedKeys: new Set(),
      stateFrames: new Map(),
      flushedAt: 0,
      timer: null,
    }
    this.topics.set(topic, state)
    return state
  }

  /**
   * Sends what changed since the last time. A key that keeps some of its members leaves whole and joins whole, in two
   * messages. The last realtime-js for Node 20, 2.109, forgets the refs of metas that a change leaves in place
   * (https://github.com/supabase/supabase-js/issues/2565). It would then keep people who left for ever.
   */
  private flush(topic: string, state: PresenceTopic): void {
    state.timer = null
    const { announced, members } = state
    const changed = [...state.changedKeys].filter((key) => !sameRefs(announced.get(key), members.get(key)))
    state.changedKeys.clear()
    if (changed.length > 0) {
      const joins = metasByKey(changed, members)
      const leaves = metasByKey(changed, announced)
      for (const key of changed) {
        const current = members.get(key)
        if (current) announced.set(key, new Map(current))
        else announced.delete(key)
      }
      state.stateFrames.clear()
      state.flushedAt = performance.now()
      if (Object.keys(leaves).some((key) => key in joins)) {
        this.sendDiff(topic, JSON.stringify({ joins: {}, leaves }))
        this.sendDiff(topic, JSON.stringify({ joins, leaves: {} }))
      } else this.sendDiff(topic, JSON.stringify({ joins, leaves }))
    }
    if (members.size === 0 && announced.size === 0 && this.topics.get(topic) === state)
      this.topics.delete(topic)
  }
}

function sameRefs(before: Map<string, unknown> = new Map(), now: Map<string, unknown> = new Map()): boolean {
  return before.size === now.size && [...before.keys()].every((ref) => now.has(ref))
}

/** `{key: {metas: […]}}` of those `keys` that have members. */
function metasByKey(
  keys: Iterable<string>,
  membersByKey: MembersByKey,
): Record<string, { metas: Record<string, unknown>[] }> {
  // Without a prototype: a key may be called anything.
  const groups: Record<string, { metas: Record<string, unknown>[] }> = Object.create(null)
  for (const key of keys) {
    const members = membersByKey.get(key)
    if (members) groups[key] = { metas: [...members.values()].map(({ meta }) => meta) }
  }
  return groups
}

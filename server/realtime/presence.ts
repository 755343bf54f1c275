// Who is present on which topic, on this server and on the others, in the form of Phoenix.Presence: a key has one meta
// for each place it is present from. https://hexdocs.pm/phoenix/Phoenix.Presence.html
import { encode, type Frame, type Version } from './socket/frames.ts'
import { clientTopic } from './topics.ts'

export interface Member {
  /** Unique over all servers; clients see it as `phx_ref`. */
  ref: string
  key: string
  meta: Record<string, unknown>
}

/** By key, and there by ref. */
type Keys = Map<string, Map<string, Member & { server: string }>>

interface Topic {
  members: Keys
  /** What listeners have been told; a key's metas are never changed, only replaced. */
  told: Keys
  /** Keys for which the two may differ. */
  touched: Set<string>
  /** `told` as sockets of each version get it, until it changes. */
  state: Map<Version, Frame>
  flushed: number
  timer: NodeJS.Timeout | null
}

/** Milliseconds between two messages about one topic: what happens in between goes out together. */
const PAUSE = 100

export class Presences {
  private readonly topics = new Map<string, Topic>()
  private next = 0
  private readonly server: string
  private readonly announce: (topic: string, diff: string) => void

  /** `server` names this one among those of the database; `announce` tells the topic's listeners what changed. */
  constructor(server: string, announce: (topic: string, diff: string) => void) {
    this.server = server
    this.announce = announce
  }

  /** A member from this server. `previous` is the one it takes the place of. */
  member(key: string, meta: Record<string, unknown>, previous: Member | null): Member {
    const ref = `${this.server}-${(this.next++).toString(36)}`
    const before = previous && { phx_ref_prev: previous.ref }
    return { ref, key, meta: { ...meta, phx_ref: ref, ...before } }
  }

  /** Members who came and who left, all of them on `server`. */
  change(topic: string, server: string, joins: readonly Member[], leaves: readonly Member[]): void {
    if (joins.length === 0 && leaves.length === 0) return
    const known = this.topics.get(topic) ?? this.open(topic)
    for (const { key, ref } of leaves) {
      const places = known.members.get(key)
      if (!places?.delete(ref)) continue
      if (places.size === 0) known.members.delete(key)
      known.touched.add(key)
    }
    for (const member of joins) {
      const places = known.members.get(member.key) ?? new Map()
      known.members.set(member.key, places.set(member.ref, { ...member, server }))
      known.touched.add(member.key)
    }
    if (known.timer || known.touched.size === 0) return
    const wait = Math.max(0, known.flushed + PAUSE - Date.now())
    known.timer = setTimeout(() => this.flush(topic, known), wait)
  }

  /** Everyone of `server` on all topics is now this; what differs is announced. */
  replace(server: string, all: ReadonlyMap<string, readonly Member[]>): void {
    for (const topic of this.topics.keys()) {
      const stay = new Set(all.get(topic)?.map(({ ref }) => ref))
      const leaves = this.of(server, topic).filter(({ ref }) => !stay.has(ref))
      this.change(topic, server, [], leaves)
    }
    for (const [topic, members] of all) {
      const there = new Set(this.of(server, topic).map(({ ref }) => ref))
      const joins = members.filter(({ ref }) => !there.has(ref))
      this.change(topic, server, joins, [])
    }
  }

  /** Members of this server by topic, for servers that come to know it. */
  own(): Map<string, Member[]> {
    const topics = [...this.topics.keys()].map((topic) => [topic, this.of(this.server, topic)] as const)
    return new Map(topics.filter(([, members]) => members.length > 0))
  }

  /**
   * Everyone present whom listeners know of, as a message: `{key: {metas: […]}}`. The rest follows as a diff. The same
   * bytes for all who ask, since a crowd asks at once and not all of it reads.
   */
  state(topic: string, version: Version): Frame {
    const known = this.topics.get(topic)
    const made = known?.state.get(version)
    if (made) return made
    const json = known ? JSON.stringify(grouped(known.told.keys(), known.told)) : '{}'
    const frame = encode(version, null, null, clientTopic(topic), 'presence_state', json)
    known?.state.set(version, frame)
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

  private of(server: string, topic: string): Member[] {
    const found: Member[] = []
    for (const places of this.topics.get(topic)?.members.values() ?? []) {
      for (const member of places.values()) {
        if (member.server === server) found.push({ ref: member.ref, key: member.key, meta: member.meta })
      }
    }
    return found
  }

  private open(topic: string): Topic {
    const made: Topic = {
      ...{ members: new Map(), told: new Map(), touched: new Set() },
      ...{ state: new Map(), flushed: 0, timer: null },
    }
    this.topics.set(topic, made)
    return made
  }

  /**
   * Tells what changed since the last time. A key of which something is left goes whole and comes back whole, in two
   * messages: realtime-js up to 2.109, the last one for Node 20, forgets the refs of metas that stay beside a change
   * (https://github.com/supabase/supabase-js/issues/2565), and would then keep people who left for ever.
   */
  private flush(topic: string, known: Topic): void {
    known.timer = null
    const { told, members } = known
    const changed = [...known.touched].filter((key) => !sameRefs(told.get(key), members.get(key)))
    known.touched.clear()
    if (changed.length > 0) {
      const joins = grouped(changed, members)
      const leaves = grouped(changed, told)
      for (const key of changed) {
        const places = members.get(key)
        if (places) told.set(key, new Map(places))
        else told.delete(key)
      }
      known.state.clear()
      known.flushed = Date.now()
      if (Object.keys(leaves).some((key) => key in joins)) {
        this.announce(topic, JSON.stringify({ joins: {}, leaves }))
        this.announce(topic, JSON.stringify({ joins, leaves: {} }))
      } else this.announce(topic, JSON.stringify({ joins, leaves }))
    }
    if (members.size === 0 && told.size === 0 && this.topics.get(topic) === known) this.topics.delete(topic)
  }
}

function sameRefs(before: Map<string, unknown> = new Map(), now: Map<string, unknown> = new Map()): boolean {
  return before.size === now.size && [...before.keys()].every((ref) => now.has(ref))
}

/** The metas of those `keys` that are there. */
function grouped(
  keys: Iterable<string>,
  members: Keys,
): Record<string, { metas: Record<string, unknown>[] }> {
  // Without a prototype: a key may be called anything.
  const groups: Record<string, { metas: Record<string, unknown>[] }> = Object.create(null)
  for (const key of keys) {
    const places = members.get(key)
    if (places) groups[key] = { metas: [...places.values()].map(({ meta }) => meta) }
  }
  return groups
}

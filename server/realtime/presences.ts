// Who is present on which topic, on this server and on the others, in the form of Phoenix.Presence: a key has one meta
// for each place it is present from. https://hexdocs.pm/phoenix/Phoenix.Presence.html

export interface Member {
  /** Unique over all servers; clients see it as `phx_ref`. */
  ref: string
  key: string
  meta: Record<string, unknown>
}

type Members = Map<string, Member & { server: string }>

interface Topic {
  members: Members
  joins: Map<string, Member>
  leaves: Map<string, Member>
  flushed: number
  timer: NodeJS.Timeout | null
}

/** Milliseconds between two messages about one topic: what happens in between goes out together. */
const PAUSE = 100

export class Presences {
  private readonly topics = new Map<string, Topic>()
  private next = 0
  private readonly server: string
  private readonly announce: (key: string, diff: string) => void

  /** `server` names this one among those of the database; `announce` tells the topic's listeners what changed. */
  constructor(server: string, announce: (key: string, diff: string) => void) {
    this.server = server
    this.announce = announce
  }

  /** A member from this server. `previous` is the one it takes the place of. */
  member(key: string, meta: Record<string, unknown>, previous: Member | null): Member {
    const ref = `${this.server}-${(this.next++).toString(36)}`
    const before = previous && { phx_ref_prev: previous.ref }
    return { ref, key, meta: { ...meta, phx_ref: ref, ...before } }
  }

  /** Members who came and refs of those who left, all from `server`. */
  change(topic: string, server: string, joins: readonly Member[], leaves: readonly string[]): void {
    const known = this.topics.get(topic) ?? this.open(topic)
    for (const ref of leaves) {
      const member = known.members.get(ref)
      if (member?.server !== server) continue
      known.members.delete(ref)
      // Someone whose coming was not told yet just was not there.
      if (!known.joins.delete(ref)) known.leaves.set(ref, member)
    }
    for (const member of joins) {
      if (known.members.has(member.ref)) continue
      known.members.set(member.ref, { ...member, server })
      known.joins.set(member.ref, member)
    }
    this.schedule(topic, known)
  }

  /** Everyone of `server` on all topics is now this; what differs is announced. */
  replace(server: string, all: ReadonlyMap<string, readonly Member[]>): void {
    for (const [topic, { members }] of this.topics) {
      const stay = new Set(all.get(topic)?.map(({ ref }) => ref))
      const leaves = [...members.values()].filter((one) => one.server === server && !stay.has(one.ref))
      if (leaves.length > 0)
        this.change(
          topic,
          server,
          [],
          leaves.map(({ ref }) => ref),
        )
    }
    for (const [topic, members] of all) this.change(topic, server, members, [])
  }

  /** Members of this server by topic, for servers that come to know it. */
  own(): Map<string, Member[]> {
    const found = new Map<string, Member[]>()
    for (const [topic, { members }] of this.topics) {
      const own = [...members.values()].filter(({ server }) => server === this.server)
      if (own.length > 0)
        found.set(
          topic,
          own.map(({ ref, key, meta }) => ({ ref, key, meta })),
        )
    }
    return found
  }

  /** JSON of everyone present: `{key: {metas: […]}}`. What was not announced yet is, so that nobody comes twice. */
  state(topic: string): string {
    const known = this.topics.get(topic)
    if (!known) return '{}'
    this.flush(topic, known)
    return JSON.stringify(grouped(known.members.values()))
  }

  /** Members over all topics and servers. */
  get size(): number {
    let sum = 0
    for (const { members } of this.topics.values()) sum += members.size
    return sum
  }

  stop(): void {
    for (const { timer } of this.topics.values()) if (timer) clearTimeout(timer)
    this.topics.clear()
  }

  private open(topic: string): Topic {
    const made: Topic = { members: new Map(), joins: new Map(), leaves: new Map(), flushed: 0, timer: null }
    this.topics.set(topic, made)
    return made
  }

  private schedule(topic: string, known: Topic): void {
    if (known.timer) return
    const wait = Math.max(0, known.flushed + PAUSE - Date.now())
    known.timer = setTimeout(() => this.flush(topic, known), wait)
  }

  private flush(topic: string, known: Topic): void {
    if (known.timer) clearTimeout(known.timer)
    known.timer = null
    const { joins, leaves, members } = known
    if (joins.size > 0 || leaves.size > 0) {
      const diff = JSON.stringify({ joins: grouped(joins.values()), leaves: grouped(leaves.values()) })
      joins.clear()
      leaves.clear()
      known.flushed = Date.now()
      this.announce(topic, diff)
    }
    if (members.size === 0 && this.topics.get(topic) === known) this.topics.delete(topic)
  }
}

function grouped(members: Iterable<Member>): Record<string, { metas: Record<string, unknown>[] }> {
  // Without a prototype: a key may be called anything.
  const groups: Record<string, { metas: Record<string, unknown>[] }> = Object.create(null)
  for (const { key, meta } of members) {
    const group = groups[key]
    if (group) group.metas.push(meta)
    else groups[key] = { metas: [meta] }
  }
  return groups
}

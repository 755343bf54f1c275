// Where what waits to be sent is kept: beside what was last seen (keptData.ts), under the account's id, and forgotten with it
// at signing out. Tabs tell each other of changes, and one of them sends at a time.
import { entriesOfKept, outboxKey } from './keptData.ts'
import type { Entry, OutboxStorage } from './outboxEntries.ts'
import { createStore } from './store.ts'

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('outbox')
/** Full or switched off: entries last as long as the page. */
const unable = createStore(false)

export const outboxStorage: OutboxStorage = {
  async read(userId) {
    if (unable.get()) return null
    try {
      return await entriesOfKept('readonly', (store, resolve) =>
        whenDone<Entry[] | undefined>(store.get(outboxKey(userId)), (kept) => resolve(kept ?? [])),
      )
    } catch {
      return null
    }
  },

  async change(userId, edit) {
    if (unable.get()) return
    const key = outboxKey(userId)
    try {
      await entriesOfKept('readwrite', (store, resolve) =>
        whenDone<Entry[] | undefined>(store.get(key), (kept) => {
          const changed = edit(kept ?? [])
          whenDone(changed.length > 0 ? store.put(changed, key) : store.delete(key), () => resolve())
        }),
      )
      channel?.postMessage(null)
    } catch {
      unable.set(true)
    }
  },

  onChange(callback) {
    channel?.addEventListener('message', callback)
    return () => channel?.removeEventListener('message', callback)
  },

  async alone(userId, work) {
    // Only pages that came over HTTPS know locks; elsewhere an id of its own keeps each entry single.
    if (navigator.locks) await navigator.locks.request(`outbox:${userId}`, work)
    else await work()
  },
}

function whenDone<Result>(request: IDBRequest, then: (result: Result) => void) {
  request.onsuccess = () => then(request.result)
}

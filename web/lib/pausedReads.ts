// First reads that wait for the network: they fail, so that their screens say what is lacking. Screens would show that they
// load for as long as there is no network.
import { onlineManager, type Query } from '@tanstack/react-query'
import { queryClient } from './queryClient.ts'

/** A network that has just come back often fails once more. */
const SECOND_TRY_MS = 2_000

/**
 * Has every first read fail that waits, from now on; returns the end. Each goes on by itself when the network is back, and is
 * tried once more a moment later where that fails.
 */
export function failPausedReads(): () => void {
  let trying: ReturnType<typeof setTimeout> | undefined
  const stopListening = onlineManager.subscribe((isOnline) => {
    clearTimeout(trying)
    if (isOnline) trying = setTimeout(tryFailedAgain, SECOND_TRY_MS)
  })
  const cache = queryClient.getQueryCache()
  const failAll = () => cache.getAll().forEach(failWaiting)
  const unsubscribe = cache.subscribe((event) => {
    if (event.type === 'updated') failWaiting(event.query)
  })
  failAll()
  return () => {
    clearTimeout(trying)
    stopListening()
    unsubscribe()
  }
}

function tryFailedAgain() {
  const hasFailed = ({ state }: Query) => state.status === 'error' && state.data === undefined
  void queryClient.refetchQueries({ type: 'active', predicate: hasFailed })
}

function failWaiting(query: Query) {
  if (onlineManager.isOnline() || query.state.status !== 'pending' || query.state.fetchStatus !== 'paused')
    return
  query.setState({
    status: 'error',
    error: new TypeError('Failed to fetch'),
    errorUpdateCount: query.state.errorUpdateCount + 1,
    errorUpdatedAt: Date.now(),
  })
}

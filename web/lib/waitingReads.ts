// First reads that wait for the network: they fail, so that their screens say what is lacking. Screens would show that they
// load for as long as there is no network.
import { onlineManager, type Query } from '@tanstack/react-query'
import { queryClient } from './queryClient.ts'

/** Has every first read fail that waits, from now on; returns the end. Each goes on by itself when the network is back. */
export function failWaitingReads(): () => void {
  const cache = queryClient.getQueryCache()
  const failAll = () => cache.getAll().forEach(failWaiting)
  const unsubscribe = cache.subscribe((event) => {
    if (event.type === 'updated') failWaiting(event.query)
  })
  failAll()
  return unsubscribe
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

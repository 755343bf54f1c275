// How a screen sees a first read that waits for the network: no screen needs a separate state for it.
import { onlineManager, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { failPausedReads } from './pausedReads.ts'
import { queryClient } from './queryClient.ts'

beforeEach(() => queryClient.mount())
afterEach(() => {
  queryClient.unmount()
  onlineManager.setOnline(true)
  queryClient.clear()
})

const read = (key: string) =>
  new QueryObserver(queryClient, { queryKey: [key], queryFn: async () => 'the list' })

test('a first read without a network has failed, begun before or after, and comes with the network', async () => {
  onlineManager.setOnline(false)
  const before = read('before')
  const leave = before.subscribe(() => undefined)
  expect(before.getCurrentResult()).toMatchObject({ isPaused: true, isLoadingError: false })
  const end = failPausedReads()
  expect(before.getCurrentResult().isLoadingError).toBe(true)
  const after = read('after')
  const came = new Promise((resolve) => after.subscribe(({ data }) => data && resolve(data)))
  expect(after.getCurrentResult().isLoadingError).toBe(true)
  onlineManager.setOnline(true)
  expect(await came).toBe('the list')
  leave()
  end()
})

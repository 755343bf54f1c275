// Actions: what changes something in the backend, once per click, with what happens afterwards in one place.
import { onlineManager, type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'
import { errorText, isUncertain } from '../lib/errorText.ts'
import { toast } from './Toaster.tsx'

/** One call to the backend and the queries that it makes stale; features make these in their `api/actions.ts`. */
export type Action<Variables = void, Data = void> = {
  /** Rejects with an Error whose message can be shown. */
  run(variables: Variables): Promise<Data>
  /**
   * Called when the outcome is unknown, also of an earlier try: returns the answer of `run` if it was done, null if
   * it was not.
   */
  found?(variables: Variables): Promise<Data | null>
  /** A key stands for all that begin with it. */
  invalidates?: readonly QueryKey[]
  /** Invalidates after a refusal, too: somebody else may have changed what is shown. */
  invalidatesOnError?: boolean
  /** The callbacks wait until the shown queries have been read again. */
  callbacksAfterRefresh?: boolean
}

type Callbacks<Variables, Data> = {
  onSuccess?: (data: Data, variables: Variables) => void
  /** The title of the toast that shows the error's message, or what to do instead; nothing when left out. */
  onError?: string | ((error: Error, variables: Variables) => void)
}

/** A mutation whose `mutate` does nothing while it runs, from the very first click on. */
export function useAction<Variables = void, Data = void>(
  { run, found, invalidates = [], invalidatesOnError, callbacksAfterRefresh }: Action<Variables, Data>,
  { onSuccess, onError }: Callbacks<Variables, Data> = {},
) {
  const queryClient = useQueryClient()
  const refresh = () =>
    Promise.all(invalidates.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  /** It was asked for, and may have been done: the next try may be refused because of that. */
  const isOpen = useRef(false)
  const { mutateAsync, ...mutation } = useMutation({
    // Offline it fails at once and says so, rather than acting by itself when the network is back.
    networkMode: 'always',
    mutationFn: async (variables: Variables) => {
      try {
        const data = await run(variables)
        isOpen.current = false
        return data
      } catch (error) {
        // The answer may be all that was lost.
        isOpen.current ||= isUncertain(error)
        const done = found && isOpen.current ? await found(variables).catch(() => null) : null
        if (done === null) throw error
        isOpen.current = false
        return done
      }
    },
    onSuccess: async (data: Data, variables: Variables) => {
      if (callbacksAfterRefresh) await refresh()
      onSuccess?.(data, variables)
      if (!callbacksAfterRefresh) await refresh()
    },
    onError: async (error: Error, variables: Variables) => {
      const refreshing = invalidatesOnError ? refresh() : undefined
      // Without a network the queries wait for it, and the message must not.
      const fresh = onlineManager.isOnline() ? refreshing : undefined
      if (callbacksAfterRefresh) await fresh
      if (typeof onError === 'string') toast.error(onError, { description: errorText(error) })
      else onError?.(error, variables)
      await fresh
    },
  })
  const running = useRef(false)
  const mutate = useCallback(
    (variables: Variables) => {
      if (running.current) return
      running.current = true
      mutateAsync(variables)
        .catch(() => undefined) // shown by onError
        .finally(() => {
          running.current = false
        })
    },
    [mutateAsync],
  )
  return { ...mutation, mutate }
}

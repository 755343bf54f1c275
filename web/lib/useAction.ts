// Actions that must not happen twice because someone clicked twice.
import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'

/** A mutation whose `mutate` does nothing while it runs, from the very first click on. */
export function useAction<Data, Variables = void>(options: UseMutationOptions<Data, Error, Variables>) {
  // Offline it fails at once and says so, rather than acting by itself when the network is back.
  const { mutateAsync, ...mutation } = useMutation({ networkMode: 'always', ...options })
  const running = useRef(false)
  const mutate = useCallback(
    (variables: Variables) => {
      if (running.current) return
      running.current = true
      mutateAsync(variables)
        .catch(() => undefined) // shown by the mutation's own onError
        .finally(() => {
          running.current = false
        })
    },
    [mutateAsync],
  )
  return { ...mutation, mutate }
}

// One cache for everything read from the backend.
import { QueryClient } from '@tanstack/react-query'

/** A refusal will be refused again; only what never reached an answer is worth another try. */
function worthRetrying(failures: number, error: unknown): boolean {
  const answered = typeof error === 'object' && error !== null && 'code' in error && error.code !== ''
  return !answered && failures < 2
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 30_000, retry: worthRetrying },
    mutations: { retry: false },
  },
})

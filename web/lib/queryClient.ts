// One cache for everything read from the backend.
import { QueryClient } from '@tanstack/react-query'

export const queryClient = new QueryClient({
  defaultOptions: {
    // supabase-js tries reads again by itself when the network or the server falters; a refusal is final.
    queries: { staleTime: 30_000, retry: false },
    mutations: { retry: false },
  },
})

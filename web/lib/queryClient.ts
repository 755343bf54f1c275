// One cache for everything read from the backend.
import { onlineManager, QueryClient } from '@tanstack/react-query'

// It only receives changes: a page may begin without a network. (Pages that are rendered at build have none to ask.)
if (typeof navigator !== 'undefined') onlineManager.setOnline(navigator.onLine)

export const queryClient = new QueryClient({
  defaultOptions: {
    // supabase-js tries reads again by itself when the network or the server falters; a refusal is final.
    queries: { staleTime: 30_000, retry: false },
    mutations: { retry: false },
  },
})

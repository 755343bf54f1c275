// The function stop-series as Deno runs it on hosted Supabase; what it does is in handler.ts.
import handler from './handler.ts'

Deno.serve((request) => handler(request, Deno.env.toObject()))

// The names by which projects written for the Supabase CLI's containers reach their own API and this machine
// (https://supabase.com/docs/guides/database/webhooks#local-development). They resolve wherever a request of the project leaves:
// hooks of auth, pg_net and database webhooks, and functions. Deno loads this file, too: it imports nothing and has no types.

/** The gateway of the API; of the CLI by the project's id, of self-hosting with hyphens. */
const GATEWAY = /^(?:kong|supabase[_-]kong(?:_[\w.-]+)?|api\.supabase\.internal)$/
/** The runtime of functions, which serves them without `/functions/v1`. */
const FUNCTIONS = /^(?:edge_runtime|supabase_edge_runtime_[\w.-]+|supabase-edge-functions)$/
/** The machine on which the containers run. */
const MACHINE = 'host.docker.internal'
/** Ports of that machine at which the API is in self-hosting and, unless config.toml sets another one, in the CLI. */
const API_PORTS = ['', '8000', '54321']

/** Whether the name always leads to this server. */
export const isOwnName = (hostname) => GATEWAY.test(hostname) || FUNCTIONS.test(hostname)

/** The request for `fetch`, with local names replaced by their addresses. */
export function localRequest(input, here) {
  const address = input instanceof Request ? input.url : String(input)
  const resolved = localAddress(address, here)
  if (resolved === address) return input
  return input instanceof Request ? new Request(resolved, input) : resolved
}

/** Where an address with a local name leads; any other one as it is. */
export function localAddress(address, { origin, apiPort, production }) {
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || !/^(?:https?|wss?):$/.test(url.protocol)) return address
  const { hostname, port } = url
  if (FUNCTIONS.test(hostname) && !url.pathname.startsWith('/functions/v1/')) {
    url.pathname = `/functions/v1${url.pathname}`
  }
  if (isOwnName(hostname) || (hostname === MACHINE && [...API_PORTS, String(apiPort)].includes(port))) {
    const { protocol, host } = new URL(origin)
    url.protocol = url.protocol.startsWith('ws') ? protocol.replace('http', 'ws') : protocol
    url.host = host
    return url.href
  }
  if (hostname !== MACHINE || production) return address
  url.hostname = '127.0.0.1'
  return url.href
}

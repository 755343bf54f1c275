// Runs in Deno before a function's own modules and makes plain Deno look like Supabase's edge runtime: Deno.serve
// listens where the host says, requests have the address that the caller used, EdgeRuntime and Supabase exist.
// The host speaks over standard input ('ping', 'stop'); when that ends, so does this process.
import http from 'node:http'
import { formatWithOptions } from 'node:util'
import { localAddress, localRequest } from '../../config/local-names.mjs'

const { socket, token, here } = JSON.parse(Deno.env.get('FUNCTION_HOST'))
// Variables that only the start of the process needed are not part of the function's environment.
for (const name of [
  'FUNCTION_HOST',
  'DENO_DIR',
  'DENO_NO_PACKAGE_JSON',
  'DENO_NO_UPDATE_CHECK',
  'NO_COLOR',
]) {
  Deno.env.delete(name)
}
for (const name of ['PATH', 'HOME', 'DENO_NODE_SHIM_ACTIVE']) Deno.env.delete(name)

const encoder = new TextEncoder()
const write = Deno.stdout.writeSync.bind(Deno.stdout)

/** On a separate line, whatever the function printed before. */
function tell(word) {
  let bytes = encoder.encode(`\n\u001e${token} ${word}\n`)
  while (bytes.length > 0) bytes = bytes.subarray(write(bytes))
}

// Printing ----------------------------------------------------------------------------------------------------

/** Characters of a record; the host cuts what is printed otherwise at the same length. */
const MAX_RECORD_LENGTH = 10_000
const LEVELS = ['info', 'info', 'warn', 'error']

/** One call of the console is one record of the log, however many lines it has. `level` is Deno's own, 0 to 3. */
function record(message, level) {
  const text = message.endsWith('\n') ? message.slice(0, -1) : message
  const cut = text.length > MAX_RECORD_LENGTH ? `${text.slice(0, MAX_RECORD_LENGTH)}…` : text
  if (cut !== '') tell(`${LEVELS[level]} ${JSON.stringify(cut)}`)
}

const { Console } = Deno[Deno.internal] ?? {}
if (Console) Object.assign(console, new Console(record))
else {
  // A Deno that keeps its console to itself.
  const kinds = { debug: 0, log: 1, info: 1, warn: 2, error: 3, trace: 3 }
  for (const [kind, level] of Object.entries(kinds)) {
    console[kind] = (...values) => record(formatWithOptions({ depth: 4 }, ...values), level)
  }
}

// Fetching ----------------------------------------------------------------------------------------------------

const nativeFetch = globalThis.fetch

/** Names of the CLI's containers, such as kong, lead to this machine. */
globalThis.fetch = (input, init) => nativeFetch(localRequest(input, here), init)

globalThis.WebSocket = new Proxy(WebSocket, {
  construct: (target, [address, ...others], made) =>
    Reflect.construct(target, [localAddress(String(address), here), ...others], made),
})

// Serving ---------------------------------------------------------------------------------------------------

let serving = false
let listening = false
const nativeServe = Deno.serve.bind(Deno)
const originals = new WeakMap()

/** The request with the address that the caller used in place of the socket's. */
function asSeen(request) {
  const { pathname, search } = new URL(request.url)
  const seen = new Request(`http://${request.headers.get('host')}${pathname}${search}`, request)
  originals.set(seen, request)
  return seen
}

Deno.serve = (first, second) => {
  const options = typeof first === 'function' ? {} : first
  const handler = typeof first === 'function' ? first : (second ?? options.handler)
  if (serving) throw new Deno.errors.AddrInUse('A function serves once')
  serving = true
  listenToHost()
  return nativeServe(
    {
      path: socket,
      signal: options.signal,
      onError: options.onError,
      onListen() {
        options.onListen?.({ transport: 'tcp', hostname: '0.0.0.0', port: options.port ?? 8000 })
        tell('ready')
      },
    },
    (request, info) => handler(asSeen(request), { remoteAddr: callerOf(request), completed: info.completed }),
  )
}

function callerOf(request) {
  const forwarded = request.headers.get('x-forwarded-for')?.split(',')[0].trim()
  return { transport: 'tcp', hostname: forwarded || '127.0.0.1', port: 0 }
}

const nativeUpgrade = Deno.upgradeWebSocket.bind(Deno)
Deno.upgradeWebSocket = (request, options) => nativeUpgrade(originals.get(request) ?? request, options)

// `serve` of deno.land/std before Deno.serve existed: it listens, accepts connections and asks them for requests.
const nativeListen = Deno.listen.bind(Deno)
Deno.listen = (options) => {
  if (serving || (options.transport ?? 'tcp') !== 'tcp') return nativeListen(options)
  const waiting = []
  const requests = []
  Deno.serve({ ...options, onListen: undefined }, (request) => {
    return new Promise((resolve, reject) => {
      const event = { request, respondWith: (answer) => Promise.resolve(answer).then(resolve, reject) }
      const next = waiting.shift()
      if (next) next(event)
      else requests.push(event)
    })
  })
  const localAddr = { transport: 'tcp', hostname: '0.0.0.0', port: options.port ?? 8000 }
  const connection = {
    localAddr,
    remoteAddr: { transport: 'tcp', hostname: '127.0.0.1', port: 0 },
    rid: -1,
    close() {},
    nextRequest() {
      const event = requests.shift()
      return event ? Promise.resolve(event) : new Promise((resolve) => waiting.push(resolve))
    },
    async *[Symbol.asyncIterator]() {
      while (true) yield await connection.nextRequest()
    },
  }
  let accepted = false
  const accept = () => {
    if (accepted) return new Promise(() => {})
    accepted = true
    return Promise.resolve(connection)
  }
  return {
    addr: localAddr,
    rid: -1,
    accept,
    close() {},
    async *[Symbol.asyncIterator]() {
      while (true) yield await accept()
    },
  }
}
Deno.serveHttp = (connection) => connection

// Servers of Node's kind (Express and its like) listen on the same socket.
const nodeListen = http.Server.prototype.listen
http.Server.prototype.listen = function (...args) {
  if (serving) return nodeListen.apply(this, args)
  serving = true
  listenToHost()
  const whenListening = args.findLast((arg) => typeof arg === 'function')
  return nodeListen.call(this, { path: socket }, () => {
    whenListening?.call(this)
    tell('ready')
  })
}

// `export default { fetch }`, once the module has run without serving by itself.
globalThis.addEventListener('load', async () => {
  if (serving) return
  const main = await import(Deno.mainModule)
  const fetch = main.default?.fetch
  if (typeof fetch === 'function') {
    Deno.serve((request, info) => fetch.call(main.default, request, info))
    return
  }
  await new Promise((resolve) => setTimeout(resolve, 5000))
  if (serving) return
  console.error('the function neither calls Deno.serve nor exports default { fetch }')
  Deno.exit(1)
})

// Additions of the edge runtime -------------------------------------------------------------------------------

const background = new Set()

globalThis.EdgeRuntime = {
  /** Keeps the function alive until the promise settles, after its answer went out. */
  waitUntil(work) {
    const tracked = Promise.resolve(work)
      .catch((error) => console.error('background work failed:', error))
      .finally(() => background.delete(tracked))
    background.add(tracked)
    return work
  },
}

// A separate thread would outlive the limits of the function; Supabase has none either.
globalThis.Worker = class {
  constructor() {
    throw new Error('Workers are not available to functions')
  }
}

globalThis.Supabase = {
  ai: {
    Session: class {
      constructor() {
        throw new Error('Supabase.ai.Session runs on hosted Supabase alone; call a model over HTTP instead')
      }
    },
  },
}

// The host ------------------------------------------------------------------------------------------------------

async function retire() {
  const leaving = new Event('beforeunload')
  leaving.detail = { reason: 'termination' }
  globalThis.dispatchEvent(leaving)
  while (background.size > 0) await Promise.all(background)
  Deno.exit(0)
}

/** Not before the function's own code runs: Deno waits for everything that this module begins. */
async function listenToHost() {
  if (listening) return
  listening = true
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    for (const word of text.split('\n')) {
      if (word === 'ping') tell('alive')
      else if (word === 'stop') retire()
    }
  }
  Deno.exit(0)
}
globalThis.addEventListener('load', listenToHost)

// Shared by tests of storage: a server and its people, bare requests, buckets and policies on them.
import { readdir } from 'node:fs/promises'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll } from 'vitest'
import { signedIn, stranger } from '../support/people.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../support/server.ts'

export interface Storage {
  server: TestServer
  /** With the secret key: no policy applies. */
  service: SupabaseClient
  /** Signed in. */
  grace: SupabaseClient
}

type SignIn = (server: TestServer, person: 'grace') => Promise<SupabaseClient>

/**
 * Starts a server for the tests of one file, to be awaited where the file begins; it stops after the last of them.
 * `open` names private buckets in which everyone who is signed in may do everything.
 */
export async function startStorage(
  { open = [], ...options }: TestServerOptions & { open?: string[] } = {},
  { start, signIn } = { start: startTestServer, signIn: signedIn as SignIn },
): Promise<Storage> {
  const server = await start(options)
  afterAll(() => server.stop())
  const service = stranger(server, server.secretKey)
  for (const bucket of open) {
    await makeBucket(service, bucket)
    await openBucket(server, bucket)
  }
  return { server, service, grace: await signIn(server, 'grace') }
}

export interface BareRequest {
  method?: string
  /** API key sent as apikey and bearer; null for none, the publishable key by default. */
  key?: string | null
  headers?: Record<string, string>
  body?: NonNullable<RequestInit['body']>
}

/** A request that storage-js would not send, to a path below /storage/v1. */
export function bare(server: TestServer, path: string, request: BareRequest = {}): Promise<Response> {
  const { method = 'GET', key = server.publishableKey, headers = {}, body } = request
  const credentials: Record<string, string> = key ? { apikey: key, authorization: `Bearer ${key}` } : {}
  return fetch(`${server.url}/storage/v1${path}`, {
    method,
    headers: { ...credentials, ...headers },
    ...(body !== undefined && { body }),
    ...(body instanceof ReadableStream && { duplex: 'half' as const }),
  } as RequestInit)
}

/** The same with a JSON body. */
export function bareJson(
  server: TestServer,
  path: string,
  body: unknown,
  request: BareRequest = {},
): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...request.headers }
  return bare(server, path, { method: 'POST', ...request, headers, body: JSON.stringify(body) })
}

/** An error as the client has it: HTTP status, the body's statusCode, and the message. */
export function errorOf(error: unknown) {
  const { status, statusCode, message } = error as { status: number; statusCode: string; message: string }
  return { status, statusCode, message }
}

export const forbidden = {
  status: 400,
  statusCode: '403',
  message: 'new row violates row-level security policy',
}
export const objectMissing = { status: 400, statusCode: '404', message: 'Object not found' }
export const bucketMissing = { status: 400, statusCode: '404', message: 'Bucket not found' }
export const taken = { status: 400, statusCode: '409', message: 'The resource already exists' }

/** Runs SQL as the project's migrations do. */
export async function migrate(server: TestServer, sql: string): Promise<void> {
  await server.database.transaction(async (client) => {
    await client.query('set local role postgres')
    await client.query(sql)
  })
}

/** Opens a bucket to everyone who is signed in, for every operation. */
export const openBucket = (server: TestServer, bucket: string) =>
  migrate(
    server,
    `create policy "all of ${bucket}" on storage.objects to authenticated
     using (bucket_id = '${bucket}') with check (bucket_id = '${bucket}')`,
  )

/** Makes a bucket with the secret key. */
export async function makeBucket(
  service: SupabaseClient,
  id: string,
  options: Parameters<SupabaseClient['storage']['createBucket']>[1] = { public: false },
): Promise<void> {
  const { error } = await service.storage.createBucket(id, options)
  if (error) throw error
}

/** Versions of the files that the server keeps on its disk. */
export async function keptFiles(server: TestServer): Promise<string[]> {
  const root = `${server.services.config.dataDir}/storage/objects`
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
}

/** A body of `size` bytes that says everywhere whose it is. */
export const bodyOf = (mark: number, size: number) =>
  Buffer.alloc(size, String.fromCharCode(97 + (mark % 26)))

/** True for such a body of this size. */
export const isWhole = (body: Buffer, size: number) =>
  body.length === size && body.every((byte) => byte === body[0])

// Shared by tests of resumable uploads: a server over the disk or S3, tus-js-client as in Supabase's documentation,
// and the tus protocol by hand.

import type { SupabaseClient } from '@supabase/supabase-js'
import { Upload, type UploadOptions } from 'tus-js-client'
import { expect } from 'vitest'
import { signedIn, stranger } from '../support/people.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { startObjectStore } from './object-store.ts'
import { makeBucket, openBucket } from './storage.ts'

/** As Supabase's documentation has it. */
export const CHUNK = 6 * 1024 * 1024
export const MEBIBYTE = 1024 * 1024

type Headers = Record<string, string | null>

export interface Uploads {
  server: TestServer
  service: SupabaseClient
  grace: SupabaseClient
  sam: SupabaseClient
  /** Access token of Grace, who does everything that is not said to be another's. */
  token: string
  endpoint: string
  /** Uploads to the bucket shed as the documentation shows, and resolves with the finished client. */
  send(bytes: Buffer, objectName: string, more?: Partial<UploadOptions>): Promise<Upload>
  /** The object's bytes; null when there is none. */
  download(name: string, bucket?: string): Promise<Buffer | null>
  /** A request of the protocol; null leaves a header out. */
  tus(method: string, url: string, headers?: Headers, body?: Buffer | string): Promise<Response>
  patch(url: string, offset: number, body: Buffer | string, headers?: Headers): Promise<Response>
  begin(name: string, length: number, headers?: Headers, bucket?: string): Promise<Response>
  /** The address of an upload that was begun. */
  begun(name: string, length: number, headers?: Headers, bucket?: string): Promise<string>
  offsetOf(url: string): Promise<number>
  stop(): Promise<void>
}

/** The header Upload-Metadata. */
export const encoded = (pairs: Record<string, string>) =>
  Object.entries(pairs)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',')

export const tokenOf = async (client: SupabaseClient) =>
  (await client.auth.getSession()).data.session?.access_token as string

/** Starts a server with the buckets shed (at most 40 MB) and photos (PNG only), open to everyone signed in. */
export async function startUploads(where: 'disk' | 'S3'): Promise<Uploads> {
  const store = where === 'S3' ? await startObjectStore() : null
  const server = await startTestServer({ env: store?.env ?? {} })
  const service = stranger(server, server.secretKey)
  const grace = await signedIn(server, 'grace')
  const sam = await signedIn(server, 'sam')
  const token = await tokenOf(grace)
  const endpoint = `${server.url}/storage/v1/upload/resumable`
  await makeBucket(service, 'shed', { public: false, fileSizeLimit: '40MB' })
  await makeBucket(service, 'photos', { public: false, allowedMimeTypes: ['image/png'] })
  await openBucket(server, 'shed')
  await openBucket(server, 'photos')

  const uploads: Uploads = {
    server,
    service,
    grace,
    sam,
    token,
    endpoint,
    send: (bytes, objectName, more = {}) =>
      new Promise((resolve, reject) => {
        const upload: Upload = new Upload(bytes, {
          endpoint,
          retryDelays: [0, 50, 200],
          headers: { authorization: `Bearer ${token}` },
          uploadDataDuringCreation: true,
          metadata: {
            bucketName: 'shed',
            objectName,
            contentType: 'application/x-hay',
            cacheControl: '3600',
          },
          chunkSize: CHUNK,
          onError: reject,
          onSuccess: () => resolve(upload),
          ...more,
        })
        upload.start()
      }),
    async download(name, bucket = 'shed') {
      const { data, error } = await grace.storage.from(bucket).download(name)
      return error ? null : Buffer.from(await data.arrayBuffer())
    },
    tus(method, url, headers = {}, body) {
      const all = { 'tus-resumable': '1.0.0', authorization: `Bearer ${token}`, ...headers }
      const sent = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== null)
      return fetch(new URL(url, server.url), {
        method,
        headers: Object.fromEntries(sent),
        ...(body !== undefined && { body: body as NonNullable<RequestInit['body']> }),
      })
    },
    patch(url, offset, body, headers = {}) {
      const type = 'application/offset+octet-stream'
      return uploads.tus(
        'PATCH',
        url,
        { 'upload-offset': String(offset), 'content-type': type, ...headers },
        body,
      )
    },
    begin(name, length, headers = {}, bucket = 'shed') {
      const metadata = encoded({ bucketName: bucket, objectName: name, contentType: 'text/plain' })
      return uploads.tus('POST', endpoint, {
        'upload-length': String(length),
        'upload-metadata': metadata,
        ...headers,
      })
    },
    async begun(...given) {
      const response = await uploads.begin(...given)
      expect([response.status, await response.text()]).toEqual([201, ''])
      return response.headers.get('location') as string
    },
    offsetOf: async (url) => Number((await uploads.tus('HEAD', url)).headers.get('upload-offset')),
    async stop() {
      await server.stop()
      await store?.stop()
    },
  }
  return uploads
}

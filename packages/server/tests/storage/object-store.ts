// A server that speaks S3 over HTTP, for the tests of what is kept there: s3rver on a separate folder.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import type { Config } from '../../src/config/config.ts'

export interface ObjectStore {
  settings: NonNullable<Config['s3']>
  /** The same as environment variables. */
  env: Record<string, string>
  stop(): Promise<void>
}

/** Starts it on a free port with one empty bucket. */
export async function startObjectStore(): Promise<ObjectStore> {
  const directory = mkdtempSync(join(tmpdir(), 'meadowlark-s3-'))
  const server = new S3rver({
    directory,
    address: '127.0.0.1',
    port: 0,
    silent: true,
    configureBuckets: [{ name: 'meadowlark', configs: [] }],
  })
  const { port } = (await server.run()) as { port: number }
  const settings = {
    bucket: 'meadowlark',
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    // The only pair that s3rver knows.
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    forcePathStyle: true,
  }
  return {
    settings,
    env: {
      S3_BUCKET: settings.bucket,
      S3_ENDPOINT: settings.endpoint,
      S3_ACCESS_KEY_ID: settings.credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: settings.credentials.secretAccessKey,
    },
    async stop() {
      await server.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

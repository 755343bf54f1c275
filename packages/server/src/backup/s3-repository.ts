// Backups in a bucket of S3, or of anything that speaks its protocol, below the key `backup/`.
import type { Readable } from 'node:stream'
import { type Config, ConfigError } from '../config/config.ts'
import type { BackupRepository, KeptFile } from './repository.ts'

const PREFIX = 'backup/'
const MAX_KEYS_PER_REMOVAL = 1000

/** Connects to the bucket. Throws ConfigError when it cannot be used. */
export async function openS3Repository(settings: NonNullable<Config['s3']>): Promise<BackupRepository> {
  const sdk = await import('@aws-sdk/client-s3')
  const { Upload } = await import('@aws-sdk/lib-storage')
  const client = new sdk.S3Client({
    region: settings.region,
    endpoint: settings.endpoint ?? undefined,
    forcePathStyle: settings.forcePathStyle,
    credentials: settings.credentials ?? undefined,
    // Some S3-compatible servers reject the SDK's own checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const Bucket = settings.bucket
  await client.send(new sdk.HeadBucketCommand({ Bucket })).catch((error) => {
    client.destroy()
    throw new ConfigError([
      `BACKUP_S3_BUCKET: the bucket ${JSON.stringify(Bucket)} cannot be used (${error.name}: ${error.message})`,
    ])
  })

  return {
    async write(name, body) {
      await new Upload({ client, params: { Bucket, Key: PREFIX + name, Body: body } }).done()
    },
    async read(name) {
      const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket, Key: PREFIX + name }))
      return Body as Readable
    },
    async list(prefix) {
      const found: KeptFile[] = []
      const pages = sdk.paginateListObjectsV2({ client }, { Bucket, Prefix: PREFIX + prefix })
      for await (const { Contents = [] } of pages) {
        for (const { Key = '', Size = 0, LastModified } of Contents)
          found.push({ name: Key.slice(PREFIX.length), size: Size, writtenAt: LastModified ?? new Date(0) })
      }
      return found
    },
    async remove(names) {
      for (let from = 0; from < names.length; from += MAX_KEYS_PER_REMOVAL) {
        const Objects = names.slice(from, from + MAX_KEYS_PER_REMOVAL).map((name) => ({ Key: PREFIX + name }))
        await client.send(new sdk.DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }))
      }
    },
    close: () => client.destroy(),
  }
}

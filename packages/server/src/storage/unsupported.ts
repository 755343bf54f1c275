// The parts of Supabase's storage service that this server does not have (vector and analytics buckets, S3), each
// answered with an error in the shape that its client reads.
import { type Answer, json } from '../http/answer.ts'
import { StorageError } from './errors.ts'

/** The error for a feature such as "vector buckets". */
export const notEnabled = (feature: string) =>
  new StorageError(
    409,
    'FeatureNotEnabled',
    `The feature ${feature} is not enabled here: this server keeps files, in buckets of type STANDARD`,
  )

export function vectorBuckets(): never {
  throw notEnabled('vector buckets')
}

export function analyticsBuckets(): never {
  throw notEnabled('analytics buckets')
}

/** iceberg-js reads its errors from `error.message`, storage-js from `message`. */
export function icebergCatalog(): Answer {
  const { code, message, statusCode } = notEnabled('analytics buckets')
  return json({ message, error: { message, type: code, code: statusCode } }, 409)
}

export function s3Protocol(): Answer {
  const message = 'This server does not speak the S3 protocol; use storage-js or its HTTP API'
  return {
    status: 400,
    headers: { 'content-type': 'application/xml; charset=utf-8' },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NotImplemented</Code><Message>${message}</Message></Error>`,
  }
}

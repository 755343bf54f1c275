// The parts of Supabase's storage service that this server does not have (vector and analytics buckets, S3), each
// answered with an error in the shape that its client reads.
import { Hono } from 'hono'
import { StorageError } from './errors.ts'

/** The error for a feature such as "vector buckets". */
export const notEnabled = (feature: string) =>
  new StorageError(
    409,
    'FeatureNotEnabled',
    `The feature ${feature} is not enabled here: this server keeps files, in buckets of type STANDARD`,
  )

/** All that is below /vector, /iceberg and /s3. */
export function unsupportedRoutes(): Hono {
  const app = new Hono()

  app.all('/vector/*', () => {
    throw notEnabled('vector buckets')
  })

  // iceberg-js reads its errors from `error.message`, storage-js from `message`.
  app.all('/iceberg/v1/*', (c) => {
    const { code, message, statusCode } = notEnabled('analytics buckets')
    return c.json({ message, error: { message, type: code, code: statusCode } }, 409)
  })
  app.all('/iceberg/*', () => {
    throw notEnabled('analytics buckets')
  })

  for (const path of ['/s3', '/s3/*']) {
    app.all(path, (c) => {
      const message = 'This server does not speak the S3 protocol; use storage-js or its HTTP API'
      c.header('content-type', 'application/xml; charset=utf-8')
      return c.body(
        `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NotImplemented</Code><Message>${message}</Message></Error>`,
        400,
      )
    })
  }
  return app
}

// Chooses where bytes are kept: S3 when it is configured, a folder of DATA_DIR otherwise.
import { join } from 'node:path'
import type pino from 'pino'
import type { Config } from '../../config/config.ts'
import type { Backend } from './backend.ts'
import { openDisk } from './disk.ts'
import { withSpaceErrors } from './disk-errors.ts'
import { openS3 } from './s3.ts'
import { inSpans } from './spans.ts'

/** Opens the backend that the configuration names; `log` records why it cannot be used later on. */
export async function openBackend(
  { s3, dataDir }: Pick<Config, 's3' | 'dataDir'>,
  log?: pino.Logger,
): Promise<Backend> {
  return s3
    ? inSpans('s3', await openS3(s3, { log }))
    : inSpans('disk', withSpaceErrors(await openDisk(join(dataDir, 'storage'))))
}

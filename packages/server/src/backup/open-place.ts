// Chooses where backups are kept: a folder or a bucket of S3.
import type { BackupSettings } from '../config/integrations.ts'
import { openDiskPlace } from './disk-place.ts'
import type { BackupPlace } from './place.ts'
import { openS3Place } from './s3-place.ts'

/** Opens the place that the configuration names; without `writes` it must be there. Throws ConfigError when it cannot be used. */
export function openBackupPlace(
  { directory, s3 }: BackupSettings,
  { writes = true }: { writes?: boolean } = {},
): Promise<BackupPlace> {
  return s3 ? openS3Place(s3) : openDiskPlace(directory as string, { writes })
}

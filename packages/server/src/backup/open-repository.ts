// Chooses where backups are kept: a folder or a bucket of S3.
import type { BackupSettings } from '../config/integrations.ts'
import { openDiskRepository } from './disk-repository.ts'
import type { BackupRepository } from './repository.ts'
import { openS3Repository } from './s3-repository.ts'

/** Opens the backup repository that the configuration names; without `writes` it must be there. Throws ConfigError when it cannot be used. */
export function openBackupRepository(
  { directory, s3 }: BackupSettings,
  { writes = true }: { writes?: boolean } = {},
): Promise<BackupRepository> {
  return s3 ? openS3Repository(s3) : openDiskRepository(directory as string, { writes })
}

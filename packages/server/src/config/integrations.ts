// Services of others that the server may use: each is whole or missing, and half of one is an error. All of them
// return null where nothing is configured, and throw a ConfigError that names the setting that lacks.
import { resolve } from 'node:path'
import { ConfigError } from './config-error.ts'
import type { EnvironmentVariables } from './environment.ts'
import type { ConfigFile } from './file.ts'

export type MailServer = {
  host: string
  port: number
  /** Left out for servers that ask for no credentials. */
  user?: string
  pass?: string
  /** The sender's address and the name shown with it. */
  adminEmail: string
  senderName: string
}

export type ObjectStore = {
  bucket: string
  /** Address of a server that speaks S3; null for Amazon's own. */
  endpoint: string | null
  region: string
  /** Null where the machine itself has a right to the bucket. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null
  /** The bucket is in the path of an address, not in its host name. */
  forcePathStyle: boolean
}

/** The environment's mail server, else that of config.toml. */
export function mailServer(file: ConfigFile, variables: EnvironmentVariables): MailServer | null {
  const { smtp } = file.auth.email
  const host = variables.SMTP_HOST ?? (smtp.enabled ? smtp.host : undefined)
  if (!host) return null
  const adminEmail = variables.SMTP_ADMIN_EMAIL ?? smtp.admin_email
  if (!adminEmail) {
    throw new ConfigError([
      'SMTP_ADMIN_EMAIL: is not set, but SMTP_HOST is; set it to the address that mail comes from',
    ])
  }
  return {
    host,
    port: variables.SMTP_PORT ?? smtp.port,
    user: variables.SMTP_USER ?? smtp.user,
    pass: variables.SMTP_PASS ?? smtp.pass,
    adminEmail,
    senderName: variables.SMTP_SENDER_NAME ?? smtp.sender_name ?? '',
  }
}

/** Where backups are kept: a folder or a bucket. */
export type BackupSettings = {
  /** Absolute path; null for the bucket. */
  directory: string | null
  s3: ObjectStore | null
  /** To every moment of so many days one can go back. */
  keepDays: number
}

/** Where backups of the embedded PostgreSQL and of files go. */
export function backupSettings(variables: EnvironmentVariables): BackupSettings | null {
  const { BACKUP_DIR, BACKUP_S3_BUCKET, BACKUP_KEEP_DAYS, DATABASE_URL } = variables
  if (!BACKUP_DIR && !BACKUP_S3_BUCKET) return null
  const name = BACKUP_DIR ? 'BACKUP_DIR' : 'BACKUP_S3_BUCKET'
  if (DATABASE_URL) {
    throw new ConfigError([
      `${name}: backs up the embedded PostgreSQL, but DATABASE_URL is set; back that database up with its own tools and leave ${name} out`,
    ])
  }
  if (BACKUP_DIR && BACKUP_S3_BUCKET)
    throw new ConfigError(['BACKUP_DIR: is set, and BACKUP_S3_BUCKET, too; set one of them'])
  return {
    directory: BACKUP_DIR ? resolve(BACKUP_DIR) : null,
    s3: BACKUP_S3_BUCKET ? bucketOf(BACKUP_S3_BUCKET, variables) : null,
    keepDays: BACKUP_KEEP_DAYS,
  }
}

/** The bucket that files are kept in. */
export function objectStore(variables: EnvironmentVariables): ObjectStore | null {
  const { S3_BUCKET, S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = variables
  if (!S3_BUCKET) {
    if (variables.BACKUP_S3_BUCKET) return null
    const given = Object.entries({ S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }).find(
      ([, value]) => value,
    )
    if (!given) return null
    throw new ConfigError([
      `S3_BUCKET: is not set, but ${given[0]} is; set it to the bucket that files are kept in`,
    ])
  }
  return bucketOf(S3_BUCKET, variables)
}

function bucketOf(bucket: string, variables: EnvironmentVariables): ObjectStore {
  const { S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = variables
  if (!S3_ACCESS_KEY_ID !== !S3_SECRET_ACCESS_KEY) {
    const [missing, present] = S3_ACCESS_KEY_ID
      ? ['S3_SECRET_ACCESS_KEY', 'S3_ACCESS_KEY_ID']
      : ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']
    throw new ConfigError([`${missing}: is not set, but ${present} is; set both or neither`])
  }
  return {
    bucket,
    endpoint: S3_ENDPOINT ?? null,
    region: variables.S3_REGION,
    credentials:
      S3_ACCESS_KEY_ID && S3_SECRET_ACCESS_KEY
        ? { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY }
        : null,
    // Servers other than Amazon's rarely have a host name for each bucket.
    forcePathStyle: variables.S3_FORCE_PATH_STYLE
      ? variables.S3_FORCE_PATH_STYLE === 'true'
      : Boolean(S3_ENDPOINT),
  }
}

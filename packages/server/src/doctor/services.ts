// Checks the services of an installation: mail server, buckets, backups, and its public address.
import { existsSync, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { connect } from 'node:tls'
import pino from 'pino'
import { verifyNewest } from '../backup/commands.ts'
import type { Config } from '../config/config.ts'
import type { Keys } from '../keys/keys.ts'
import { smtpTransport } from '../mail/smtp.ts'
import { openS3 } from '../storage/backend/s3.ts'
import { type Finding, failure, ok, warning } from './finding.ts'

const TIMEOUT_MS = 10_000
const DAY_MS = 86_400_000
/** A base backup is taken every day: one that is older says that backing up has ended. */
const MAX_BACKUP_AGE_MS = 2 * DAY_MS
/** Certificates are renewed thirty days before their end. */
const CERTIFICATE_DAYS = 14
const MAX_CLOCK_DIFFERENCE_MS = 30_000

const messageOf = (error: unknown) => (error as Error).message

export async function examineMail({ smtp, production }: Config): Promise<Finding[]> {
  if (!smtp)
    return production
      ? [failure('mail', 'SMTP_HOST: is not set; nobody can confirm an account or reset a password')]
      : [ok('mail', 'goes to the inbox of the sandbox')]
  const place = `${smtp.host}:${smtp.port}`
  const transport = smtpTransport(smtp, pino({ enabled: false }))
  try {
    await transport.verify()
    return [ok('mail', `${place} lets us in`)]
  } catch (error) {
    return [
      failure(
        'mail',
        `${place} cannot be used (${messageOf(error)}); correct the SMTP_ variables, or the way to it`,
      ),
    ]
  } finally {
    transport.close()
  }
}

/** Puts an object into the bucket, and takes it out again. */
export async function examineFiles({ s3, databaseUrl, production }: Config): Promise<Finding[]> {
  if (!s3) {
    return production && databaseUrl
      ? [
          warning(
            'files',
            'lie in DATA_DIR of this machine; S3_BUCKET is what several servers, or another machine, need',
          ),
        ]
      : [ok('files', 'lie in DATA_DIR')]
  }
  try {
    const bucket = await openS3(s3)
    try {
      const place = { bucket: '', name: '', version: '00000000-0000-4000-8000-000000000000' }
      const body = Readable.from([Buffer.from('meadowlark')])
      await bucket.put(place, body, { maxBytes: 100, contentType: 'text/plain', cacheControl: 'no-store' })
      await bucket.remove([place])
    } finally {
      bucket.close?.()
    }
    return [ok('files', `the bucket ${s3.bucket} takes and gives up an object`)]
  } catch (error) {
    return [failure('files', messageOf(error))]
  }
}

export async function examineBackup(config: Config): Promise<Finding[]> {
  if (!config.backup) {
    if (!config.production) return []
    return [
      config.databaseUrl
        ? warning(
            'backup',
            'that of DATABASE_URL is not ours to see; BACKUP_DIR backs up the embedded PostgreSQL alone',
          )
        : failure(
            'backup',
            'BACKUP_DIR: is not set, nor is BACKUP_S3_BUCKET; a lost disk would take everything along',
          ),
    ]
  }
  const near = onSameDisk(config.dataDir, config.backup.directory)
  try {
    const { newest, faults } = await verifyNewest(config)
    const damages = faults.map((fault) =>
      failure('backup', `${fault}; take a new base backup with the command backup`),
    )
    if (!newest)
      return [
        ...near,
        ...damages,
        warning('backup', 'there is none yet; take one with the command backup while the server runs'),
      ]
    const age = Date.now() - new Date(newest.endedAt).getTime()
    const shown = `the newest is ${(age / 3_600_000).toFixed(1)} hours old`
    if (age > MAX_BACKUP_AGE_MS)
      damages.push(
        failure(
          'backup',
          `${shown}, though one is taken every day; its log says why (the command backup tries it now)`,
        ),
      )
    return [...near, ...(damages.length > 0 ? damages : [ok('backup', `${shown}, and whole, as is its log`)])]
  } catch (error) {
    return [...near, failure('backup', messageOf(error))]
  }
}

/** A backup that a lost disk would take along with the database. */
function onSameDisk(dataDir: string, directory: string | null): Finding[] {
  if (!directory || !existsSync(dataDir) || !existsSync(directory)) return []
  if (statSync(dataDir).dev !== statSync(directory).dev) return []
  return [
    warning(
      'backup',
      `BACKUP_DIR: ${directory} is on the disk of DATA_DIR; name a folder on another disk, or a bucket`,
    ),
  ]
}

/** Asks the app's address as a browser does: the way to it, its certificate, its keys and its clock. */
export async function examineSite(config: Config, keys: Pick<Keys, 'publishable'>): Promise<Finding[]> {
  const site = config.auth.site_url
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const ready = await fetch(`${site}/health/ready`, { signal })
    if (!ready.ok)
      return [
        failure(
          'site',
          `${site}/health/ready answers ${ready.status}; is that this server, and its database up?`,
        ),
      ]
    const found = [ok('site', `${site} answers`)]
    const configuration = (await (await fetch(`${site}/config.json`, { signal })).json()) as {
      supabaseKey?: unknown
    }
    if (configuration.supabaseKey !== keys.publishable)
      found.push(
        failure('site', `${site} has other keys than those of DATA_DIR; another server answers there`),
      )
    const date = Date.parse(ready.headers.get('date') ?? '')
    if (Math.abs(date - Date.now()) > MAX_CLOCK_DIFFERENCE_MS)
      found.push(failure('clock', `that of ${site} differs from this machine's; set both by NTP`))
    if (site.startsWith('https:')) found.push(await certificate(new URL(site)))
    return found
  } catch (error) {
    const cause = (error as { cause?: Error }).cause ?? (error as Error)
    const message = `${site} cannot be reached from here (${cause.message})`
    return [
      config.production
        ? failure('site', `${message}; look at its name, its proxy and its certificate`)
        : warning('site', `${message}; start the server, and look again`),
    ]
  }
}

function certificate({ hostname, port }: URL): Promise<Finding> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname }, () => {
      const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / DAY_MS)
      socket.end()
      const shown = `valid for ${days} more days`
      resolve(
        days < CERTIFICATE_DAYS
          ? warning('certificate', `${shown}; look why it is not renewed`)
          : ok('certificate', shown),
      )
    })
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no answer')))
    socket.on('error', reject)
  })
}

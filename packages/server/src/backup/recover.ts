// Lets PostgreSQL replay the log on the files of a base backup, and finds out how far it came:
// https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-PITR-RECOVERY
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { ConfigError } from '../config/config.ts'
import { startEmbeddedPostgres } from '../postgres/cluster/embedded.ts'
import { DamagedError } from './damage.ts'
import { formatLsn, parseLsn, segmentName } from './lsn.ts'
import { SLOT } from './wal-receiver.ts'

/** How long the log may take to be read. */
const RECOVERY_TIMEOUT_MS = 6 * 3600_000
/** Bytes of a page of the log, of its header, of the header of a segment's first page, and of a record's header. */
const [PAGE, PAGE_HEADER, SEGMENT_HEADER, RECORD_HEADER] = [8192n, 24n, 40n, 24n]

/** A PostgreSQL that has read its log, and the superuser's connection to it. */
export interface Recovered {
  client: pg.Client
  /** When the last transaction that was replayed committed; null when none came after the base backup. */
  lastCommit: Date | null
  /** The byte after the last record that was replayed. */
  replayed: bigint
  end(): Promise<void>
}

export interface RecoveryOptions {
  /** The unpacked base backup. */
  fresh: string
  walFolder: string
  /** The timeline to follow; `current` for the base backup's own. */
  timeline: string
  to: Date | undefined
  dataDir: string
  tell: (line: string) => void
}

/**
 * Recovers. Null when the log ends before the moment `to`, never without one. Throws DamagedError when the log does not make the
 * base backup whole, and ConfigError when the disk is full.
 */
export async function recover(options: RecoveryOptions): Promise<Recovered | null> {
  const { fresh, walFolder, timeline, to, tell } = options
  const quoted = walFolder.replaceAll('%', '%%').replaceAll("'", `'\\''`)
  const postgres = await startEmbeddedPostgres({
    directory: fresh,
    recoveryTimeoutMs: RECOVERY_TIMEOUT_MS,
    settings: {
      // A file that is not there ends the log; above 125 PostgreSQL gives up, so a full disk is not taken for the end.
      restore_command: `test -e '${quoted}/'%f || exit 1; cp '${quoted}/'%f '%p' || exit 200`,
      recovery_target_timeline: timeline,
      // It is ready once all of the log was read, and not before.
      hot_standby: 'off',
      // The names of time zones, Z among them, are not known to it yet.
      ...(to
        ? { recovery_target_time: to.toISOString().replace('Z', '+00'), recovery_target_action: 'promote' }
        : {}),
    },
    log: tell,
  }).catch(async (error) => {
    const words = await readFile(`${fresh}.log`, 'utf8').catch(() => '')
    const failure = failureIn(words, { ...options, message: error.message })
    if (failure) throw failure
    return null
  })
  if (!postgres) return null
  const client = new pg.Client({ connectionString: postgres.url() })
  const end = async () => {
    await client.end().catch(() => {})
    await postgres.stop()
  }
  try {
    await client.connect()
    // From its first byte, so that the backup that goes on has all of the new timeline.
    await client.query('select pg_create_physical_replication_slot($1, true)', [SLOT])
    const { rows } = await client.query(
      'select pg_last_xact_replay_timestamp() as at, pg_last_wal_replay_lsn()::text as replayed',
    )
    return { client, lastCommit: rows[0].at, replayed: parseLsn(rows[0].replayed), end }
  } catch (error) {
    await end()
    throw error
  }
}

/** The error to throw after PostgreSQL ended with these words; null where it found no moment `to`, and would go on without. */
export function failureIn(
  words: string,
  { to, dataDir, message }: Pick<RecoveryOptions, 'to' | 'dataDir'> & { message: string },
): Error | null {
  if (to && words.includes('recovery ended before configured recovery target was reached')) return null
  if (words.includes('No space left on device')) return diskFull(dataDir)
  if (/WAL ends before (end of online backup|consistent recovery point)/.test(words))
    return new DamagedError('its log is damaged before the end of the backup')
  return new ConfigError([`${message}\n${words.trim().split('\n').slice(-5).join('\n')}`])
}

export const diskFull = (dataDir: string) =>
  new ConfigError([`DATA_DIR: the disk of ${dataDir} is full; make room there and run this again`])

/**
 * Why the log was not replayed to its byte `end`; null where it was. The last record may be incomplete, which a kill leaves
 * behind; any other record that was not replayed is damaged.
 */
export async function unreplayed(
  walFolder: string,
  segmentBytes: bigint,
  replayed: bigint,
  end: bigint,
): Promise<string | null> {
  const segments: Buffer[] = []
  const first = replayed - (replayed % segmentBytes)
  const names = await readdir(walFolder)
  for (let start = first; start < end && segments.length < 2; start += segmentBytes) {
    // Whichever timeline it is of.
    const number = segmentName(0, start, segmentBytes).slice(8)
    const name = names.find((each) => each.slice(8) === number)
    if (!name) break
    segments.push(await readFile(join(walFolder, name)))
  }
  const bytes = Buffer.concat(segments).subarray(Number(replayed - first), Number(end - first))
  return hasWholeRecord(bytes, replayed, segmentBytes) ? `the log is damaged at ${formatLsn(replayed)}` : null
}

/** Whether `log`, which begins at `lsn`, begins with a whole record, or has one that names the first as its predecessor. */
function hasWholeRecord(log: Buffer, lsn: bigint, segmentBytes: bigint): boolean {
  const header = (at: bigint) =>
    at % segmentBytes === 0n ? SEGMENT_HEADER : at % PAGE === 0n ? PAGE_HEADER : 0n
  const record = lsn + header(lsn)
  const begin = Number(record - lsn)
  if (log.length < begin + Number(RECORD_HEADER)) return false
  // xl_prev is the second eight bytes of a record's header; all of it lies at multiples of eight.
  for (let at = begin + 8; at + 8 <= log.length; at += 8)
    if (log.readBigUInt64LE(at) === record && log.readUInt32LE(at - 8) >= RECORD_HEADER) return true
  const bytes = BigInt(log.readUInt32LE(begin))
  if (bytes < RECORD_HEADER) return false
  let [left, at] = [bytes, record]
  for (;;) {
    const room = PAGE - (at % PAGE)
    if (left <= room) return at + left <= lsn + BigInt(log.length)
    left -= room
    at += room
    at += header(at)
  }
}

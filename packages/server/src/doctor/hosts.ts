// The hosts of a database that fails over: which of them can be written to, and whether the others could take its place.
import { hostsOf, withHost } from '../config/database-url.ts'
import { connectClient } from '../sql/client.ts'
import { type Finding, failure, ok, warning } from './finding.ts'

interface Found {
  standby: boolean
  level: string
  /** Standbys that a commit waits for; empty where it waits for none. */
  synchronous: string
}

/** Looks at each host of DATABASE_URL; at nothing where there is one. */
export async function examineHosts(url: string): Promise<Finding[]> {
  const hosts = hostsOf(url)
  if (hosts.length < 2) return []
  const about = 'hosts'
  const findings: Finding[] = []
  let primaries = 0
  let standbys = 0
  for (const host of hosts) {
    const name = `${host.host}:${host.port}`
    try {
      const { standby, level, synchronous } = await look(withHost(url, host))
      if (standby) {
        standbys++
        findings.push(
          level === 'logical'
            ? ok(about, `${name} is a standby`)
            : warning(
                about,
                `${name} is a standby whose wal_level is ${level}: once promoted, it would send no changes of rows; set it to logical`,
              ),
        )
        continue
      }
      primaries++
      findings.push(ok(about, `${name} can be written to`))
      if (synchronous === '')
        findings.push(
          warning(
            about,
            `a commit on ${name} waits for no standby, so a failover can lose what was acknowledged; set synchronous_standby_names there`,
          ),
        )
    } catch (error) {
      findings.push(
        warning(about, `${name} cannot be used (${(error as Error).message}); nothing can fail over to it`),
      )
    }
  }
  if (primaries > 1)
    findings.push(
      failure(
        about,
        `${primaries} of them can be written to, and each has what the others lack; stop all but the one that was promoted last`,
      ),
    )
  if (primaries === 0 && standbys > 0)
    findings.push(failure(about, 'none can be written to; promote a standby with "select pg_promote()"'))
  return findings
}

async function look(url: string): Promise<Found> {
  const client = await connectClient({ connectionString: url, application_name: 'meadowlark-doctor' })
  try {
    const { rows } = await client.query<Found>(
      `select pg_is_in_recovery() as standby, current_setting('wal_level') as level,
         current_setting('synchronous_standby_names') as synchronous`,
    )
    return rows[0] as Found
  } finally {
    await client.end()
  }
}

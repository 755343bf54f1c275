// Moves a project's data from one home to another: its rows in one transaction that is committed once both ends are
// the same, then the bytes of stored objects. Whatever ends it, a second run begins where nothing is lost or twice.
import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import type { Baseline } from '../postgres/migrate/baseline.ts'
import { connectClient } from '../sql/client.ts'
import { readCatalogue } from './catalogue.ts'
import { beginMove, copyTables, differing, type Fingerprint, fingerprints } from './copy.ts'
import {
  type Api,
  keyOf,
  moveBytes,
  readObjects,
  removeObjects,
  type StoredObject,
  writeRows,
} from './objects.ts'
import { MoveError, makePlan, type Plan } from './plan.ts'
import { readSecrets, writeSecrets } from './vault.ts'

interface Home {
  /** Connection URL of the database: as its owner, on hosted Supabase as `postgres`. */
  database: string
  /** Its API, for the bytes of stored objects; null where there are none. */
  api: Api | null
}

export interface MoveOptions {
  from: Home
  to: Home
  /** Empties the target first, also of people and objects that the source does not have. */
  replace: boolean
  /** Takes along who is signed in: for homes with the same keys. */
  sessions: boolean
  /** The baseline of the project's migrations: what it replaced need not be in the history of both homes. */
  baseline: Baseline | null
  onProgress: (line: string) => void
}

export interface Moved {
  /** Rows by table. */
  rows: Record<string, number>
  objects: number
  bytes: number
  /** Names of the vault's secrets. */
  secrets: string[]
  /** Tables in which something was written at the source while it was copied: what the target has is older. */
  changed: string[]
}

type Clients = { from: pg.Client; to: pg.Client }

/** Moves everything. Throws MoveError with the obstacles, before anything is changed. */
export async function move(options: MoveOptions): Promise<Moved> {
  const from = await connectClient({
    connectionString: options.from.database,
    application_name: 'meadowlark-move',
  })
  try {
    const to = await connectClient({
      connectionString: options.to.database,
      application_name: 'meadowlark-move',
    })
    try {
      return await moveBetween({ from, to }, options)
    } finally {
      await to.end()
    }
  } finally {
    await from.end()
  }
}

async function moveBetween(clients: Clients, options: MoveOptions): Promise<Moved> {
  const { from, to } = clients
  const { replace, sessions, baseline, onProgress } = options
  await beginMove(from, 'read only')
  await beginMove(to, 'read write')
  const scope = sessions ? 'sessions' : 'project'
  const plan = await makePlan(from, {
    from: await readCatalogue(from, scope, baseline),
    to: await readCatalogue(to, scope, baseline),
  })
  for (const note of plan.notes) onProgress(note)
  const objects = await readObjects(from)
  const there = await readObjects(to)
  const apis = apisFor(options, [...objects, ...there])
  const here = await fingerprints(from, plan)
  const before = await fingerprints(to, plan)
  const due = differing(here, before)
  const wanted = new Set(objects.map(keyOf))
  const extra = there.filter((object) => !wanted.has(keyOf(object)))
  if (!replace) refuseInhabited(due, before, extra)
  if (apis && extra.length > 0) {
    await removeObjects(apis.to, extra)
    onProgress(`removed ${extra.length} objects at the target`)
  }

  if (due.length === 0) onProgress('all rows are there already')
  else await copyRows(clients, plan, { here, due, onProgress })
  const secrets = await writeSecrets(to, await readSecrets(from))
  await to.query('commit')

  const bytes = apis ? await copyObjects(to, apis, { objects, there, onProgress }) : 0
  await from.query('commit')
  await beginMove(from, 'read only')
  const changed = differing(here, await fingerprints(from, plan))
  if (!isDeepStrictEqual(objects, await readObjects(from))) changed.push('storage.objects')
  await from.query('commit')
  const rows = Object.fromEntries([...here].map(([table, found]) => [table, found.rows]))
  return {
    rows: { ...rows, 'storage.objects': objects.length },
    objects: objects.length,
    bytes,
    secrets,
    changed,
  }
}

function apisFor({ from, to }: MoveOptions, objects: StoredObject[]): { from: Api; to: Api } | null {
  if (objects.length === 0) return null
  if (from.api && to.api) return { from: from.api, to: to.api }
  throw new MoveError([
    `storage: there are ${objects.length} stored objects, whose bytes go from API to API; give the address and the secret key of both`,
  ])
}

/** Refuses a target with data. Without accounts, only migrations have filled it. */
function refuseInhabited(due: string[], before: Map<string, Fingerprint>, extra: StoredObject[]): void {
  const people = due.length > 0 ? (before.get('auth.users')?.rows ?? 0) : 0
  const problems = [
    ...(people > 0
      ? [`auth.users: ${people} people have accounts at the target, and its rows are others`]
      : []),
    ...(extra.length > 0 ? [`storage.objects: ${extra.length} objects are at the target alone`] : []),
  ]
  if (problems.length > 0)
    throw new MoveError([
      ...problems,
      'use an empty project, or --replace, which deletes what is at the target',
    ])
}

async function copyRows(
  clients: Clients,
  plan: Plan,
  {
    here,
    due,
    onProgress,
  }: { here: Map<string, Fingerprint>; due: string[]; onProgress: (line: string) => void },
): Promise<void> {
  let done = 0
  await copyTables(clients, plan, due, (table) => {
    done += 1
    onProgress(`${done} of ${due.length} tables: ${table}, ${here.get(table)?.rows} rows`)
  })
  const wrong = differing(here, await fingerprints(clients.to, plan))
  if (wrong.length > 0)
    throw new MoveError(
      wrong.map((table) => `${table}: what arrived is not what the source has; nothing was kept`),
    )
  onProgress(`${plan.tables.size} tables counted and hashed: the same at both ends`)
}

async function copyObjects(
  to: pg.Client,
  apis: { from: Api; to: Api },
  {
    objects,
    there,
    onProgress,
  }: { objects: StoredObject[]; there: StoredObject[]; onProgress: (line: string) => void },
): Promise<number> {
  let bytes = 0
  let sent = 0
  let done = 0
  await moveBytes(apis, objects, new Set(there.map(keyOf)), (object) => {
    bytes += object.bytes
    done += 1
    if (object.sent) sent += 1
    if (done % 100 === 0) onProgress(`${done} of ${objects.length} objects, ${megabytes(bytes)}`)
  })
  await writeRows(to, objects)
  if (!isDeepStrictEqual(await readObjects(to), objects))
    throw new MoveError([
      'storage.objects: what the target says of its objects is not what the source says; run it again',
    ])
  onProgress(
    `${objects.length} objects, ${megabytes(bytes)}, ${sent} of them sent: the same SHA-256 at both ends`,
  )
  return bytes
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

// The machine that a server runs on: Node, open files, the folder of its data and the room on its disk.
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { type Finding, failure, ok, warning } from './finding.ts'
import { processorShares } from './processor-shares.ts'

const GIGABYTE = 1e9
/** Bytes that are too few to go on, and the part of the disk below which it is time to make room. */
const LEAST_ROOM = GIGABYTE
const LITTLE_ROOM_SHARE = 0.1
/** Open files of a server, in addition to its connections: PostgreSQL's, the log's, stored objects that are read. */
const FILES_BESIDE = 1000

export async function examineMachine({ dataDir, limits }: Config): Promise<Finding[]> {
  return [
    ok('Node', `${process.version} on ${process.platform} (${process.arch})`),
    ...openFiles(limits.connections),
    ...processorShares(dataDir),
    folder(dataDir),
    ...(existsSync(dataDir) ? [...secretFiles(dataDir), await room(dataDir)] : []),
  ]
}

/** How many files this shell's processes may have open; a service manager may allow others. Nothing off Linux. */
function openFiles(connections: number): Finding[] {
  const path = '/proc/self/limits'
  if (!existsSync(path)) return []
  const line = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync(path, 'utf8'))
  const most = line?.[1] === 'unlimited' ? Number.POSITIVE_INFINITY : Number(line?.[1])
  const wanted = connections + FILES_BESIDE
  if (most >= wanted) return [ok('open files', `up to ${most}; MAX_CONNECTIONS is ${connections}`)]
  return [
    warning(
      'open files',
      `only ${most} where this runs, and MAX_CONNECTIONS is ${connections}; allow ${wanted} (LimitNOFILE of systemd, ulimit -n), or lower MAX_CONNECTIONS`,
    ),
  ]
}

function folder(dataDir: string): Finding {
  if (!existsSync(dataDir))
    return warning('data', `DATA_DIR: there is nothing in ${dataDir} yet; start the server once`)
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    return ok('data', dataDir)
  } catch {
    return failure(
      'data',
      `DATA_DIR: ${dataDir} is not this account's; run this as the account of the server, or give the folder to it`,
    )
  }
}

/** Files that only the server's account may read. */
function secretFiles(dataDir: string): Finding[] {
  return ['keys.json', 'vapid.json']
    .map((name) => join(dataDir, name))
    .filter((path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0)
    .map((path) => failure('keys', `${path} can be read by others; run chmod 600 ${path}`))
}

async function room(dataDir: string): Promise<Finding> {
  const { bavail, blocks, bsize } = await statfs(dataDir)
  const [free, all] = [bavail * bsize, blocks * bsize]
  const shown = `${(free / GIGABYTE).toFixed(1)} GB of ${(all / GIGABYTE).toFixed(0)} GB are free on the disk of DATA_DIR`
  if (free < LEAST_ROOM) return failure('disk', `${shown}; make room now: without it nothing can be written`)
  if (free < all * LITTLE_ROOM_SHARE) return warning('disk', `${shown}; make room, or give it a larger disk`)
  return ok('disk', shown)
}

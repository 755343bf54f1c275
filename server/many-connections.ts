// What a server in production does for thousands of connections, beside what it needs to answer the first.
import type { Server } from 'node:http'
import type { Server as NetServer } from 'node:net'
import type pino from 'pino'
import { preferEventLoop } from './event-loop-priority.ts'
import { makeRoomForFiles } from './file-descriptors.ts'
import { openMoreHandles } from './listening-handles.ts'

/**
 * Begins it for the servers, which listen already; `count` is how many connections there may be. Resolves with the further
 * handles, which are to be closed with the servers. What fails is written to the log.
 */
export function prepareForMany(servers: Server[], count: number, log: pino.Logger): Promise<NetServer[]> {
  void makeRoomForFiles(count)
    .catch((error) => log.warn({ err: error }, 'the table of open files grows when it is needed'))
    // Its thread would inherit it.
    .then(() => preferEventLoop(log))
  return openMoreHandles(servers, log)
}

// The connection below a lane: pg opens it, signs in and encrypts; what it receives from then on goes to the lane.
import { Socket, type SocketConstructorOpts } from 'node:net'
import pg from 'pg'
import { KEEP_ALIVE, streamOf } from '../client.ts'

/** Bytes read at once. */
const READ = 64 * 1024

export type LaneClient = {
  client: pg.Client
  /** Has all that is received from now on go to `read`, which must take out what it needs before it returns. */
  onData(read: (bytes: Buffer) => void): void
}

/** A client for a lane, not connected yet. It reads into one buffer again and again, unless it is encrypted. */
export function laneClient(url: string, options: pg.ClientConfig): LaneClient {
  const config = { ...KEEP_ALIVE, ...options, connectionString: url }
  const client = new pg.Client(config)
  if ((client as unknown as { ssl: unknown }).ssl) return { client, onData: (read) => takeOver(client, read) }
  const buffer = Buffer.allocUnsafeSlow(READ)
  // While it connects, pg's own reader may keep what it is given.
  let deliver = (bytes: Buffer) => {
    socket.emit('data', Buffer.from(bytes))
  }
  const socket: Socket = new Socket({
    onread: {
      buffer,
      callback(size: number) {
        deliver(buffer.subarray(0, size))
        return true
      },
    },
  } as SocketConstructorOpts)
  return {
    client: new pg.Client({ ...config, stream: () => socket }),
    onData: (read) => {
      deliver = read
    },
  }
}

function takeOver(client: pg.Client, read: (bytes: Buffer) => void): void {
  const stream = streamOf(client)
  // pg's own reader turns every message into an object and an event.
  stream.removeAllListeners('data')
  stream.on('data', read)
}

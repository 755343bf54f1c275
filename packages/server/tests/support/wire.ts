// A wire to a PostgreSQL that can be held up, and cut: the network between a server and its database.
import { connect, createServer, type Server, type Socket } from 'node:net'

export class Wire {
  private readonly server: Server
  private readonly ends = new Set<Socket>()
  private isHeld = false
  private isCut = false

  /** `path` names the unix socket at the far end, asked for each connection; null while there is none. */
  constructor(path: () => string | null) {
    this.server = createServer((near) => {
      const there = this.isCut ? null : path()
      if (there === null) return void near.destroy()
      const far = connect(there)
      for (const [end, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.ends.add(end)
        if (this.isHeld) end.pause()
        end.on('data', (data) => other.write(data))
        end.on('error', () => {})
        end.on('close', () => {
          this.ends.delete(end)
          other.destroy()
        })
      }
    })
  }

  /** The same address through this wire. */
  async url(of: string): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    const url = new URL(of)
    url.host = `127.0.0.1:${(this.server.address() as { port: number }).port}`
    return url.href
  }

  /** Connections stay open, and nothing comes through. */
  hold(): void {
    this.isHeld = true
    for (const end of this.ends) end.pause()
  }

  release(): void {
    this.isHeld = false
    for (const end of this.ends) end.resume()
  }

  /** Connections end, and new ones do so at once. */
  cut(): void {
    this.isCut = true
    for (const end of this.ends) end.destroy()
  }

  mend(): void {
    this.isCut = false
  }

  end(): void {
    this.cut()
    this.server.close()
  }
}

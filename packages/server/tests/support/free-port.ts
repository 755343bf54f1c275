// Finds a place for a test's server to listen.
import { createServer } from 'node:net'

// Below those that systems give to outgoing connections and to whoever asks for any port: nobody takes one of these in
// the moment between this and the server's start. Other workers begin elsewhere.
const FIRST = 10_000
const COUNT = 20_000
let next = Math.floor(Math.random() * COUNT)

/** A port that nobody listens on, and that this process gives to nobody else. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (next++ % COUNT)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false))
    // On every address, as the server looks.
    probe.listen(port, () => probe.close(() => resolve(true)))
  })
}

// Keys that change while the server runs: it looks at their files, and reads them anew once one of them is another. So a key
// is added, rotated or revoked without a restart.
import { unwatchFile, watchFile } from 'node:fs'
import { join } from 'node:path'
import type pino from 'pino'
import type { Config } from '../config/config.ts'
import type { Keys } from './keys.ts'
import { signingKeysFile } from './signing-keys.ts'

const INTERVAL_MS = 1000

/**
 * Watches until it is stopped. Files are looked at and not listened to, since they are replaced as a whole and may lie on
 * a disk that several machines share. A file that cannot be used changes nothing: the log says why.
 */
export function watchKeys(
  keys: Pick<Keys, 'reload' | 'jwks'>,
  { dataDir, jwt }: Pick<Config, 'dataDir' | 'jwt'>,
  log: pino.Logger,
): () => void {
  const paths = [join(dataDir, 'keys.json'), ...(jwt.keys ? [] : [signingKeysFile({ dataDir, jwt })])]
  let reading = Promise.resolve()
  const reload = () => {
    // One after the other, so that what is read last is the newest.
    reading = reading
      .then(() => keys.reload())
      .then(
        () => log.info({ published: keys.jwks.keys.map(({ kid }) => kid) }, 'the keys were read anew'),
        (error: Error) =>
          log.error({ reason: error.message }, 'the keys cannot be read; the earlier ones stay in use'),
      )
  }
  for (const path of paths)
    watchFile(path, { interval: INTERVAL_MS, persistent: false }, (now, before) => {
      // Node calls once for a file that is not there.
      if (now.mtimeMs !== before.mtimeMs) reload()
    })
  return () => {
    for (const path of paths) unwatchFile(path)
  }
}

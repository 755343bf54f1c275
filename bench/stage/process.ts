// Processes of the marketplace's benchmarks: its server with the Node options of `npm start`, and peers in bench/processes.
import { readFileSync } from 'node:fs'
import {
  type MeasuredProcess,
  type ProcessOptions,
  startProcess as startMeasured,
} from '../../packages/server/bench/stage/process.ts'
import type { Stage } from '../../packages/server/bench/stage/stage.ts'
import { repositoryFile } from '../../plugins/repository.ts'

export type { MeasuredProcess }

const SERVER_OPTIONS = (
  JSON.parse(readFileSync(repositoryFile('package.json'), 'utf8')) as { scripts: { start: string } }
).scripts.start
  .split(' ')
  .filter((word) => word.startsWith('--'))

/** Starts `bench/processes/<script>` and resolves once it says that it is ready. Ends with the stage. */
export function startProcess<Ready>(
  stage: Stage,
  script: string,
  { env, node = [], ...options }: ProcessOptions = {},
): Promise<MeasuredProcess<Ready>> {
  return startMeasured(stage, repositoryFile(`bench/processes/${script}`), {
    ...options,
    // Ours, in production, is measured without an address, a mail server and a payment provider.
    env: { ALLOW: 'missing-site-url,missing-smtp,missing-stripe', ...env },
    node: [...(script === 'server.mjs' ? SERVER_OPTIONS : []), ...node],
  })
}

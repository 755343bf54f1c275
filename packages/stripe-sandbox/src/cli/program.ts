// stripe-sandbox: starts the sandbox, says how the SDK reaches it, and stops it on a signal.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { describe } from '@meadowlark/server/cli/describe-error.ts'
import { startSandbox } from './standalone.ts'

const USAGE = `Usage: stripe-sandbox [--port PORT] [--webhook URL] [--data-dir DIR]
  --port PORT      where it listens on this machine (default: 12111)
  --webhook URL    where signed events are sent (default: nowhere)
  --data-dir DIR   where it keeps its database and keys (default: .stripe-sandbox)
`

try {
  const options = {
    port: { type: 'string', default: '12111' },
    webhook: { type: 'string' },
    'data-dir': { type: 'string', default: '.stripe-sandbox' },
    help: { type: 'boolean', default: false },
  } as const
  const { values } = parseArgs({ options })
  if (values.help) process.stdout.write(USAGE)
  else await run(Number(values.port), values.webhook ?? null, resolve(values['data-dir']))
} catch (error) {
  const isUsage = (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  process.stderr.write(isUsage ? `${(error as Error).message}\n\n${USAGE}` : `${describe(error)}\n`)
  process.exitCode = 1
}

async function run(port: number, webhook: string | null, dataDir: string): Promise<void> {
  const stopped = new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, done)
  })
  const { url, keys, stop } = await startSandbox({ dataDir, port, webhook })
  process.stdout.write(`
  Stripe's API is at ${url}/v1

  Secret key:       ${keys.secretKey}
  Publishable key:  ${keys.publishableKey}
  Webhook secret:   ${keys.webhookSecret}

  new Stripe(secretKey, { host: 'localhost', port: ${port}, protocol: 'http' })
`)
  await stopped
  await stop()
}

// npm start: builds what has changed, starts the server and says where everything is.
import { build } from './build.mjs'

const started = Date.now()
const args = process.argv.slice(2)

try {
  const built = await build()
  if (built.length > 0) process.stdout.write(`Built ${built.join(' and ')}.\n`)
} catch (error) {
  process.stderr.write(`\nThe build failed:\n${error.message}\n\n`)
  process.exit(1)
}

const { main } = await import('../.build/server.mjs')
await main({ args, onReady: announce })

/** @param {{ url: string, services: { config: { production: boolean, sandbox: Record<string, boolean> } } }} server */
function announce({ url, services: { config } }) {
  const lines = [`Meadowlark is at ${url}`]
  if (!config.production) {
    lines.push(
      '',
      'Demo people, all with the password Meadowlark1:',
      '  grace@example.com   posts tasks and pays',
      '  theo@example.com    verified tasker',
      '  ada@example.com     administrator',
      '  sam@example.com     has just arrived',
    )
  }
  if (config.sandbox.mail) lines.push('', `Test mail and SMS: ${url}/sandbox/inbox`)
  if (config.sandbox.stripe)
    lines.push('Payments are test payments; card 4242 4242 4242 4242, any date and CVC.')
  lines.push('', `Ready in ${((Date.now() - started) / 1000).toFixed(1)} s. Ctrl-C stops everything.`)
  process.stdout.write(`\n${lines.map((line) => `  ${line}`.trimEnd()).join('\n')}\n`)
}

// The announcement after a start: the address, the demo's accounts, and the test mail.

/**
 * Prints it.
 * @param {{ url: string, services: { config: { production: boolean, ownProject: boolean, project: string, dataDir: string }, keys: { publishable: string } }, sandbox: Record<string, boolean> }} server
 * @param {number} started when the command began, in milliseconds
 */
export function announce({ url, services: { config, keys }, sandbox }, started) {
  const lines = config.ownProject ? [`Meadowlark is at ${url}`] : foreignProject(url, config, keys)
  if (config.ownProject && !config.production) {
    lines.push(
      '',
      'Demo people, all with the password Meadowlark1:',
      '  grace@example.com   posts tasks and pays',
      '  theo@example.com    verified tasker',
      '  ada@example.com     administrator',
      '  sam@example.com     has just arrived',
    )
  }
  if (sandbox.mail) lines.push('', `Test mail and SMS: ${url}/sandbox/inbox`)
  if (sandbox.stripe) lines.push('Payments are test payments: card 4242 4242 4242 4242, any date and CVC.')
  lines.push('', `Ready in ${((Date.now() - started) / 1000).toFixed(1)} s. Ctrl-C stops everything.`)
  process.stdout.write(`\n${lines.map((line) => `  ${line}`.trimEnd()).join('\n')}\n`)
}

/** Parameters for supabase-js; the secret key is not shown on a screen. */
function foreignProject(url, { project, dataDir }, { publishable }) {
  return [
    `${project} is served at ${url}`,
    '',
    `Publishable key: ${publishable}`,
    `Secret key:      in ${dataDir}/keys.json`,
  ]
}

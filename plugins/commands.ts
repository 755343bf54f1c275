// The commands of the operator and what they are made of, built as .build/commands.mjs for scripts/.
import { runCommand } from '@meadowlark/server/cli/commands.ts'
import type { Config } from '@meadowlark/server/config/config.ts'
import { runAsOwnerOf } from '@meadowlark/server/process/run-as-owner.ts'
import { loadConfig as loadServerConfig, pluginsFor } from './index.ts'

export { describe } from '@meadowlark/server/cli/describe-error.ts'
export { withDatabase } from '@meadowlark/server/cli/project-database.ts'
export { ConfigError } from '@meadowlark/server/config/config.ts'
export { openBackend as openFileStore } from '@meadowlark/server/storage/backend/open.ts'
export { writeStaticSite } from '../deploy/static-site.ts'
export { stripeAccount } from './payments.ts'

/** Sums that must be 0 in a restored or upgraded database, by name. */
const LEDGER_CHECKS = {
  'payments whose ledger does not add up': `select count(*) from
    (select payment_id from public.ledger_entries group by payment_id having sum(amount) <> 0) unbalanced`,
}

/** As the server loads it; as root, the command then goes on as the account that the data belong to. */
export function loadConfig(sources: Parameters<typeof loadServerConfig>[0]): Config {
  const config = loadServerConfig(sources)
  runAsOwnerOf(config.dataDir)
  return config
}

/** Runs a command of the server and resolves with its exit code. */
export function run(name: string, args: string[]): Promise<number> {
  return runCommand(name, args, {
    prefix: 'npm run',
    suffix: ' --',
    loadConfig: loadServerConfig,
    pluginsFor,
    checksFor: ({ ownProject }) => (ownProject ? LEDGER_CHECKS : {}),
  })
}

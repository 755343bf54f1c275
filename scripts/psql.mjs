// npm run psql: the server's command (packages/server/src/cli/psql.ts).
import { runCommand } from './ensure-built.mjs'

await runCommand('psql')

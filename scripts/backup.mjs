// npm run backup: the server's command (packages/server/src/cli/backup.ts).
import { runCommand } from './ensure-built.mjs'

await runCommand('backup')

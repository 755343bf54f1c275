// npm run restore: the server's command (packages/server/src/cli/restore.ts).
import { runCommand } from './ensure-built.mjs'

await runCommand('restore')

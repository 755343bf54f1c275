// npm run upgrade: the server's command (packages/server/src/cli/upgrade.ts).
import { runCommand } from './ensure-built.mjs'

await runCommand('upgrade')

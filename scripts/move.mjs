// npm run move: the server's command (packages/server/src/cli/move.ts).
import { runCommand } from './ensure-built.mjs'

await runCommand('move')

// npm run keys: the server's command (packages/server/src/cli/keys.ts).
import { runCommand } from './ensure-built.mjs'

await runCommand('keys')

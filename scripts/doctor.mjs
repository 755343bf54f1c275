// npm run doctor: the server's command (packages/server/src/cli/doctor.ts).
import { runCommand } from './ensure-built.mjs'

await runCommand('doctor')

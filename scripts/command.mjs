// npm run backup, doctor, keys, move, psql, restore and upgrade: the commands of packages/server/src/cli.
import { loadCommands } from './ensure-built.mjs'

const [name, ...args] = process.argv.slice(2)
const { run } = await loadCommands()
process.exitCode = await run(name, args)

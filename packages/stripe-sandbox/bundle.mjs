// `npm pack` runs this file: the sandbox and what it needs of the server, in few files.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundleServer } from '@meadowlark/server/bundle.mjs'

const root = import.meta.dirname
rmSync(join(root, 'dist'), { recursive: true, force: true })
await bundleServer({ root, entries: { program: 'src/cli/program.ts' }, out: join(root, 'dist') })

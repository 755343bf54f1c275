#!/usr/bin/env node
// The command of the package; `npm pack` builds what it runs.
await import('../dist/program.mjs')

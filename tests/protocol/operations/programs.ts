// Programs of others that documented commands call. Programs that need another machine or an account are replaced by
// scripts that only record their calls; the arguments must exist.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Program {
  /** Why it does not run here. */
  why: string
  /** The test that shows the same with the program itself, or as close to it as can be. */
  shownBy: string
  /** The arguments that it takes, of those that the pages need. */
  accepts: RegExp
}

const COMPOSE = String.raw`compose( -f deploy/\S+\.yaml)+`
const COMPOSE_FILE = 'tests/protocol/server/compose.test.ts'
const IMAGE = 'tests/protocol/server/image.test.ts'
const HOSTED = 'tests/protocol/server/cli.test.ts'

export const PROGRAMS: Record<string, Program> = {
  systemctl: {
    why: 'there is no init system in a container',
    shownBy: IMAGE,
    accepts:
      /^(daemon-reload|edit \S+|(enable|disable)( --now)? \S+|(start|stop|restart|reload|status|cat|show) \S+)$/,
  },
  journalctl: {
    why: 'there is no init system in a container',
    shownBy: IMAGE,
    accepts:
      /^((-u|--unit|-o|--output|-n|--lines|--since|--until|--grep|-p) [^-\s]\S*( [^-\s]\S*)* ?|(-f|--follow|--no-pager|--disk-usage) ?)+$/,
  },
  docker: {
    why: 'no container engine runs where the tests do',
    shownBy: COMPOSE_FILE,
    accepts: new RegExp(
      `^(build -f deploy/Dockerfile -t \\S+ \\.|${COMPOSE} (up|down|pull|ps|logs|exec|run|restart|stop|start|create|build|cp)( .*)?|(run|exec|logs|stop|inspect) .+)$`,
    ),
  },
  pgbackrest: {
    why: 'it needs PostgreSQL as a service',
    shownBy: 'tests/protocol/server/pgbackrest.test.ts',
    accepts:
      /^(--(stanza|type|set|output|target|target-action)=.+ |--delta |--verbose )*(stanza-create|check|info|verify|backup|restore)$/,
  },
  useradd: {
    why: 'only root may make accounts',
    shownBy: 'tests/protocol/server/production-install.test.ts',
    accepts:
      /^(--system |--create-home |--user-group |--no-create-home |--home(-dir)? \S+ |--shell \S+ )+\w+$/,
  },
  'apt-get': {
    why: 'only root may install packages',
    shownBy: IMAGE,
    accepts: /^(update|install( (-y|--yes|--no-install-recommends))*( [a-z0-9][a-z0-9.+-]+)+)$/,
  },
  git: {
    why: 'an installation of the tests is no clone',
    shownBy: 'tests/protocol/operations/production-life.test.ts',
    accepts:
      /^(-C \S+ )?(clone \S+ \S+|pull|fetch( --tags)?|checkout ?\S*|rev-parse HEAD|log -1 --format=.+ \S+)$/,
  },
  nginx: {
    why: 'it reloads one that runs as root',
    shownBy: 'tests/protocol/server/static-host.test.ts',
    accepts: /^(-t|-s reload)$/,
  },
  rsync: {
    why: 'it goes to another machine',
    shownBy: 'tests/protocol/server/static-host.test.ts',
    accepts: /^(-a|--archive)( --(delete|ignore-missing-args))* \S+ \S+$/,
  },
  caddy: {
    why: 'it serves until it is stopped',
    shownBy: IMAGE,
    accepts: /^(run|validate|reload) --config \S+$/,
  },
  scp: {
    why: 'it comes from another machine',
    shownBy: 'tests/protocol/server/replicas.test.ts',
    accepts: /^\S+:\S+ \S+$/,
  },
  chown: {
    why: 'only root gives files away',
    shownBy: 'tests/protocol/server/production-install.test.ts',
    accepts: /^(-R )?\w+(:\w*)?( \S+)+$/,
  },
  sleep: {
    why: 'nothing here needs the time',
    shownBy: 'tests/protocol/server/rolling.test.ts',
    accepts: /^\d+$/,
  },
  dig: {
    why: 'no name server is asked in a test',
    shownBy: 'tests/protocol/server/doctor.test.ts',
    accepts: /^\+short (TXT|MX|A|AAAA) \S+$/,
  },
  netlify: {
    why: 'it needs an account of Netlify',
    shownBy: 'tests/protocol/server/static-page-heads.test.ts',
    accepts: /^deploy --prod( --build)?$/,
  },
  wrangler: {
    why: 'it needs an account of Cloudflare',
    shownBy: 'tests/protocol/server/static-page-heads.test.ts',
    accepts: /^pages deploy \S+$/,
  },
  supabase: {
    why: 'it needs a hosted project',
    shownBy: HOSTED,
    accepts:
      /^(link( --project-ref \S+)?|db push --remote|config push|secrets set( \w+=\S*)+|functions deploy( \S+)?|gen signing-key --algorithm \S+( --append)?)$/,
  },
}

/** They run what follows their own arguments, as the account that the tests have. */
const WRAPPERS: Record<string, string> = {
  sudo: `while :; do case "$1" in -u|-g) shift 2;; -*) shift;; *) break;; esac; done; exec env "$@"`,
  // Owners are for root to give.
  install: `for word; do shift; case "$word" in -o|-g) skip=1;; *) [ -n "$skip" ] || set -- "$@" "$word"; skip=;; esac; done; exec /usr/bin/install "$@"`,
  // As deploy/meadowlark, whose account and folders are not here.
  meadowlark: `command=$1; shift; exec npm run --silent "$command" -- "$@"`,
  runuser: `while [ "$1" != -- ]; do shift; done; shift; exec "$@"`,
}

/** Writes a folder of stand-ins for PATH; `calls` resolves with how they were called so far, and forgets it. */
export function standInFor(folder: string): { path: string; calls(): string[] } {
  const path = join(folder, 'stand-ins')
  const log = join(folder, 'calls')
  mkdirSync(path)
  writeFileSync(log, '')
  chmodSync(log, 0o666)
  const write = (name: string, script: string) =>
    writeFileSync(join(path, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  for (const name of Object.keys(PROGRAMS)) write(name, `echo "${name} $*" >> '${log}'`)
  for (const [name, script] of Object.entries(WRAPPERS)) write(name, script)
  const calls = () => {
    const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean)
    writeFileSync(log, '')
    return lines
  }
  return { path, calls }
}

/** The calls with arguments that the program does not take. */
export function unknownCalls(calls: string[]): string[] {
  return calls.filter((call) => {
    const [name = ''] = call.split(' ')
    return !PROGRAMS[name]?.accepts.test(call.slice(name.length + 1))
  })
}

// Every shell command of the operations pages, by its text (continued lines joined, comments left out), with what is expected of it.
// All run in a production installation, as the service's account, page by page.

export interface Expectation {
  /** Its exit code; 0 by default. */
  code?: number
  prints?: RegExp
  /** The server of the installation runs meanwhile, unless the command needs it `stopped`. */
  server?: 'stopped'
  /** It is a server itself: stopped once it has printed what is expected. */
  serves?: true
  /** On top of the service's environment. */
  env?: Record<string, string>
  /** A placeholder of later commands, and where its value is in what this one prints. */
  remembers?: [placeholder: string, value: RegExp]
  /** A program that it needs; where that is not installed the command is passed over. */
  needs?: string
}

export const COMMANDS: Record<string, Expectation> = {
  // functions.md, README.md
  'npm start -- --workdir ~/my-app': {
    ...{ serves: true, prints: /Ready in/ },
    env: { NODE_ENV: 'development', DATA_DIR: '', BACKUP_DIR: '', PORT: '<free port>', CLI_PORTS: 'false' },
  },
  // hosted-supabase.md
  'npm run static -- --host nginx --site https://<domain> --api https://<ref>.supabase.co --key <publishable key>':
    // The service's account cannot write beside the program.
    { code: 1, prints: /--out: .* cannot be written/ },
  "FROM_API_URL=http://127.0.0.1:3000 FROM_SECRET_KEY=<secret key here> TO_DATABASE_URL='postgresql://postgres:<password>@db.<ref>.supabase.co:5432/postgres' TO_API_URL=https://<ref>.supabase.co TO_SECRET_KEY=<secret key there> npm run move":
    { code: 1, prints: /db\.\w+\.supabase\.co/ },
  // sign-in.md
  'openssl genrsa -traditional 2048 | openssl rsa -traditional -outform der | base64 -w0': {
    ...{ needs: 'openssl', prints: /MII[\w+/]{1000,}=*/ },
    remembers: ['<SAML_PRIVATE_KEY>', /MII[\w+/]{1000,}=*/],
  },
  'curl <address>/auth/v1/admin/sso/providers -H "apikey: $SECRET_KEY" -H \'content-type: application/json\' -d \'{\n  "type": "saml", "metadata_url": "https://idp.example.com/metadata", "domains": ["example.com"],\n  "attribute_mapping": { "keys": { "full_name": { "name": "displayName" } } } }\'':
    // No identity provider is there.
    { needs: 'curl', prints: /saml/i },
  'curl -X POST <address>/auth/v1/admin/oauth/clients -H "apikey: $SECRET_KEY" -H "Authorization: Bearer $SECRET_KEY" -d \'{"client_name": "Yard Planner", "redirect_uris": ["https://planner.example.net/callback"]}\'':
    { needs: 'curl', prints: /"client_secret"/ },
  // upgrade.md
  'npm run upgrade': { server: 'stopped', prints: /of this version's PostgreSQL already/ },
}

/** With two PostgreSQL of its own. */
const DUMP = {
  why: 'it needs two PostgreSQL of Debian',
  shownBy: 'tests/protocol/server/external-database.test.ts',
}
const STANDBY = {
  why: 'it needs a primary and a standby on two machines',
  shownBy: 'tests/protocol/server/failover.test.ts',
}

/** Commands, and blocks of SQL by their first line, that are not run here, why, and the test that runs them or shows the same. */
export const ELSEWHERE: Record<string, { why: string; shownBy: string }> = {
  'npm ci && npm start': {
    why: 'it installs all packages anew',
    shownBy: 'tests/protocol/operations/production-life.test.ts',
  },
  'pg_dumpall --roles-only -h <host> > roles.sql && pg_dump -Fc -h <host> market > market.dump': DUMP,
  'psql -h <new host> -d postgres -f roles.sql': DUMP,
  'createdb -h <new host> -O meadowlark market && pg_restore -h <new host> -d market market.dump': DUMP,
  'pg_basebackup -h 10.0.0.1 -U replicator -D /var/lib/postgresql/15/main -R': STANDBY,
  "psql -h 10.0.0.1 -U postgres -c \"alter system set synchronous_standby_names = '*'\" -c 'select pg_reload_conf()'":
    STANDBY,
  "psql -h 10.0.0.2 -U postgres -c 'select pg_promote()'": STANDBY,
  'npm ci && npm test': { why: 'that is what runs this test', shownBy: 'scripts/test.mjs' },
}

/** Pages whose SQL is for the superuser of a PostgreSQL; on the others it is for `postgres`, as on hosted Supabase. */
export const FOR_SUPERUSER = ['docs/operations/database.md']

/** What the SQL of a page finds otherwise here than where it is meant for. */
export const BEFORE: Record<string, string> = {
  // Our own server has both secrets already.
  'docs/operations/hosted-supabase.md': 'delete from vault.secrets',
  // The role that the page makes first.
  'docs/operations/database.md':
    'do $$ begin create role meadowlark; exception when duplicate_object then null; end $$',
}

/** Statements in the text of a page that do not run here by themselves, and why. */
export const NOT_RUN: Record<string, string> = {
  "select finish_refund('<payment>', '<your reference>')":
    'it wants a refund that failed: tests/database/refunds-again.test.ts',
}

/** What placeholders stand for, on every page; those of an address, a key or a folder are known once the server runs. */
export const PLACEHOLDERS: Record<string, string> = {
  '<id>': '00000000-0000-4000-8000-000000000001',
  '<ref>': 'abcdefghijklmnopqrst',
  '<domain>': 'meadowlark.example',
  '<password>': 'Meadowlark1',
  '<METRICS_TOKEN>': 'a-token-of-the-metrics',
  '<secret key there>': 'sb_secret_of-another-project',
  '<pid>': '0',
  '<service_role key>': 'a.service-role.key',
}

// Every shell command of the operations pages, by its text (continued lines joined, comments left out), with what is expected of it.
// All run in a production installation, as the service's account, page by page in the order of the list in pages.ts.

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

/** Another program's work, which only notes how it was called: programs.ts. */
const NOTED: Expectation = {}

export const COMMANDS: Record<string, Expectation> = {
  // administration.md
  'npm run admin -- <e-mail address>': { prints: /administrator/ },
  'npm run admin -- --remove-demo': { prints: /^There are no demo people in this database/m },
  'npm run admin -- --remove-demo --yes': { prints: /^There are no demo people in this database/m },
  // backup-database-url.md
  'docker compose -f deploy/compose.yaml exec -T postgres pg_dumpall --username=meadowlark --roles-only > roles.sql':
    NOTED,
  'docker compose -f deploy/compose.yaml exec -T postgres pg_dump --username=meadowlark --format=custom meadowlark > market.dump':
    NOTED,
  'docker compose -f deploy/compose.yaml cp --archive meadowlark:/data <copy of data dir>': NOTED,
  'docker compose -f deploy/compose.yaml up --detach --wait postgres': NOTED,
  'docker compose -f deploy/compose.yaml exec -T postgres psql --username=meadowlark --dbname=postgres < roles.sql':
    NOTED,
  'docker compose -f deploy/compose.yaml exec -T postgres pg_restore --username=meadowlark --dbname=meadowlark < market.dump':
    NOTED,
  'docker compose -f deploy/compose.yaml create --build meadowlark': NOTED,
  'docker compose -f deploy/compose.yaml cp --archive <copy of data dir>/. meadowlark:/data': NOTED,
  'docker compose -f deploy/compose.yaml up --detach': NOTED,
  'sudo apt-get install pgbackrest': NOTED,
  'sudo systemctl restart postgresql@15-main': NOTED,
  'sudo systemctl stop postgresql@15-main': NOTED,
  'sudo systemctl start postgresql@15-main': NOTED,
  'sudo -u postgres pgbackrest --stanza=market stanza-create': NOTED,
  'sudo -u postgres pgbackrest --stanza=market check': NOTED,
  'sudo -u postgres pgbackrest --stanza=market --type=full backup': NOTED,
  'sudo -u postgres pgbackrest --stanza=market info': NOTED,
  'sudo -u postgres pgbackrest --stanza=market --output=text --verbose verify': NOTED,
  "sudo -u postgres pgbackrest --stanza=market --output=text --verbose verify | grep '^status: ok'":
    // No repository is there.
    { code: 1 },
  "sudo -u postgres psql -c 'select pg_switch_wal()'": { needs: 'psql', prints: /pg_switch_wal/ },
  "sudo -u postgres pgbackrest --stanza=market --delta --type=time --target='<moment>' --target-action=promote restore":
    NOTED,
  // backup.md
  'npm run backup': { prints: /ended/ },
  'npm run backup -- list': { prints: /ended/ },
  'npm run restore -- --list': { prints: /from .* until/ },
  // Nobody answers at its address, and it has no mail server.
  'npm run doctor': { code: 1, prints: /^ok .*database/m },
  'npm run restore': { server: 'stopped', code: 1, prints: /has a database/ },
  'npm run restore -- --replace': { server: 'stopped', prints: /^Restored \d+ rows/m },
  'npm run restore -- --replace --to 2026-11-22T14:30:00-06:00': {
    server: 'stopped',
    code: 1,
    prints: /is before the end of the oldest base backup/,
  },
  'npm run restore -- --replace --base 20261122T090000Z': {
    server: 'stopped',
    code: 1,
    prints: /there is no base backup/,
  },
  'DATA_DIR=/tmp/rehearsal npm run restore': { server: 'stopped', prints: /^Restored \d+ rows/m },
  // costs.md
  'node -p \'const p = 10000, machines = 1, gb = p * 62.1e-6; [59.57 * machines, 0.08 * (40 * machines + 2 * gb), 0.023 * (p * 0.002 + gb), p * 8 * 0.0001, p * 0.1 * 0.0083].map((usd) => (usd * 1.4).toFixed(2)).join(" + ")\'':
    { prints: /^[\d.]+( \+ [\d.]+)+\n$/ },
  'node -p \'const jobs = 0.2 * 10000; [jobs * (0.029 * 80 + 0.3), jobs / 2 * 2 + jobs * (0.0025 * 72 + 0.25)].map((cad) => cad.toFixed(2)).join(" + ")\'':
    { prints: /^[\d.]+ \+ [\d.]+\n$/ },
  // deploy.md
  'sudo useradd --system --user-group --home-dir /var/lib/meadowlark --shell /usr/sbin/nologin meadowlark':
    NOTED,
  'sudo git clone <repository> /opt/meadowlark': NOTED,
  'cd /opt/meadowlark': {},
  'sudo install -m 755 deploy/meadowlark /usr/local/bin/meadowlark': {},
  'sudo install -m 644 deploy/meadowlark.service /etc/systemd/system/meadowlark.service': {},
  'sudo install -m 640 -o root -g meadowlark /dev/null /etc/meadowlark.env': {},
  'sudo systemctl daemon-reload': NOTED,
  'sudo systemctl enable --now meadowlark': NOTED,
  // Nobody answers at its address, and it has no mail server.
  'sudo meadowlark doctor --production': { code: 1, prints: /^ok .*database/m },
  'sudo meadowlark admin <your e-mail address>': { prints: /administrator/ },
  'install -m 600 /dev/null deploy/.env': {},
  'echo "POSTGRES_PASSWORD=\'$(openssl rand -hex 24)\'" >> deploy/.env': { needs: 'openssl' },
  'docker compose -f deploy/compose.yaml up --build --detach': NOTED,
  'docker compose -f deploy/compose.yaml exec meadowlark npm run doctor -- --production': NOTED,
  'docker compose -f deploy/compose.yaml exec meadowlark npm run admin -- <your e-mail address>': NOTED,
  'docker compose -f deploy/compose.yaml exec postgres psql --username=meadowlark': NOTED,
  'docker build -f deploy/Dockerfile -t meadowlark .': NOTED,
  'sudo install -d -m 700 -o meadowlark -g meadowlark /var/backups/meadowlark': {},
  'docker compose -f deploy/compose.yaml stop meadowlark': NOTED,
  'docker compose -f deploy/compose.yaml run --rm --no-deps meadowlark npm run restore -- --replace': NOTED,
  'docker compose -f deploy/compose.yaml start meadowlark': NOTED,
  // functions.md, README.md
  'npm start -- --workdir ~/my-app': {
    serves: true,
    prints: /Ready in/,
    env: { NODE_ENV: 'development', DATA_DIR: '', BACKUP_DIR: '', PORT: '<free port>', CLI_PORTS: 'false' },
  },
  // hosted-supabase.md
  'npm run static -- --host nginx --site https://<domain> --api https://<ref>.supabase.co --key <publishable key> --out /var/lib/meadowlark/static':
    { prints: /^Written: \S+static, \S+static\.conf$/m },
  "FROM_API_URL=http://127.0.0.1:3000 FROM_SECRET_KEY=<secret key here> TO_DATABASE_URL='postgresql://postgres:<password>@db.<ref>.supabase.co:5432/postgres' TO_API_URL=https://<ref>.supabase.co TO_SECRET_KEY=<secret key there> npm run move":
    { code: 1, prints: /^no connection: .* db\.\w+\.supabase\.co$/m },
  // keys.md
  'cat <data dir>/vault.key': { prints: /\S{32}/ },
  // logs.md
  'docker compose -f deploy/compose.yaml -f deploy/compose.logs.yaml up --build --detach': NOTED,
  'sudo systemctl restart systemd-journald': NOTED,
  'sudo journalctl --disk-usage': NOTED,
  'sudo journalctl --unit meadowlark --since "1 hour ago" --output cat': NOTED,
  'sudo journalctl --unit meadowlark --since today --output cat --grep <sb-request-id>': NOTED,
  // mail.md
  'dig +short TXT <example.com>': NOTED,
  'dig +short TXT <selector>._domainkey.<example.com>': NOTED,
  'dig +short TXT _dmarc.<example.com>': NOTED,
  'openssl rand -hex 32': { needs: 'openssl', prints: /^[0-9a-f]{64}$/m },
  'echo "whsec_$(openssl rand -base64 32)"': { needs: 'openssl', prints: /^whsec_.{44}$/m },
  'curl --fail-with-body --user "mail:<MAIL_EVENTS_PASSWORD>" --header \'content-type: message/rfc822\' --data-binary @<report.eml> <SUPABASE_PUBLIC_URL>/functions/v1/mail-events':
    { needs: 'curl', prints: /\}$/ },
  // monitoring.md
  'curl --fail --header "Authorization: Bearer <METRICS_TOKEN>" <http://127.0.0.1:3000>/metrics': {
    needs: 'curl',
    prints: /^http_requests_total/m,
  },
  // privacy.md
  'npm run --silent psql -- -Atc "select jsonb_pretty(public.data_of_person(\'<id>\'))" > data.json': {
    needs: 'psql',
  },
  "npm run --silent psql -- -Atc \"select bucket_id || '/' || name from private.files_to_export('<id>')\" > files.txt":
    { needs: 'psql' },
  'curl --fail --output <file> --header "apikey: <secret key>" <SUPABASE_PUBLIC_URL>/storage/v1/object/<bucket>/<name>':
    // The file is nobody's.
    { needs: 'curl', code: 22 },
  'npm run keys -- add': { prints: /stands by/ },
  'npm run keys -- rotate': { prints: /signs/ },
  'npm run keys -- rotate secret': { prints: /is in use/ },
  'npm run keys -- rotate publishable': { prints: /is in use/ },
  'npm run keys -- list': { remembers: ['<old key>', /sb_secret_\S+(?= .*previous)/] },
  'npm run keys -- revoke <old key>': { prints: /is revoked/ },
  'sudo journalctl --unit meadowlark --since "30 days ago" --output cat > <journal.log>': NOTED,
  'npm run --silent psql -- --csv -c "select email, phone from auth.users where deleted_at is null" > people.csv':
    { needs: 'psql' },
  // replicas.md
  'sudo scp <first-server>:/var/lib/meadowlark/keys.json /var/lib/meadowlark/keys.json': NOTED,
  'sudo scp <first-server>:/var/lib/meadowlark/vapid.json /var/lib/meadowlark/vapid.json': NOTED,
  'sudo chown meadowlark: /var/lib/meadowlark/keys.json /var/lib/meadowlark/vapid.json': NOTED,
  'sudo chmod 600 /var/lib/meadowlark/keys.json /var/lib/meadowlark/vapid.json': {},
  'SITE_URL=https://meadowlark.example UPSTREAMS="10.0.0.11:3000 10.0.0.12:3000 10.0.0.13:3000" caddy run --config deploy/replicas.Caddyfile':
    NOTED,
  'sudo cp deploy/replicas.nginx.conf /etc/nginx/conf.d/meadowlark.conf': {},
  'sudo nginx -t': NOTED,
  'sudo nginx -s reload': NOTED,
  'sudo systemctl restart postgresql': NOTED,
  'sudo systemctl restart meadowlark': NOTED,
  'curl --fail --retry 60 --retry-delay 1 --retry-all-errors http://127.0.0.1:3000/health/ready': {
    needs: 'curl',
  },
  'sleep 5': NOTED,
  // sign-in.md
  'openssl genrsa -traditional 2048 | openssl rsa -traditional -outform der | base64 -w0': {
    needs: 'openssl',
    prints: /MII[\w+/]{1000,}=*/,
  },
  'curl --fail-with-body <SUPABASE_PUBLIC_URL>/auth/v1/admin/sso/providers --header "apikey: <secret key>" --header \'content-type: application/json\' --data \'{"type": "saml", "metadata_url": "<https://idp.example.com/metadata>", "domains": ["<example.com>"], "attribute_mapping": {"keys": {"full_name": {"name": "displayName"}}}}\'':
    // No identity provider is there, nor is SAML on.
    { needs: 'curl', code: 22, prints: /saml/i },
  'curl --fail-with-body <SUPABASE_PUBLIC_URL>/auth/v1/admin/oauth/clients --header "apikey: <secret key>" --header \'content-type: application/json\' --data \'{"client_name": "Yard Planner", "redirect_uris": ["<https://planner.example.net/callback>"]}\'':
    { needs: 'curl', prints: /"client_secret"/ },
  // tuning.md
  'npm run psql -- -c "alter system set shared_buffers = \'1GB\'" -c "alter system set effective_cache_size = \'2GB\'" -c "alter system set work_mem = \'16MB\'" -c "alter system set max_wal_size = \'4GB\'"':
    { needs: 'psql', prints: /(ALTER SYSTEM\s+){4}/ },
  "npm run psql -- -c \"select name, current_setting(name) as value, source, pending_restart from pg_settings where source in ('command line', 'configuration file') order by source, name\"":
    { needs: 'psql', prints: /shared_buffers/ },
  'npm run psql -- -c "alter system reset work_mem"': { needs: 'psql', prints: /ALTER SYSTEM/ },
  // upgrade.md
  'sudo git pull': NOTED,
  'npm run upgrade': { server: 'stopped', prints: /of this version's PostgreSQL already/ },
  'sudo git log -1 --format=\'%h %cd %s\' "$(cat supabase/oldest-compatible-version)"': NOTED,
  'sudo git rev-parse HEAD > <file for the commit>': NOTED,
  'sudo git checkout "$(cat <file for the commit>)"': NOTED,
}

const INSTALLING = {
  why: 'it installs or builds everything anew',
  shownBy: 'tests/protocol/operations/production-life.test.ts',
}
const RECIPE = {
  why: 'it is for a new cluster of Debian, where that test runs the page as it is written',
  shownBy: 'tests/protocol/server/database-recipe.test.ts',
}
const DUMP = {
  why: 'it needs two clusters of Debian, where that test runs the page as it is written',
  shownBy: 'tests/protocol/server/dump-restore.test.ts',
}
const STANDBY = {
  why: 'it needs a primary and a standby on two machines',
  shownBy: 'packages/server/tests/server/failover.test.ts',
}

/** Commands, and blocks of SQL by their first line, that are not run here, why, and the test that runs them or shows the same. */
export const ELSEWHERE: Record<string, { why: string; shownBy: string }> = {
  'npm ci && npm start': INSTALLING,
  'npm ci && npm test': { why: 'that is what runs this test', shownBy: 'scripts/test.mjs' },
  'sudo npm ci': INSTALLING,
  'sudo npm run build': INSTALLING,
  'sudo npm prune --omit=dev': INSTALLING,
  'npm run keys -- revoke <kid>': {
    why: 'it wants the name of a key that this server has had',
    shownBy: 'tests/protocol/server/production-install.test.ts',
  },
  "create role meadowlark login createrole replication password '<password>';": RECIPE,
  'create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch();':
    RECIPE,
  "pg_dumpall -h <host> -U postgres --roles-only | sed 's/ GRANTED BY [^;]*//' > roles.sql": DUMP,
  'pg_dump -h <host> -U postgres -Fc -f market.dump market': DUMP,
  'cp -a <data dir> <copy of data dir>': DUMP,
  "sudo -u postgres pg_dumpall --roles-only | sed 's/ GRANTED BY [^;]*//' > roles.sql": DUMP,
  'sudo -u postgres pg_dump -Fc market > market.dump': DUMP,
  'sudo cp -a <data dir> <copy of data dir>': DUMP,
  'sudo -u postgres psql -d postgres < roles.sql': DUMP,
  "sudo -u postgres psql -d postgres -c 'grant anon, authenticated, authenticator, service_role to meadowlark with admin option'":
    DUMP,
  'sudo -u postgres createdb -O meadowlark market': DUMP,
  'sudo -u postgres pg_restore -d market < market.dump': DUMP,
  'sudo cp -a <copy of data dir> <data dir>': DUMP,
  'psql -h <new host> -U postgres -d postgres -f roles.sql': DUMP,
  "psql -h <new host> -U postgres -d postgres -c 'grant anon, authenticated, authenticator, service_role to meadowlark with admin option'":
    DUMP,
  'createdb -h <new host> -U postgres -O meadowlark market': DUMP,
  'pg_restore -h <new host> -U postgres -d market market.dump': DUMP,
  'cp -a <copy of data dir> <data dir>': DUMP,
  'pg_basebackup -h 10.0.0.1 -U replicator -D /var/lib/postgresql/15/main -R': STANDBY,
  "psql -h 10.0.0.1 -U postgres -c \"alter system set synchronous_standby_names = '*'\" -c 'select pg_reload_conf()'":
    STANDBY,
  "psql -h 10.0.0.2 -U postgres -c 'select pg_promote()'": STANDBY,
}

/** Pages whose SQL is for the superuser of a PostgreSQL; on the others it is for `postgres`, as on hosted Supabase. */
export const FOR_SUPERUSER = ['docs/operations/database.md', 'docs/operations/backup-database-url.md']

/** Statements run before the SQL of a page, because this database already has something that the page creates. */
export const BEFORE: Record<string, string> = {
  // Our own server has both secrets already.
  'docs/operations/hosted-supabase.md': 'delete from vault.secrets',
  // The role that the page makes first.
  'docs/operations/database.md':
    'do $$ begin create role meadowlark; exception when duplicate_object then null; end $$',
}

/** Statements in the text of a page that do not run here by themselves, and why. */
export const NOT_RUN: Record<string, string> = {
  'alter system': 'the name of a statement',
  'alter system reset': 'the name of a statement',
  'grant set on parameter': 'the name of a statement',
  "select finish_refund('<payment>', '<your reference>')":
    'it wants a refund that failed: tests/database/refunds-again.test.ts',
}

/**
 * Values of placeholders on every page. The server's address, people, keys and folders are added once it runs. A placeholder that
 * is already an address or a file name is used as it is.
 */
export const PLACEHOLDERS: Record<string, string> = {
  '<pid>': '0',
  '<ref>': 'abcdefghijklmnopqrst',
  '<key>': 'a-key-of-the-tiles',
  '<domain>': 'meadowlark.example',
  '<your domain>': 'meadowlark.example',
  '<mail server>': 'smtp.meadowlark.example',
  '<user>': 'meadowlark',
  '<first-server>': '10.0.0.11',
  '<sender>': 'ada@example.com',
  '<mailbox>': 'ada',
  '<selector>': 'mail',
  '<password>': 'Meadowlark1',
  '<passphrase>': 'winter horizon',
  '<other password>': 'Meadowlark2',
  '<webhook secret>': 'whsec_stripe',
  '<e-mail address>': 'ada@example.com',
  '<your e-mail address>': 'ada@example.com',
  '<new name>': 'Theo Field',
  '<file>': 'photo.png',
  '<bucket>': 'profile-photos',
  '<name>': 'nobody/photo.png',
  '<repository>': 'https://git.example/meadowlark.git',
  '<file for the commit>': 'commit',
  '<sb-request-id>': '00000000-0000-4000-8000-000000000003',
  '<moment>': '2026-11-22 14:30:00-06',
  '<METRICS_TOKEN>': 'a-token-of-the-metrics',
  '<MAIL_EVENTS_PASSWORD>': 'a-password-for-bounces-of-thirty-two',
  '<secret key there>': 'sb_secret_of-another-project',
  '<service_role key>': 'a.service-role.key',
}

// Each rule of deploy/alerts.yml fires within thirty seconds of the figures that a fault leaves, and is silent before: by
// Prometheus' own tool, where that is installed. That the faults leave these figures: tests/protocol/server/alerts.test.ts.
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { repositoryFile } from '../../plugins/repository.ts'

const ALERTS = repositoryFile('deploy/alerts.yml')
const isInstalled = spawnSync('promtool', ['--version']).error === undefined

/**
 * Seconds from one reading to the next, as docs/operations/monitoring.md sets it; when the fault begins, and when the
 * alert must fire.
 */
const [EVERY, FAULT, TOLD] = [5, 60, 90]

/** Readings before and after the fault in promtool's notation: a number, or one that grows with each reading. */
type Series = { name: string; before: string; after: string }

const gauge = (name: string, before: number, after: number): Series => ({
  name,
  before: `${before}+0`,
  after: `${after}+0`,
})
/** The machine's clock, which Prometheus reads at its own. */
const clock = (name: string, wrong: number): Series => ({
  name,
  before: `0+${EVERY}`,
  after: `${FAULT + wrong}+${EVERY}`,
})
/** Seconds since something began, where that is first seen `late` seconds after the fault. */
const since = (name: string, late = 0): Series => ({ name, before: '0+0', after: `-${late}+${EVERY}` })
const counter = (name: string, after: number): Series => ({ name, before: '0+0', after: `0+${after}` })
const slow = (le: string, before: string, after: string): Series => ({
  name: `http_request_duration_seconds_bucket{service="rest",le="${le}"}`,
  before,
  after,
})

const FAULTS: Record<string, Series[]> = {
  ServerDown: [gauge('up{job="meadowlark"}', 1, 0)],
  DatabaseDown: [gauge('postgres_up', 1, 0)],
  RequestsFail: [counter('http_requests_total{status="503"}', 10)],
  RequestsSlow: [slow('1', '0+50', '600+0'), slow('5', '0+50', '600+50'), slow('+Inf', '0+50', '600+50')],
  ConnectionsExhausted: [gauge('postgres_pool_connections{state="waiting",pool="rest"}', 0, 40)],
  JobsLate: [gauge('jobs_late_seconds', 0, 65)],
  JobsFail: [gauge('jobs{state="retrying",task="mail"}', 0, 1)],
  QueueLate: [gauge('queue_late_seconds', 0, 65)],
  QueueFails: [gauge('queue_tries', 0, 2)],
  ProviderSilent: [since('outgoing_waiting_seconds{host="api.stripe.com"}')],
  PayoutsFail: [gauge('payouts_pending{status="failed"}', 0, 1)],
  MoneyWaitsLong: [gauge('payouts_pending_seconds{status="waiting"}', 0, 700_000)],
  ManySignInsFail: [counter('http_requests_total{service="auth",route="/token",status="400"}', 50)],
  DiskAlmostFull: [
    gauge('disk_free_bytes{folder="DATA_DIR"}', 50, 5),
    gauge('disk_size_bytes{folder="DATA_DIR"}', 100, 100),
  ],
  ReplicationSlotUnread: [gauge('postgres_replication_slot_bytes', 0, 2e9)],
  ChangesNotReceived: [gauge('realtime_receives_changes', 1, 0)],
  FollowerGone: [gauge('postgres_followers', 2, 1)],
  FollowerBehind: [since('postgres_follower_behind_seconds{follower="walreceiver"}', 10)],
  ReplicaDown: [gauge('postgres_replica_up', 1, 0)],
  ServersApart: [
    gauge('up{job="meadowlark",instance="a"}', 1, 1),
    gauge('up{job="meadowlark",instance="b"}', 1, 1),
    gauge('realtime_servers{instance="a"}', 2, 1),
  ],
  ClockWrong: [clock('machine_time_seconds', 60)],
  ClocksDiffer: [gauge('postgres_clock_ahead_seconds', 0, -60)],
  BackupOld: [gauge('backup_age_seconds', 0, 200_000)],
  BackupBehind: [since('backup_behind_seconds')],
  EventLoopLate: [gauge('nodejs_eventloop_lag_p99_seconds', 0, 1)],
}

/** More than one fault leads to these. */
const MORE: [string, Series[]][] = [
  [
    'DiskAlmostFull',
    [
      ...['DATA_DIR', 'BACKUP_DIR'].map((folder) => gauge(`disk_size_bytes{folder="${folder}"}`, 100, 100)),
      gauge('disk_free_bytes{folder="DATA_DIR"}', 50, 50),
      gauge('disk_free_bytes{folder="BACKUP_DIR"}', 50, 5),
    ],
  ],
  ['FollowerBehind', [since('postgres_follower_silent_seconds{follower="walreceiver"}')]],
  ['FollowerBehind', [since('postgres_replica_behind_seconds', 10)]],
]

test('every rule has a fault here', () => {
  const rules = [...readFileSync(ALERTS, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
  expect(rules.sort()).toEqual(Object.keys(FAULTS).sort())
})

test.skipIf(!isInstalled)(
  'each rule is silent before its fault, and told within thirty seconds of it',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'alert-rules-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    copyFileSync(ALERTS, join(folder, 'alerts.yml'))
    const firing = (alert: string) => `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`
    const tests = [...Object.entries(FAULTS), ...MORE].map(([alert, series]) => ({
      interval: `${EVERY}s`,
      input_series: series.map(({ name, before, after }) => ({
        series: name,
        values: `${before}x${FAULT / EVERY - 1} ${after}x20`,
      })),
      promql_expr_test: [
        [FAULT - EVERY, 0],
        [TOLD, 1],
      ].map(([at, value]) => ({
        expr: firing(alert),
        eval_time: `${at}s`,
        exp_samples: [{ labels: '{}', value }],
      })),
    }))
    // JSON is also YAML.
    const file = join(folder, 'test.yml')
    writeFileSync(
      file,
      JSON.stringify({ rule_files: ['alerts.yml'], evaluation_interval: `${EVERY}s`, tests }),
    )
    expect(execFileSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })).toContain('SUCCESS')
  },
)

// Clients, a thousand in `npm run test:soak`, whose sockets are cut at random while rows change, and the server's own
// replication connection with them. Each keeps a copy of what it may see, as an app does: it listens, reads, applies
// what it receives, and reads again whenever it had to join again.

import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import WebSocket from 'ws'
import { eventually } from '../support/eventually.ts'
import { makeAccount, signedIn } from '../support/people.ts'
import { amount } from '../support/soak.ts'
import type { Payload } from './changes-fixture.ts'
import { serverFor } from './fixture.ts'

const CLIENTS = amount({ gate: 40, soak: 1000 })
const NAMES = ['grace', 'theo', 'ada', 'sam'] as const
const LAST = 1000
const STEPS = amount({ gate: 80, soak: 200 })
const CUTS_IN_A_STEP = Math.ceil(CLIENTS / STEPS)

const END_REPLICATION = `select pg_terminate_backend(pid) from pg_stat_activity
  where backend_type = 'walsender' and datname = current_database()`

const { server } = serverFor(
  `
    create table public.pears (id int primary key, owner uuid, step int);
    alter table public.pears enable row level security;
    create policy "own or nobody's" on public.pears for select to authenticated
      using (owner is null or owner = (select auth.uid()));
    grant select on public.pears to authenticated;
    alter publication supabase_realtime add table public.pears`,
  // All of them come from one address, with a socket and a request for each.
  { MAX_CONNECTIONS_PER_ADDRESS: String(CLIENTS * 4) },
)
const ids: Record<string, string> = {}

beforeAll(async () => {
  for (const name of NAMES) ids[name] = await makeAccount(server, name)
})

/** The server is about to stop. */
let over = false
afterAll(() => {
  over = true
})

type Pear = { id: number; owner: string | null; step: number }

/** A client with a copy of the pears it may see. */
class Copy {
  readonly name: string
  readonly client: SupabaseClient
  private socket: WebSocket | null = null
  pears = new Map<number, Pear>()
  joins = 0
  /** Messages received since the last reading began. */
  private received: Payload[] | null = null

  constructor(name: string, token: string) {
    this.name = name
    const keep = (socket: WebSocket) => {
      this.socket = socket
    }
    this.client = createClient(server.url, server.publishableKey, {
      accessToken: async () => token,
      realtime: {
        reconnectAfterMs: () => 20 + Math.random() * 100,
        transport: class extends WebSocket {
          constructor(address: string, protocols?: string[]) {
            super(address, protocols)
            keep(this)
          }
        } as never,
      },
    })
    // A channel that is joined before the token is known is joined without it.
    void this.client.realtime.setAuth().then(() => this.listen())
  }

  private listen(): void {
    this.client
      .channel('pears')
      .on('postgres_changes', { event: '*', schema: 'public', table: 'pears' }, (payload) => {
        if (this.received) this.received.push(payload as unknown as Payload)
        else this.apply(payload as unknown as Payload)
      })
      .subscribe((status) => {
        if (status !== 'SUBSCRIBED') return
        this.joins++
        void this.read()
      })
  }

  private async read(): Promise<void> {
    const received: Payload[] = []
    this.received = received
    const { data, error } = await this.client.from('pears').select()
    if (this.received !== received || over) return
    // As apps do, it asks again when it was not answered.
    if (error) return this.read()
    this.pears = new Map((data as Pear[]).map((pear) => [pear.id, pear]))
    this.received = null
    for (const payload of received) this.apply(payload)
  }

  private apply({ eventType, new: now, old }: Payload): void {
    if (eventType === 'DELETE') this.pears.delete(old.id as number)
    // The row may be newer than messages received later.
    else if ((now.step as number) >= (this.pears.get(now.id as number)?.step ?? 0)) {
      this.pears.set(now.id as number, now as Pear)
    }
  }

  /** Cuts the wire, as a network does. */
  cut(): void {
    this.socket?.terminate()
  }

  state(): Pear[] {
    return [...this.pears.values()].sort((a, b) => a.id - b.id)
  }
}

test(`${CLIENTS} clients that are cut at random all end in the right state`, async () => {
  const signed = new Map<string, string>()
  for (const name of NAMES) {
    const { data } = await (await signedIn(server, name)).auth.getSession()
    signed.set(name, data.session?.access_token ?? '')
  }
  const copies: Copy[] = []
  for (let index = 0; index < CLIENTS; index++) {
    const name = NAMES[index % NAMES.length] as string
    copies.push(new Copy(name, signed.get(name) as string))
    if (index % 20 === 19) await eventually(() => copies.every(({ joins }) => joins > 0))
  }
  await eventually(() => copies.every(({ joins }) => joins > 0))

  const { pool } = server.database
  for (let step = 1; step <= STEPS; step++) {
    const id = Math.ceil(Math.random() * 30)
    const owner = [null, ...NAMES.map((name) => ids[name])][Math.floor(Math.random() * 5)]
    if (Math.random() < 0.2) await pool.query('delete from pears where id = $1', [id])
    else {
      // A row keeps its owner: of one that leaves somebody's sight nothing is sent, here as on Supabase.
      await pool.query(`insert into pears values ($1, $2, $3) on conflict (id) do update set step = $3`, [
        ...[id, owner, step],
      ])
    }
    for (let cut = 0; cut < CUTS_IN_A_STEP; cut++) copies[Math.floor(Math.random() * copies.length)]?.cut()
    if (step === STEPS / 2) await pool.query(END_REPLICATION)
    // As far apart as people's changes are: what comes in one burst is sent in one.
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await pool.query('insert into pears values ($1, null, $1)', [LAST])
  await eventually(() => copies.every(({ pears }) => pears.has(LAST)), 200_000)

  const { rows } = await pool.query<Pear>('select * from pears order by id')
  for (const copy of copies) {
    const visible = rows.filter(({ owner }) => owner === null || owner === ids[copy.name])
    expect(copy.state()).toEqual(visible)
  }
  // Each joined, and joined again when the replication connection was lost, if not before.
  expect(copies.filter(({ joins }) => joins < 2)).toEqual([])
  await Promise.all(copies.map(({ client }) => client.realtime.disconnect()))
})

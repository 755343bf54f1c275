// Private channels to try: rooms whose members may read or write, by policies on realtime.messages.
import { randomUUID } from 'node:crypto'
import type { TestServer } from '../support/server.ts'

export const grace = randomUUID()
export const sam = randomUUID()

export const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

/** An access token of somebody who is signed in. */
export function tokenFor(
  server: TestServer,
  sub: string,
  claims: Record<string, unknown> = {},
): Promise<string> {
  return server.services.keys.sign({ role: 'authenticated', sub, exp: inSeconds(3600), ...claims })
}

export const withPrivate = (config: object = {}) => ({ config: { private: true, ...config } })

/** The error of a client that may not join. */
export const denied = (topic: string) =>
  `Unauthorized: You do not have permissions to read from this Channel topic: ${topic}`

/** Creates the rooms, and who may do what in them. */
export async function openRooms(server: TestServer): Promise<void> {
  await server.database.pool.query(`
    create table public.rooms (name text, person uuid, reads text[], writes text[]);
    grant select on public.rooms to authenticated;
    create function public.may(act text, extension text) returns boolean language sql stable as $$
      select exists (
        select from public.rooms
        where name = realtime.topic() and person = (auth.jwt() ->> 'sub')::uuid
          and extension = any (case act when 'read' then reads else writes end)
      )
    $$;
    create policy "members read" on realtime.messages for select to authenticated
      using (public.may('read', extension));
    create policy "members write" on realtime.messages for insert to authenticated
      with check (public.may('write', extension));
    create policy "members of the slow room write slowly" on realtime.messages for insert to authenticated
      with check (case when realtime.topic() = 'slow' then pg_sleep(0.5) is not null end);
    create policy "slowly decided" on realtime.messages for select to authenticated
      using (case when realtime.topic() like 'slowly %' then pg_sleep(0.3) is not null end);
    create policy "a policy that fails" on realtime.messages for select to authenticated
      using (case when realtime.topic() = 'broken' then 1 / (length(topic) - 6) = 1 else false end);
    insert into public.rooms values
      ('all', '${grace}', '{broadcast,presence}', '{broadcast,presence}'),
      ('slow', '${sam}', '{broadcast}', '{}'),
      ('all', '${sam}', '{broadcast,presence}', '{broadcast,presence}'),
      ('read only', '${sam}', '{broadcast}', '{}'),
      ('read only', '${grace}', '{broadcast,presence}', '{broadcast,presence}'),
      ('presence only', '${sam}', '{presence}', '{presence}'),
      ('presence only', '${grace}', '{broadcast,presence}', '{broadcast,presence}');
  `)
}

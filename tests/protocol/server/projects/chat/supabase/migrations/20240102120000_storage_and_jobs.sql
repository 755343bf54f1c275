-- A bucket with its policies, schedules, a secret, and webhooks of both kinds.
begin;
  drop publication if exists supabase_realtime;
  create publication supabase_realtime;
commit;
alter publication supabase_realtime add table public.messages, public.rooms;

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('avatars', 'avatars', true, 1048576, array['image/png', 'image/jpeg'])
on conflict (id) do nothing;

create policy "Avatar images are public." on storage.objects for select using (bucket_id = 'avatars');
create policy "Own avatar" on storage.objects for insert to authenticated
  with check (bucket_id = 'avatars' and auth.uid()::text = (storage.foldername(name))[1]);

create extension if not exists pg_cron;
create extension if not exists pg_net with schema extensions;
grant usage on schema cron to postgres;
grant all privileges on all tables in schema cron to postgres;

create table public.ticks (at timestamptz not null default now());
alter table public.ticks enable row level security;
select cron.schedule('tick', '1 seconds', $$ insert into public.ticks default values $$);
select cron.schedule('nightly', '0 3 * * *', 'delete from public.ticks');
create procedure public.tidy() language plpgsql as $$ begin delete from public.ticks where false; commit; end $$;
select cron.schedule('tidy', '1 second', 'call public.tidy()');
select cron.schedule('vacuum', '1 second', 'vacuum public.ticks');
do $$
begin
  perform cron.unschedule('was-never-there');
exception when others then
  raise notice 'nothing to unschedule';
end
$$;

create extension if not exists pgmq;
select pgmq.create('letters');
select * from pgmq.send('letters', '{"to": "grace"}');
select * from pgmq.send_batch(queue_name => 'letters', msgs => array['{"to": "theo"}'::jsonb, '{"to": "ada"}']);
create function public.next_letter() returns setof pgmq.message_record language sql security definer set search_path = '' as $$
  select * from pgmq.read(queue_name => 'letters', vt => 30, qty => 1)
$$;
create function public.finish_letter(id bigint, keep boolean) returns boolean language sql security definer set search_path = '' as $$
  select case when keep then pgmq.archive('letters', id) else pgmq.delete('letters', id) end
$$;
revoke execute on function public.next_letter, public.finish_letter from public, anon, authenticated;

select vault.create_secret('from the vault', 'announce_word', 'What announcements say');

create function private.announce() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform net.http_post(
    url := 'http://host.docker.internal:54321/functions/v1/announce',
    headers := jsonb_build_object('Content-Type', 'application/json'),
    body := jsonb_build_object(
      'title', new.title,
      'word', (select decrypted_secret from vault.decrypted_secrets where name = 'announce_word')
    )
  );
  return new;
end
$$;
create trigger announce after insert on public.rooms for each row execute function private.announce();

create trigger "message-webhook" after insert on public.messages for each row
execute function supabase_functions.http_request(
  'http://kong:8000/functions/v1/announce', 'POST', '{"Content-Type":"application/json"}', '{}', '5000'
);

create table public.announcements (id bigserial primary key, said jsonb not null);
alter table public.announcements enable row level security;
alter default privileges in schema public revoke execute on functions from public;
alter role authenticated set statement_timeout = '15s';
notify pgrst, 'reload schema';

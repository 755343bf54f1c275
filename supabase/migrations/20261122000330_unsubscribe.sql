-- Unsubscribing from e-mails without signing in: a random token, which stands for one person and some kinds and says
-- nothing else. Those of an e-mail's own kinds stand in it, so its reader turns off what it is about, and may undo that.

create table private.unsubscribe_tokens (
  token uuid primary key default gen_random_uuid(),
  person_id uuid not null references private.profiles (id) on delete cascade,
  kinds public.notification_kind[] not null check (cardinality(kinds) > 0), -- sorted
  created_at timestamptz not null default now(),
  unique (person_id, kinds)
);
alter table private.unsubscribe_tokens enable row level security;

-- That person's token for these kinds; null where none of them can be turned off.
create function private.unsubscribe_token(person uuid, wanted public.notification_kind[]) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  kept constant public.notification_kind[] := array(select distinct k from unnest(wanted) k where not private.is_required(k) order by k);
  found_token uuid;
begin
  if cardinality(kept) = 0 then
    return null;
  end if;
  insert into private.unsubscribe_tokens (person_id, kinds) values (person, kept)
  on conflict (person_id, kinds) do update set kinds = excluded.kinds returning token into found_token;
  return found_token;
end $$;

-- For whoever has the token: {kinds, subscribed}; null where there is no such token.
create function public.email_subscription(token uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('kinds', to_jsonb(u.kinds), 'subscribed',
    (select bool_or(private.wants_email(u.person_id, k)) from unnest(u.kinds) k))
  from private.unsubscribe_tokens u where u.token = email_subscription.token
$$;

-- Turns e-mails of the token's kinds off, or on again; harmless to repeat. Answers as email_subscription does.
create function public.set_email_subscription(token uuid, subscribed boolean) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  known private.unsubscribe_tokens;
begin
  perform private.require(subscribed is not null, 'subscribed must be true or false', 'subscribed');
  select * into known from private.unsubscribe_tokens u where u.token = set_email_subscription.token;
  perform private.require(known.token is not null, 'This link is not valid any more. Sign in to choose which e-mails you get.', 'token');
  insert into public.notification_preferences (user_id, kind, email)
  select known.person_id, k, subscribed from unnest(known.kinds) k
  on conflict (user_id, kind) do update set email = excluded.email;
  return public.email_subscription(known.token);
end $$;
grant execute on function public.email_subscription(uuid), public.set_email_subscription(uuid, boolean)
  to anon, authenticated, service_role;

-- Takes at most so many e-mails that are to be sent now: [{id, to, name, events, unsubscribe, unsubscribe_kinds}]:
-- `unsubscribe` is the token for all that can be turned off in it (null: nothing can), unsubscribe_kinds one for each kind.
create or replace function public.begin_emails(max_emails integer) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  taken jsonb;
begin
  perform private.gather_emails(least(greatest(max_emails, 0), 100));
  -- Between two tries the account was closed or the conversation read.
  delete from private.emails m where m.status = 'waiting' and m.next_try_at <= now()
    and (private.email_address(m.person_id) is null
      or not exists (select from private.email_events e where e.email_id = m.id));
  with due as (
    select id from private.emails where status = 'waiting' and next_try_at <= now()
      and (taken_until is null or taken_until <= now())
    order by next_try_at limit least(greatest(max_emails, 0), 100) for update skip locked
  ), begun as (
    update private.emails m set attempts = m.attempts + 1, taken_until = now() + interval '10 minutes'
    from due where m.id = due.id returning m.id, m.person_id
  ), kinds as (
    select b.id, b.person_id, array_agg(distinct t.kind) as kinds from begun b
    join private.email_events e on e.email_id = b.id join private.notification_texts t on t.key = e.key
    group by b.id, b.person_id
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', b.id, 'to', private.email_address(b.person_id),
    'name', private.person_name(b.person_id), 'events', private.events_of_email(b.id),
    'unsubscribe', private.unsubscribe_token(b.person_id, b.kinds),
    'unsubscribe_kinds', (select coalesce(jsonb_agg(jsonb_build_object('kind', k, 'token', private.unsubscribe_token(b.person_id, array[k]))
      order by k), '[]') from unnest(b.kinds) k where not private.is_required(k)))), '[]') into taken from kinds b;
  if taken <> '[]' then
    -- Whoever took them may die; one such job is enough, and a later one takes its place.
    perform private.enqueue_function('send-emails', '{}', 'send-emails-taken', now() + interval '10 minutes');
  end if;
  return taken;
end $$;

-- For operators: what still gathers is sent now.
create function public.flush_emails() returns void
language plpgsql security definer set search_path = '' as $$
begin
  update private.email_events set due_at = now() where email_id is null and due_at > now();
  perform private.schedule_emails(now());
end $$;
grant execute on function public.flush_emails() to service_role;

-- Who leaves and keeps an empty anchor keeps none of this.
create or replace function private.erase_emails() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from private.email_events where person_id = new.id;
  delete from private.emails where person_id = new.id;
  delete from private.unsubscribe_tokens where person_id = new.id;
  delete from public.notification_preferences where user_id = new.id;
  return null;
end $$;

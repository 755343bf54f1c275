-- What the back office asks of the database: what waits, people by name or address, and the chat that a complaint is about.
-- Every function asks whether the caller is an admin. Lists are paged by the last row that was read (keyset), so that the
-- hundredth page costs what the first one does.

-- The text of a person that the back office searches; the index below holds it.
create function private.person_text(full_name text, email text, phone text) returns text
language sql immutable parallel safe set search_path = '' as $$
  select concat_ws(E'\n', full_name, email, phone)
$$;
-- Who changes a row with this index runs it.
grant execute on function private.person_text(text, text, text) to anon, authenticated, service_role;
create index profiles_text on private.profiles using gin (private.person_text(full_name, email, phone) extensions.gin_trgm_ops)
  where deleted_at is null;
create index profiles_newest on private.profiles (created_at desc, id desc) where deleted_at is null;
create index profiles_of_role on private.profiles (role, created_at desc, id desc) where deleted_at is null;
create index payments_not_sent on public.payments (updated_at)
  where payout_status in ('failed', 'queued') or refund_status in ('failed', 'queued');

-- People with an account, newest first: all words of the text stand in name, e-mail or phone. `filter` is everyone, task_giver,
-- task_doer, admin or suspended. The page after the row (before_at, before_id); at most 100.
create function public.find_people(query text default '', filter text default 'everyone',
  before_at timestamptz default null, before_id uuid default null, max_results integer default 50)
returns table (id uuid, full_name text, email text, phone text, avatar_url text, city text, role public.app_role,
  is_verified boolean, suspended boolean, created_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
declare
  words constant text := (select string_agg('private.person_text(p.full_name, p.email, p.phone) ilike '
    || quote_literal(private.contains_pattern(w)), ' and ') from unnest(private.search_words(query)) w);
begin
  perform private.allow(private.is_admin(), 'Only admins can look through people');
  perform private.require(filter in ('everyone', 'task_giver', 'task_doer', 'admin', 'suspended'),
    'Filter must be everyone, task_giver, task_doer, admin or suspended', 'filter');
  return query execute concat_ws(' ',
    'select p.id, p.full_name, p.email, p.phone, p.avatar_url, p.city, p.role, p.is_verified, s.id is not null, p.created_at',
    'from private.profiles p', case when filter <> 'suspended' then 'left' end,
    'join public.suspensions s on s.user_id = p.id and s.lifted_at is null where p.deleted_at is null',
    'and ' || words,
    case when filter not in ('everyone', 'suspended') then format('and p.role = %L', filter) end,
    case when before_at is not null then format('and (p.created_at, p.id) < (%L, %L)', before_at, before_id) end,
    'order by p.created_at desc, p.id desc limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;

-- What waits for an admin, and how things stand: a kind, how many, since when the oldest waits.
create function public.admin_overview() returns table (kind text, count bigint, oldest timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'Only admins can see the back office');
  return query
    select 'verifications', count(*), min(v.updated_at) from public.verifications v where v.verification_status = 'pending'
    union all
    select 'complaints', count(*), min(c.created_at) from public.complaints c where c.decision is null
    union all
    select 'losses', count(*), min(p.updated_at) from public.payments p
    where p.unsettled_loss > 0 and p.open_disputes = 0 and p.escrow_status = 'frozen'
    union all
    select 'chargebacks', count(*), min(d.created_at) from public.disputes d
    where d.status in ('needs_response', 'warning_needs_response')
    union all
    select 'not_sent', count(*), min(p.updated_at) from public.payments p where private.is_stuck(p)
    union all
    select 'suspended', count(*), min(s.created_at) from public.suspensions s where s.lifted_at is null;
end $$;

-- Whether money of this payment should have moved and has not: the provider refused it, or the queue holds it for over an hour.
create function private.is_stuck(payment public.payments) returns boolean language sql stable
return (payment.payout_status in ('failed', 'queued') or payment.refund_status in ('failed', 'queued'))
  and ('failed' in (payment.payout_status, payment.refund_status) or payment.updated_at < now() - interval '1 hour');

create index disputes_to_answer on public.disputes (created_at)
  where status in ('needs_response', 'warning_needs_response');

-- The chat of a booking that was complained about, oldest first, for who decides. Other chats are no admin's business.
create function public.complaint_messages(complaint_id uuid)
returns table (id uuid, sender_id uuid, message text, photo text, created_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'Only admins can read the chat of a complaint');
  return query select m.id, m.sender_id, m.message, m.photo, m.created_at
  from public.complaints c join public.messages m on m.booking_id = c.booking_id
  where c.id = complaint_messages.complaint_id order by m.created_at, m.id limit 1000;
end $$;

create function private.is_complained_about(booking uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.complaints where booking_id = booking)
$$;
grant execute on function private.is_complained_about(uuid) to authenticated;
create policy "admins see the photos of a chat that is complained about" on storage.objects for select to authenticated
using (bucket_id = 'chat-photos' and (select private.is_admin()) and private.is_complained_about(private.photo_booking(name)));

revoke execute on function public.find_people(text, text, timestamptz, uuid, integer), public.admin_overview(),
  public.complaint_messages(uuid) from public, anon;
grant execute on function public.find_people(text, text, timestamptz, uuid, integer), public.admin_overview(),
  public.complaint_messages(uuid) to authenticated;

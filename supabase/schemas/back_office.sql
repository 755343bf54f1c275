-- The back office: lists of people, verifications, payments and disputes, the chat of a complaint, open work and account
-- balances. No tables; every public function refuses anybody but admins.

-- People with an account, newest first. Each word of `query` must occur in name, e-mail or phone. `filter` is everyone,
-- task_giver, task_doer, admin or suspended. `before_at` and `before_id` are those of the last row of the previous page; at
-- most 100 rows.
create function public.find_people(query text default '', filter text default 'everyone',
  before_at timestamptz default null, before_id uuid default null, max_results integer default 50)
returns table (id uuid, full_name text, email text, phone text, avatar_url text, city text, role public.app_role,
  is_verified boolean, suspended boolean, created_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "look through people"}');
  perform private.require(filter in ('everyone', 'task_giver', 'task_doer', 'admin', 'suspended'),
    'admin.filter_unknown', 'filter');
  return query execute concat_ws(' ',
    'select p.id, p.full_name, p.email, p.phone, p.avatar_url, p.city, p.role, p.is_verified, s.id is not null, p.created_at',
    'from private.profiles p', case when filter <> 'suspended' then 'left' end,
    'join public.suspensions s on s.user_id = p.id and s.lifted_at is null where p.deleted_at is null',
    'and ' || private.person_search(query),
    case when filter not in ('everyone', 'suspended') then format('and %L = any (p.roles)', filter) end,
    case when before_at is not null then format('and (p.created_at, p.id) < (%L, %L)', before_at, before_id) end,
    'order by p.created_at desc, p.id desc limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;

-- Open work for admins, and how many people are suspended: for each kind the number of cases and the time of the oldest.
create function public.admin_overview() returns table (kind text, count bigint, oldest timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "see the back office"}');
  return query
    select 'verifications', count(*), min(v.updated_at) from public.verifications v where v.verification_status = 'pending'
    union all
    select 'complaints', count(*), min(c.created_at) from public.complaints c where c.decision is null
    union all
    select 'reports', count(*), min(r.created_at) from public.reports r where r.status = 'open'
    union all
    select 'losses', count(*), min(p.updated_at) from public.payments p
    where p.unsettled_loss > 0 and p.open_disputes = 0 and p.escrow_status = 'frozen'
    union all
    select 'chargebacks', count(*), min(d.created_at) from public.disputes d
    where d.status in ('needs_response', 'warning_needs_response')
    union all
    select 'not_sent', count(*), min(p.updated_at) from public.payments p where private.is_transfer_overdue(p)
    union all
    select 'failed_effects', count(*), min(f.given_up_at) from private.failed_effects f where f.given_up_at is not null
    union all
    select 'suspended', count(*), min(s.created_at) from public.suspensions s where s.lifted_at is null;
end $$;

-- Whether money of this payment should have moved but has not: the provider refused it, or it has been queued for over an hour.
create function private.is_transfer_overdue(payment public.payments) returns boolean language sql stable
return (payment.payout_status in ('failed', 'queued') or payment.refund_status in ('failed', 'queued'))
  and ('failed' in (payment.payout_status, payment.refund_status) or payment.updated_at < now() - interval '1 hour');

-- The chat of a booking with a complaint, oldest message first, for the admin who decides. Admins cannot read other chats.
create function public.complaint_messages(complaint_id uuid)
returns table (id uuid, sender_id uuid, message text, photo text, created_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "read the chat of a complaint"}');
  return query select m.id, m.sender_id, m.message, m.photo, m.created_at
  from public.complaints c join public.messages m on m.booking_id = c.booking_id
  where c.id = complaint_messages.complaint_id order by m.created_at, m.id limit 1000;
end $$;

create function private.is_complained_about(booking uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.complaints where booking_id = booking)
$$;

-- Turns a search into an SQL condition on a payment `p`: an id of ours, an id of the provider, or words that occur in name,
-- e-mail or phone of either person. For up to 20 people, it looks up the ids of their payments first. Otherwise PostgreSQL
-- would walk through all payments, newest first, until enough of them were theirs.
create function private.payment_search(query text) returns text
language plpgsql stable security definer set search_path = '' as $$
declare
  wanted constant text := private.trimmed(left(coalesce(query, ''), 200));
  few constant integer := 20;
  people uuid[];
begin
  if wanted = '' then
    return 'true';
  elsif wanted ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return format('p.id = any (array(select q.id from public.payments q
      where %L::uuid in (q.id, q.booking_id, q.task_id, q.payer_id, q.payee_id)))', wanted);
  elsif wanted ~ '^(pi|ch|tr|re)_[\w-]+$' then
    return format('%L in (p.stripe_payment_intent_id, p.stripe_charge_id, p.stripe_transfer_id, p.stripe_refund_id)', wanted);
  end if;
  execute 'select array_agg(id) from (select p.id from private.profiles p where '
    || (select string_agg('private.person_text(p.full_name, p.email, p.phone) ilike '
      || quote_literal(private.contains_pattern(w)), ' and ') from unnest(private.search_words(wanted)) w)
    || ' and p.deleted_at is null limit 500) found' into people;
  return format(case when coalesce(cardinality(people), 0) > few
      then '(p.payer_id = any (%1$L::uuid[]) or p.payee_id = any (%1$L::uuid[]))'
      else 'p.id = any (array(select q.id from public.payments q
        where q.payer_id = any (%1$L::uuid[]) or q.payee_id = any (%1$L::uuid[])))' end, coalesce(people, '{}'));
end $$;

-- Payments, newest first. `kind` is payments, payouts (payments with one) or refunds; `state` is a state of that kind, stuck or
-- all. Amounts are in dollars; `failure` is the provider's message with its code. `before_at` and `before_id` are those of the
-- last row of the previous page; at most 100 rows.
create function public.find_payments(kind text default 'payments', state text default 'all', query text default '',
  before_at timestamptz default null, before_id uuid default null, max_results integer default 50)
returns table (id uuid, booking_id uuid, task_id uuid, task_title text, payer_id uuid, payer_name text, payee_id uuid,
  payee_name text, amount numeric, total numeric, payout_amount numeric, refund_amount numeric, refunded_amount numeric,
  lost_amount numeric, escrow_status public.escrow_status, payout_status public.transfer_status,
  refund_status public.transfer_status, stuck boolean, failure text, created_at timestamptz, updated_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
declare
  state_column constant text := case kind when 'payments' then 'escrow_status' when 'payouts' then 'payout_status'
    when 'refunds' then 'refund_status' end;
  step constant text := case kind when 'payments' then 'charge' when 'payouts' then 'payout' else 'refund' end;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "look through payments"}');
  perform private.require(state_column is not null, 'admin.kind_unknown', 'kind');
  perform private.require(state in ('all', 'stuck') or state = any (case kind
      when 'payments' then enum_range(null::public.escrow_status)::text[]
      else enum_range(null::public.transfer_status)::text[] end), 'admin.state_unknown', 'state');
  return query execute concat_ws(' ',
    'select p.id, private.booking_of_payment(p), p.task_id, t.title, p.payer_id, giver.full_name, p.payee_id, tasker.full_name, p.amount, p.total,',
    'p.payout_amount, p.refund_amount, p.refunded_amount, p.lost_amount, p.escrow_status, p.payout_status, p.refund_status,',
    'private.is_transfer_overdue(p), f.message || coalesce('' ('' || f.code || '')'', ''''), p.created_at, p.updated_at from public.payments p join public.tasks t on t.id = p.task_id',
    'join private.profiles giver on giver.id = p.payer_id join private.profiles tasker on tasker.id = p.payee_id',
    format('left join public.payment_failures f on f.payment_id = p.id and f.step = %L', step),
    'where', private.payment_search(query),
    case when state = 'stuck' then 'and private.is_transfer_overdue(p)'
      when state <> 'all' then format('and p.%I = %L', state_column, state) end,
    case when state in ('all', 'stuck') and kind = 'payouts' then 'and p.payout_status <> ''none''' end,
    case when state in ('all', 'stuck') and kind = 'refunds' then 'and p.refund_status <> ''none''' end,
    case when before_at is not null then format('and (p.created_at, p.id) < (%L, %L)', before_at, before_id) end,
    'order by p.created_at desc, p.id desc limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;

-- The balance of each ledger account in dollars. Debits are positive for provider and disputes, credits for all others.
create function public.money_balances() returns table (account public.ledger_account, amount numeric)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "read the books"}');
  return query select a.account, coalesce(case when a.account in ('provider', 'disputes') then -1 else 1 end
      * (select sum(k.amount) from (
        select f.amount from private.figures f where f.period = 'month' and f.kind = 'account: ' || a.account
        union all
        select c.amount from private.figure_changes c where c.kind = 'account: ' || a.account) k), 0)
  from unnest(enum_range(null::public.ledger_account)) a (account);
end $$;

-- The SQL condition that each word of the search occurs in name, e-mail or phone of a person `p`; null without words. A
-- complete e-mail address is found by the index of addresses instead: its parts (example, com) occur in most addresses, so
-- searching for them reads more rows the more people there are.
create function private.person_search(query text) returns text
language sql stable set search_path = '' as $$
  select string_agg(coalesce(
    (select format('p.id = %L', owner.id) from private.profiles owner
      where lower(owner.email) = lower(w) and owner.deleted_at is null limit 1),
    'private.person_text(p.full_name, p.email, p.phone) ilike ' || quote_literal(private.contains_pattern(w))), ' and ')
  from unnest(private.search_words(query)) w
$$;

-- People for the verification list: everybody, newest first, or with `waiting` those awaiting a decision, longest wait first.
-- `waiting_since` is set while a decision is due. Each word of `query` must occur in name, e-mail or phone. `after_at` and
-- `after_id` are `place` and id of the last row of the previous page; at most 100 rows.
create function public.find_people_to_verify(query text default '', waiting boolean default false,
  after_at timestamptz default null, after_id uuid default null, max_results integer default 50)
returns table (id uuid, full_name text, email text, phone text, avatar_url text, created_at timestamptz, role public.app_role,
  is_verified boolean, verified_by_admin boolean, verified_name text, verification_notes text, waiting_since timestamptz,
  place timestamptz)
language plpgsql stable security definer set search_path = '' as $$
declare
  place constant text := case when waiting then 'v.updated_at, v.user_id' else 'p.created_at, p.id' end;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "look through people"}');
  return query execute concat_ws(' ',
    'select p.id, p.full_name, p.email, p.phone, p.avatar_url, p.created_at, p.role, p.is_verified, p.verified_by_admin,',
    'p.verified_name, p.verification_notes,',
    'case when v.verification_status = ''pending'' then coalesce(v.terms_accepted_at, v.updated_at) end,',
    case when waiting then 'v.updated_at from public.verifications v join private.profiles p on p.id = v.user_id'
      else 'p.created_at from private.profiles p left join public.verifications v on v.user_id = p.id' end,
    'where p.deleted_at is null', case when waiting then 'and v.verification_status = ''pending''' end,
    'and ' || private.person_search(query),
    case when after_at is not null then format('and (%s) %s (%L, %L)', place, case when waiting then '>' else '<' end,
      after_at, after_id) end,
    'order by', case when waiting then place else replace(place, ',', ' desc,') || ' desc' end,
    'limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;

-- Chargebacks and inquiries, newest first. `state` is to_answer, under_review, won, lost or all. `query` is an id of ours, an
-- id of the provider, or words that occur in name, e-mail or phone of either person. `before_at` and `before_id` are those of
-- the last row of the previous page; at most 100 rows.
create function public.find_disputes(query text default '', state text default 'all',
  before_at timestamptz default null, before_id text default null, max_results integer default 50)
returns setof public.disputes language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "look through chargebacks"}');
  perform private.require(state in ('all', 'to_answer', 'under_review', 'won', 'lost'),
    'admin.chargeback_state_unknown', 'state');
  return query execute concat_ws(' ', 'select d.* from public.disputes d join public.payments p on p.id = d.payment_id where',
    case when private.trimmed(query) ~ '^(dp|du)_[\w-]+$' then format('d.id = %L', private.trimmed(query))
      else private.payment_search(query) end,
    case state when 'to_answer' then 'and d.status in (''needs_response'', ''warning_needs_response'')'
      when 'under_review' then 'and d.status in (''under_review'', ''warning_under_review'')'
      when 'all' then '' else format('and d.status = %L', state) end,
    case when before_at is not null then format('and (d.created_at, d.id) < (%L, %L)', before_at, before_id) end,
    'order by d.created_at desc, d.id desc limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;

create policy "admins see the photos of a chat that is complained about" on storage.objects for select to authenticated
using (bucket_id = 'chat-photos' and (select private.is_admin()) and private.is_complained_about(private.photo_booking(name)));

grant execute on function
  private.is_complained_about(uuid), public.admin_overview(), public.complaint_messages(uuid), public.money_balances(),
  public.find_people(text, text, timestamp with time zone, uuid, integer),
  public.find_payments(text, text, text, timestamp with time zone, uuid, integer),
  public.find_people_to_verify(text, boolean, timestamp with time zone, uuid, integer),
  public.find_disputes(text, text, timestamp with time zone, text, integer)
to authenticated;

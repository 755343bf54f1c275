-- Codes of errors, 10: the rules of reports to account security.
set check_function_bodies = off;

create or replace function public.find_reports(wanted public.report_status default 'open', after_at timestamptz default null,
  after_id uuid default null, max_results integer default 50)
returns table (id uuid, kind public.reported_kind, subject_id uuid, author_id uuid, author_name text, reporter_id uuid,
  reporter_name text, reason text, excerpt text, status public.report_status, decision_note text, decided_at timestamptz,
  others integer, created_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "look through reports"}');
  return query select r.id, r.kind, r.subject_id, r.author_id, author.full_name, r.reporter_id, reporter.full_name, r.reason,
    r.excerpt, r.status, r.decision_note, r.decided_at,
    (select count(*)::integer - 1 from public.reports o where o.kind = r.kind and o.subject_id = r.subject_id), r.created_at
  from public.reports r join private.profiles author on author.id = r.author_id
    left join private.profiles reporter on reporter.id = r.reporter_id
  where r.status = wanted and (after_at is null
    or case when wanted = 'open' then (r.created_at, r.id) > (after_at, after_id) else (r.created_at, r.id) < (after_at, after_id) end)
  order by case when wanted = 'open' then r.created_at end, case when wanted = 'open' then r.id end,
    r.created_at desc, r.id desc
  limit least(greatest(coalesce(max_results, 50), 0), 100);
end $$;

create or replace function public.report_content(kind public.reported_kind, subject uuid, reason text) returns void
language plpgsql security invoker set search_path = '' as $$
declare
  me constant uuid := auth.uid();
  given constant text := private.trimmed(reason);
  thing record;
begin
  perform private.allow(me is not null and private.has_account(), 'report.not_authenticated');
  perform private.allow(not private.is_suspended(me), 'account.suspended_for_reports');
  perform private.require(report_content.kind is not null, 'report.kind_invalid', 'kind');
  perform private.require(private.visible_length(given) >= 10, 'report.reason_too_short', 'reason');
  perform private.require(length(given) <= 1000, 'report.reason_too_long', 'reason');
  select * into thing from private.reported_thing(report_content.kind, report_content.subject);
  perform private.require(thing.author is not null, 'report.subject_gone', 'subject');
  perform private.require(thing.author <> me, 'report.own', 'subject');
  perform private.file_report(report_content.kind, report_content.subject, thing.author, thing.excerpt, given);
end $$;

create or replace function public.find_audit_entries(about_table text default null, actor uuid default null, person uuid default null,
  admins_only boolean default false, before_id bigint default null, max_results integer default 50)
returns table (id bigint, at timestamptz, actor_id uuid, actor_name text, actor_role text, by_admin boolean, table_name text,
  row_id uuid, action text, old_values jsonb, new_values jsonb, subjects jsonb, task_title text)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "read the audit log"}');
  return query execute concat_ws(' ',
    'select a.id, a.at, a.actor_id, who.full_name, a.actor_role, a.by_admin, a.table_name, a.row_id, a.action, a.old_values,',
    'a.new_values, (select jsonb_agg(jsonb_build_object(''id'', p.id, ''name'', p.full_name) order by p.full_name)',
    'from private.profiles p where p.id = any (a.subject_ids)),',
    'case a.table_name when ''tasks'' then (select t.title from public.tasks t where t.id = a.row_id)',
    'when ''payments'' then (select t.title from public.payments p join public.tasks t on t.id = p.task_id where p.id = a.row_id)',
    'when ''complaints'' then (select t.title from public.complaints c join public.bookings b on b.id = c.booking_id',
    'join public.tasks t on t.id = b.task_id where c.id = a.row_id) end',
    'from public.audit_log a left join private.profiles who on who.id = a.actor_id where true',
    case when about_table is not null then format('and a.table_name = %L', about_table) end,
    case when actor is not null then format('and a.actor_id = %L', actor) end,
    case when person is not null then format('and a.subject_ids @> array[%L::uuid]', person) end,
    case when coalesce(admins_only, false) then 'and a.by_admin' end,
    case when before_id is not null then format('and a.id < %s', before_id) end,
    'order by a.id desc limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;

drop trigger "20_append_only" on public.audit_log;
create trigger "20_append_only" before update or delete on public.audit_log for each row
when (coalesce(current_setting('private.erasing', true), '') <> 'yes')
execute function private.forbid('audit_log.append_only');

drop trigger "20_append_only_as_a_whole" on public.audit_log;
create trigger "20_append_only_as_a_whole" before truncate on public.audit_log
for each statement execute function private.forbid('audit_log.append_only');

create or replace function public.admin_overview() returns table (kind text, count bigint, oldest timestamptz)
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
    select 'not_sent', count(*), min(p.updated_at) from public.payments p where private.is_stuck(p)
    union all
    select 'failed_effects', count(*), min(f.given_up_at) from private.failed_effects f where f.given_up_at is not null
    union all
    select 'suspended', count(*), min(s.created_at) from public.suspensions s where s.lifted_at is null;
end $$;

create or replace function public.complaint_messages(complaint_id uuid)
returns table (id uuid, sender_id uuid, message text, photo text, created_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "read the chat of a complaint"}');
  return query select m.id, m.sender_id, m.message, m.photo, m.created_at
  from public.complaints c join public.messages m on m.booking_id = c.booking_id
  where c.id = complaint_messages.complaint_id order by m.created_at, m.id limit 1000;
end $$;

create or replace function public.find_disputes(query text default '', state text default 'all',
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

create or replace function public.find_payments(kind text default 'payments', state text default 'all', query text default '',
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
    'select p.id, p.booking_id, p.task_id, t.title, p.payer_id, giver.full_name, p.payee_id, tasker.full_name, p.amount, p.total,',
    'p.payout_amount, p.refund_amount, p.refunded_amount, p.lost_amount, p.escrow_status, p.payout_status, p.refund_status,',
    'private.is_stuck(p), f.message || coalesce('' ('' || f.code || '')'', ''''), p.created_at, p.updated_at from public.payments p join public.tasks t on t.id = p.task_id',
    'join private.profiles giver on giver.id = p.payer_id join private.profiles tasker on tasker.id = p.payee_id',
    format('left join public.payment_failures f on f.payment_id = p.id and f.step = %L', step),
    'where', private.payment_search(query),
    case when state = 'stuck' then 'and private.is_stuck(p)'
      when state <> 'all' then format('and p.%I = %L', state_column, state) end,
    case when state in ('all', 'stuck') and kind = 'payouts' then 'and p.payout_status <> ''none''' end,
    case when state in ('all', 'stuck') and kind = 'refunds' then 'and p.refund_status <> ''none''' end,
    case when before_at is not null then format('and (p.created_at, p.id) < (%L, %L)', before_at, before_id) end,
    'order by p.created_at desc, p.id desc limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;

create or replace function public.find_people(query text default '', filter text default 'everyone',
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

create or replace function public.find_people_to_verify(query text default '', waiting boolean default false,
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

create or replace function public.money_balances() returns table (account public.ledger_account, amount numeric)
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

create or replace function public.admin_figures(period text default 'week', periods integer default 12)
returns table (starts_on date, tasks bigint, bookings bigint, sign_ups bigint, held numeric, released numeric, fees numeric,
  verification_hours numeric)
language plpgsql stable security definer set search_path = '' as $$
declare
  step constant interval := case admin_figures.period when 'week' then interval '1 week' when 'month' then interval '1 month' end;
  running date;
  first date;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "see the figures"}');
  perform private.require(step is not null, 'admin.period_unknown', 'period');
  running := private.period_start(admin_figures.period, now());
  first := running - (least(greatest(coalesce(periods, 12), 1), 60) - 1) * step;
  return query
  with slots as (
    select s::date as day from generate_series(first::timestamp, running, step) s
  ), changed as (
    select private.period_start(admin_figures.period, c.happened_at) as day, c.kind, sum(c.amount) as amount
    from private.figure_changes c where c.happened_at >= first::timestamp at time zone 'America/Regina' group by 1, 2
  ), sums as (
    select k.day, sum(k.amount) filter (where k.kind = 'tasks') as tasks, sum(k.amount) filter (where k.kind = 'bookings') as bookings,
      sum(k.amount) filter (where k.kind = 'sign_ups') as sign_ups, sum(k.amount) filter (where k.kind = 'held') as held,
      sum(k.amount) filter (where k.kind = 'released') as released, sum(k.amount) filter (where k.kind = 'fees') as fees,
      sum(k.amount) filter (where k.kind = 'verification_hours') as hours, coalesce(bool_or(k.kind = 'verifications'), false) as decided
    from (
      select s.day, f.kind, f.amount from slots s join private.figures f on f.period = admin_figures.period and f.starts_on = s.day
        and f.kind in ('tasks', 'bookings', 'sign_ups', 'held', 'released', 'fees', 'verification_hours')
      union all
      select c.day, c.kind, c.amount from changed c
    ) k group by 1
  )
  select slots.day, coalesce(s.tasks, 0)::bigint, coalesce(s.bookings, 0)::bigint, coalesce(s.sign_ups, 0)::bigint,
    coalesce(s.held, 0), coalesce(s.released, 0), coalesce(s.fees, 0),
    case when s.decided then private.median_hours(admin_figures.period, slots.day) else s.hours end
  from slots left join sums s on s.day = slots.day order by 1;
end $$;

create or replace function private.require_fresh_sign_in() returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.allow(auth.uid() is not null, 'account.not_authenticated');
  if not private.has_fresh_sign_in() then
    -- Pages of the version before look at the hint.
    perform private.fail('account.reauthentication_needed', 'reauthentication_needed', '{}', '42501');
  end if;
end $$;

create or replace function public.end_other_sessions() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  ended integer;
begin
  perform private.allow(auth.uid() is not null, 'account.not_authenticated');
  perform private.require(auth.jwt() ? 'session_id', 'session.missing', 'session_id');
  delete from auth.sessions s
  where s.user_id = auth.uid() and s.oauth_client_id is null and s.id::text <> auth.jwt() ->> 'session_id';
  get diagnostics ended = row_count;
  perform private.announce_ended_sessions(auth.uid());
  return ended;
end $$;

create or replace function public.end_session(id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.allow(auth.uid() is not null, 'account.not_authenticated');
  delete from auth.sessions s
  where s.id = end_session.id and s.user_id = auth.uid() and s.oauth_client_id is null;
  perform private.require(found, 'session.already_ended', 'id');
  perform private.announce_ended_sessions(auth.uid());
end $$;

create or replace function public.list_sessions()
returns table (id uuid, user_agent text, created_at timestamptz, last_used_at timestamptz, is_current boolean)
language plpgsql stable security definer set search_path = '' as $$
declare
  this constant text := auth.jwt() ->> 'session_id';
begin
  perform private.allow(auth.uid() is not null, 'account.not_authenticated');
  return query select s.id, left(s.user_agent, 500), s.created_at,
    greatest(s.created_at, s.refreshed_at at time zone 'utc'), coalesce(s.id::text = this, false)
  from auth.sessions s
  where s.user_id = auth.uid() and s.oauth_client_id is null and (s.not_after is null or s.not_after > now())
  order by 5 desc, 4 desc, 1 limit 100;
end $$;

create or replace function public.make_recovery_codes() returns text[]
language plpgsql security definer set search_path = '' as $$
declare
  alphabet constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  person constant uuid := auth.uid();
  random bytea;
  code text;
  codes text[] := '{}';
begin
  perform private.allow(person is not null, 'account.not_authenticated');
  perform private.allow(auth.jwt() ->> 'aal' = 'aal2' and private.has_second_factor(person),
    'account.second_factor_not_set_up');
  perform private.require_fresh_sign_in();
  delete from private.recovery_codes where person_id = person;
  for nth in 1..10 loop
    random := extensions.gen_random_bytes(16);
    -- 256 is a multiple of 32, so every letter is as likely.
    code := (select string_agg(substr(alphabet, get_byte(random, place) % 32 + 1, 1)
      || case when place in (3, 7, 11) then '-' else '' end, '' order by place) from generate_series(0, 15) place);
    insert into private.recovery_codes (person_id, hash) values (person, private.recovery_hash(person, code));
    codes := codes || code;
  end loop;
  perform private.notify_person(person, 'recovery_codes_made', '{}', '/profile?tab=security');
  return codes;
end $$;

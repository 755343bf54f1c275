-- Have SQL read the marketplace's values from private.marketplace(), as marketplace.config.ts has them: fees, taxes, clock.
set check_function_bodies = off;

create function private.currency() returns text language sql immutable set search_path = '' as $$ select 'CAD' $$;

create function private.issuer_of_receipts() returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('name', coalesce(nullif(i.name, 'Meadowlark'), o.value ->> 'name'),
    'address', coalesce(i.address, o.value ->> 'address'), 'gst_number', coalesce(i.gst_number, o.value ->> 'taxNumber'))
  from (select private.marketplace() -> 'operator' as value) o left join private.issuer i on true
$$;

create function private.marketplace() returns jsonb language sql immutable set search_path = '' as $$ select jsonb '{
  "fees": {"platformPercent":15,"cancellation":[{"underHours":1,"percent":50},{"underHours":24,"percent":25}],"cancellationFlatCents":500},
  "tax": {"percent":5},
  "pay": {"min":25,"max":100000},
  "operator": {"name":"Meadowlark","address":null,"taxNumber":null},
  "texts": {"currency":"Canadian dollars","tax":"GST","clock":"Saskatchewan time","province":"Saskatchewan"}
}' $$;

create function private.marketplace_number(path text) returns numeric
language plpgsql immutable set search_path = '' as $$
declare
  value constant numeric := private.marketplace() #>> string_to_array(path, '.');
begin
  if value is null then
    raise exception 'The marketplace has no number %', path;
  end if;
  return value;
end $$;

create function private.time_zone() returns text language sql immutable set search_path = '' as $$ select 'America/Regina' $$;

grant execute on function private.currency() to anon;
grant execute on function private.currency() to authenticated;
grant execute on function private.currency() to service_role;
grant execute on function private.marketplace() to anon;
grant execute on function private.marketplace() to authenticated;
grant execute on function private.marketplace() to service_role;
grant execute on function private.marketplace_number(text) to anon;
grant execute on function private.marketplace_number(text) to authenticated;
grant execute on function private.marketplace_number(text) to service_role;
grant execute on function private.time_zone() to anon;
grant execute on function private.time_zone() to authenticated;
grant execute on function private.time_zone() to service_role;

create or replace function private.amount_lines(which text, booking uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  paid public.payments;
  base numeric;
  parts record;
  kept numeric;
  -- The labels in English, for the version before.
  labels constant jsonb := '{"task": "Task amount", "task_as_decided": "Task amount, as decided", "paid": "You paid",
    "cancellation_fee": "Cancellation fee", "platform_fee": "Platform fee (%s%%)", "payout": "You receive",
    "kept": "Kept for the work, with its fees", "returned_before": "Already returned to your card", "refund": "Goes back to you"}'
    || jsonb_build_object('gst', (private.marketplace() #>> '{texts,tax}') || ' (%s%%)');
  fee constant numeric := private.marketplace_number('fees.platformPercent');
  gst constant numeric := private.marketplace_number('tax.percent');
  lines jsonb;
begin
  select * into paid from public.payments p where p.booking_id = booking;
  if which is null or paid.id is null then
    return '[]';
  elsif which = 'total' then
    lines := jsonb_build_array(jsonb_build_array('task', paid.amount), jsonb_build_array('platform_fee', paid.platform_fee, fee),
      jsonb_build_array('gst', paid.gst, gst), jsonb_build_array('paid', paid.total));
  elsif which = 'payout' then
    base := case when paid.cancellation_fee > 0 then paid.cancellation_fee else paid.amount
      - coalesce((select c.returned_amount from public.complaints c where c.booking_id = booking and c.decision is not null), 0) end;
    select * into parts from private.fees(base);
    if base <= 0 or parts.payout_amount <> paid.payout_amount then
      return '[]';
    end if;
    lines := jsonb_build_array(
      jsonb_build_array(case when paid.cancellation_fee > 0 then 'cancellation_fee' when base < paid.amount
        then 'task_as_decided' else 'task' end, base),
      jsonb_build_array('platform_fee', -parts.platform_fee, fee), jsonb_build_array('gst', -parts.gst, gst),
      jsonb_build_array('payout', parts.payout_amount));
  else
    kept := paid.total - paid.refund_amount - paid.cancellation_fee - least(paid.lost_amount, paid.total);
    if kept < 0 then
      return '[]';
    end if;
    lines := jsonb_build_array(jsonb_build_array('paid', paid.total))
      || case when paid.cancellation_fee > 0 then jsonb_build_array(jsonb_build_array('cancellation_fee', -paid.cancellation_fee)) else '[]' end
      || case when kept > 0 then jsonb_build_array(jsonb_build_array('kept', -kept)) else '[]' end
      || case when paid.lost_amount > 0 then jsonb_build_array(jsonb_build_array('returned_before', -paid.lost_amount)) else '[]' end
      || jsonb_build_array(jsonb_build_array('refund', paid.refund_amount));
  end if;
  return (select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('line', line -> 0, 'percent', line -> 2, 'amount', line -> 1,
    'label', format(labels ->> (line ->> 0), line ->> 2)))) from jsonb_array_elements(lines) line);
end $$;

create or replace function private.apply_verification() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  person uuid := coalesce(new.user_id, old.user_id);
  approved boolean := coalesce(new.verification_status = 'verified', false);
  taken_back boolean := coalesce(old.verification_status = 'verified' and new.verification_status = 'rejected', false);
begin
  update public.profiles set
    id_verified = approved,
    background_checked = coalesce(approved and new.background_check_status = 'verified', false),
    insured = coalesce(approved and private.is_insured(new), false),
    verified_by_admin = verified_by_admin and not taken_back,
    verified_at = case when not taken_back then verified_at end,
    verified_by = case when not taken_back then verified_by end
  where id = person;
  if tg_op <> 'DELETE' and new.has_insurance then
    perform private.schedule_tick(((new.insurance_expiry_date + 1)::timestamp at time zone private.time_zone()));
  end if;
  if new.verification_status = 'pending' and old.verification_status is distinct from 'pending'
      and old.verification_status is distinct from 'verified' then
    perform private.notify_person(person, 'verification_submitted', '{}', '/dashboard');
    perform private.notify_admins('verification_waiting', jsonb_build_object('person', private.full_name(person)),
      '/admin/verify-users?tab=waiting');
  elsif tg_op = 'UPDATE' and new.verification_status is distinct from old.verification_status then
    if approved then
      perform private.notify_person(person, 'verification_approved', '{}', '/dashboard');
    elsif taken_back then
      perform private.notify_person(person, 'verification_withdrawn',
        jsonb_build_object('reason', new.refusal_reason), '/verification');
    elsif new.verification_status = 'rejected' then
      perform private.notify_person(person, 'verification_refused',
        jsonb_build_object('reason', new.refusal_reason), '/verification');
    end if;
  end if;
  return null;
end $$;

create or replace function private.cancellation_fee(amount numeric, paid numeric, scheduled timestamptz, at timestamptz)
returns numeric language sql immutable set search_path = '' as $$
  select least(paid, coalesce(
    (select round(amount * percent / 100, 2)
      from jsonb_to_recordset(private.marketplace() #> '{fees,cancellation}') as step ("underHours" numeric, percent numeric)
      where scheduled - at < "underHours" * interval '1 hour' order by "underHours" limit 1),
    private.marketplace_number('fees.cancellationFlatCents') / 100))
$$;

create or replace function private.check_task_pay() returns trigger language plpgsql set search_path = '' as $$
begin
  if (new.pay_amount > 0) is not true then
    perform private.fail('task.pay_not_positive', 'pay_amount');
  end if;
  if new.pay_amount < private.marketplace_number('pay.min') then
    perform private.fail('task.pay_too_low', 'pay_amount', jsonb_build_object('min', private.marketplace_number('pay.min')));
  end if;
  if new.pay_amount > private.marketplace_number('pay.max') then
    perform private.fail('task.pay_too_high', 'pay_amount');
  end if;
  -- A sum of JavaScript's may be off by a hair.
  if abs(new.pay_amount - round(new.pay_amount, 2)) >= 0.000001 then
    perform private.fail('task.pay_too_precise', 'pay_amount');
  end if;
  return new;
end $$;

create or replace function private.count_public_figures() returns void
language sql security definer set search_path = '' as $$
  with month as (
    select date_trunc('month', now() at time zone private.time_zone()) as ends
  ), paid as (
    select b.task_doer_id, sum(p.payout_amount) as amount
    from public.payments p join public.bookings b on b.id = p.booking_id, month
    where p.released_at >= (month.ends - interval '1 month') at time zone private.time_zone()
      and p.released_at < month.ends at time zone private.time_zone() and p.payout_status = 'sent'
    group by 1
  ), people as (
    select count(*) as active, count(*) filter (where exists (
      select from public.user_roles r where r.user_id = p.id and r.role = 'task_doer')) as taskers
    from private.profiles p where p.deleted_at is null and p.last_active > now() - interval '30 days'
  ), reviewed as (
    select avg(r.rating) as rating, count(distinct r.reviewer_id) as people
    from public.reviews r where r.visible_from <= now() and r.hidden_at is null
  )
  insert into private.public_figures as f (counted_at, active_users, tasks_completed, active_taskers, monthly_earnings, rating)
  select now(), private.rounded_down(people.active),
    (select private.rounded_down(count(*)) from public.tasks t where t.status = 'completed'),
    private.rounded_down(people.taskers),
    (select case when count(*) >= 10 then private.rounded_down(avg(paid.amount)) end from paid),
    case when reviewed.people >= 10 then floor(reviewed.rating * 10) / 10 end
  from people, reviewed
  on conflict (single) do update set counted_at = excluded.counted_at, active_users = excluded.active_users,
    tasks_completed = excluded.tasks_completed, active_taskers = excluded.active_taskers,
    monthly_earnings = excluded.monthly_earnings, rating = excluded.rating
$$;

create or replace function private.day_and_time(at timestamptz) returns text language sql stable set search_path = '' as $$
  select to_char(at at time zone private.time_zone(), 'FMDay, FMMonth FMDD, FMHH12:MI a.m.')
$$;

create or replace function private.end_insurance() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select p.id into due from public.verifications v join public.profiles p on p.id = v.user_id
  where v.has_insurance and v.insurance_expiry_date < (now() at time zone private.time_zone())::date and p.insured
  order by p.id limit 1 for no key update of p skip locked;
  if not found then
    return 0;
  end if;
  update public.profiles set insured = false where id = due;
  return 1;
end $$;

create or replace function private.erase_task_texts(giver uuid) returns void
language sql set search_path = '' as $$
  delete from public.task_addresses a using public.tasks t where t.id = a.task_id and t.task_giver_id = giver;
  update public.tasks set description = 'Removed together with the account.', location = private.marketplace() #>> '{texts,province}', tools_description = null
  where task_giver_id = giver
$$;

create or replace function private.fees(amount numeric)
returns table (platform_fee numeric, gst numeric, total numeric, payout_amount numeric)
language sql immutable set search_path = '' as $$
  select fee, tax, amount + fee + tax, amount - fee - tax
  from (select round(amount * private.marketplace_number('fees.platformPercent') / 100, 2) as fee,
    round(amount * private.marketplace_number('tax.percent') / 100, 2) as tax) as parts
$$;

create or replace function private.filled_text(template text, params jsonb) returns text
language sql immutable set search_path = '' as $$
  select string_agg(part[1] || case when part[3] is null then '' else '$' end
    || coalesce(params ->> part[2], private.marketplace() #>> array['texts', part[2]], ''), '' order by nth)
  from regexp_matches(template, '(.*?)(?:\{\{(\w+)(, (?:money|price))?\}\}|$)', 'g') with ordinality as parts (part, nth)
$$;

create or replace function private.found_tasks(
  query text, category text, wanted integer, location text, min_pay numeric, max_pay numeric, sort text, skipped integer,
  first_day date, last_day date
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  place constant text := nullif(private.trimmed(location), '');
  patterns text[] := (select coalesce(array_agg(private.contains_pattern(w)), '{}') from unnest(private.search_words(query)) w);
  ordered constant text := case sort when 'newest' then 'created_at desc, id'
    when 'pay' then 'pay_amount desc, created_at desc, id' when 'soonest' then 'scheduled_date, created_at desc, id' end;
  kind record;
  narrowed text;
  named text;
  indexed boolean;
  horizon integer;
  found_ids uuid[];
begin
  perform private.require(ordered is not null, 'search.sort_unknown', 'sort');
  select * into kind from private.category_condition(category);
  -- Days are those of the marketplace's clock. A task that suits at any time has none.
  narrowed := concat_ws(' and ', 'true', kind.exact,
    'pay_amount >= ' || quote_literal(min_pay), 'pay_amount <= ' || quote_literal(max_pay),
    'scheduled_date >= ' || quote_literal(first_day::timestamp at time zone private.time_zone()),
    'scheduled_date < ' || quote_literal((last_day + 1)::timestamp at time zone private.time_zone()));
  if place is not null then
    patterns := patterns || private.contains_pattern(place);
  end if;
  select concat_ws(' and ', string_agg('words ilike ' || quote_literal(p), ' and '),
    'location ilike ' || quote_literal(private.contains_pattern(place)), kind.named),
    coalesce(bool_or(p ~ '[[:alnum:]]{3}'), false) or kind.named is not null
    into named, indexed from unnest(patterns) p;

  if named = '' then
    execute format('select array_agg(id) from (select id from private.open_tasks where %s order by %s offset %s limit %s) t',
      narrowed, ordered, skipped, wanted) into found_ids;
  else
    -- What is common is found among the first tasks in that order; what is not found there is rare, and an index has it.
    foreach horizon in array case when indexed then array[2000, 10000] else array[20000] end loop
      execute format('select array_agg(id) from (select id from (select * from private.open_tasks where %1$s order by %2$s
        limit %3$s) first where %4$s order by %2$s offset %5$s limit %6$s) t', narrowed, ordered, horizon, named, skipped, wanted)
        into found_ids;
      -- Five times as far only where that is likely to do: the index is quick about what is rarer.
      exit when coalesce(cardinality(found_ids), 0) >= wanted or coalesce(cardinality(found_ids), 0) * 4 < wanted;
    end loop;
    if indexed and coalesce(cardinality(found_ids), 0) < wanted then
      execute format('with named as materialized (
          select id, pay_amount, scheduled_date, created_at from private.open_tasks where %1$s and %2$s)
        select array_agg(id) from (select id from named order by %3$s offset %4$s limit %5$s) t',
        narrowed, named, ordered, skipped, wanted) into found_ids;
    end if;
  end if;
  return coalesce(found_ids, '{}');
end $$;

create or replace function private.is_insured(verification public.verifications) returns boolean
language sql stable set search_path = '' as $$
  select verification.has_insurance
    and coalesce(verification.insurance_expiry_date >= (now() at time zone private.time_zone())::date, true)
$$;

-- expense limit of tasks: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

alter table public.tasks add column expense_limit numeric;

create or replace function private.add_visit(series public.task_series, agreed public.bookings, nth integer, starts_at timestamptz) returns uuid
language plpgsql set search_path = '' as $$
declare
  visit_task uuid;
  visit uuid;
begin
  insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, scheduled_date, duration_minutes,
    tools_provided, tools_description, status, photos, offers_allowed, expense_limit, series_id)
  select t.task_giver_id, t.title, t.description, t.category, t.location, agreed.agreed_amount, add_visit.starts_at, t.duration_minutes,
    t.tools_provided, t.tools_description, 'assigned', t.photos, t.offers_allowed, agreed.expense_limit, series.id
  from public.tasks t where t.id = agreed.task_id returning id into visit_task;
  insert into public.task_addresses (task_id, address) select visit_task, a.address from public.task_addresses a where a.task_id = agreed.task_id;
  insert into public.task_points (task_id, latitude, longitude)
  select visit_task, p.latitude, p.longitude from public.task_points p where p.task_id = agreed.task_id;
  perform private.set_actor('schedule');
  insert into public.bookings (task_id, task_doer_id, task_giver_id, status, agreed_amount, expense_limit, series_id, visit_number)
  values (visit_task, agreed.task_doer_id, agreed.task_giver_id, 'accepted', agreed.agreed_amount, agreed.expense_limit, series.id,
    nth) returning id into visit;
  perform private.set_actor(null);
  perform private.schedule_visit_payment(starts_at);
  return visit;
end $$;

create or replace function private.change_texts() returns jsonb
language sql immutable set search_path = '' as $$
  select $json${
  "changes": {
    "price": "the price is now {{amount, money}}",
    "stays": "your application stays at {{amount, money}}",
    "time": "the time is now {{when}}, {{clock}}",
    "anytime": "any time suits now",
    "place": "the place is now {{place}}",
    "duration": "how long it takes",
    "work": "what is to be done",
    "tools": "the tools",
    "offers": "whether it takes offers",
    "expenses": "the limit for expenses of new applications",
    "repeats": "how often it is done"
  },
  "betweenChanges": "; "
}$json$::jsonb
$$;

create or replace function private.check_application(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
declare
  task constant public.tasks := private.lock_task(booking.task_id);
  busy text;
begin
  perform private.require(task.hidden_for is null, 'task.not_open', 'task_id');
  -- To everybody else a task that one tasker is asked to do is not there.
  perform private.require(task.id is not null
    and (task.status <> 'asked' or booking.task_doer_id in (task.asked_tasker_id, task.task_giver_id)), 'task.not_found', 'task_id');
  perform private.allow(task.task_giver_id <> booking.task_doer_id, 'booking.own_task');
  perform private.require(not private.has_other_application(booking.task_id, booking.task_doer_id),
    'booking.already_applied', 'task_id');
  perform private.require(task.status in ('open', 'asked'), 'task.not_open', 'task_id');
  booking.task_giver_id := task.task_giver_id;
  if task.repeats is not null then
    busy := private.busy_visit_days(booking.task_doer_id, task);
    perform private.require(busy is null, 'series.own_clash', 'task_id', jsonb_build_object('days', busy));
  end if;
  -- A client may send the limit that its person saw, as the price below; without one, the current limit counts.
  perform private.require(booking.expense_limit is null or booking.expense_limit is not distinct from task.expense_limit,
    'booking.expenses_changed', 'expense_limit');
  booking.expense_limit := task.expense_limit;
  if booking.offer_options is not null or booking.offer_reason is not null then
    return private.check_offer(booking, task);
  end if;
  -- A client may send the price that its person saw; without one, the current price counts.
  perform private.require(coalesce(booking.agreed_amount, 'NaN') in ('NaN', task.pay_amount),
    'booking.price_changed', 'agreed_amount', jsonb_build_object('price', round(task.pay_amount, 2)));
  booking.agreed_amount := task.pay_amount;
  return booking;
end $$;

create function private.check_task_expenses(task public.tasks) returns void
language plpgsql stable set search_path = '' as $$
declare
  lowest constant numeric := private.rule('limits.change.min');
  highest constant numeric := private.rule('limits.expenses.max');
begin
  perform private.require(task.expense_limit >= lowest, 'change.amount_too_low', 'expense_limit', jsonb_build_object('min', lowest));
  -- PostgreSQL counts NaN as the largest number.
  perform private.require(task.expense_limit <= highest, 'change.amount_too_high', 'expense_limit', jsonb_build_object('max', highest));
  perform private.require(task.expense_limit = round(task.expense_limit, 2), 'change.amount_too_precise', 'expense_limit');
end $$;

create or replace function private.task_changes() returns table (what text, columns text[])
language sql immutable set search_path = '' as $$
  values
    ('price', '{pay_amount}'::text[]),
    ('stays', '{pay_amount}'),
    ('time', '{scheduled_date}'),
    ('anytime', '{scheduled_date}'),
    ('place', '{location}'),
    ('duration', '{duration_minutes}'),
    ('work', '{title,description,category}'),
    ('tools', '{tools_provided,tools_description}'),
    ('offers', '{offers_allowed}'),
    ('expenses', '{expense_limit}'),
    ('repeats', '{repeats}')
$$;

grant insert (expense_limit) on public.bookings to authenticated;
grant insert (expense_limit), update (expense_limit) on public.tasks to authenticated;
grant execute on function private.check_task_expenses(public.tasks) to authenticated;
grant execute on function private.check_task_expenses(public.tasks) to service_role;

comment on column public.bookings.expense_limit is 'Dollars of expenses that the tasker can hand in: the task''s limit when the tasker applied, until the giver raises it; null for none';
comment on column public.tasks.expense_limit is 'Dollars of expenses that the giver pays on top of the price, such as materials; of a repeat for each visit; null for none';

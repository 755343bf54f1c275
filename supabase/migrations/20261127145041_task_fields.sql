-- task fields: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

drop function private.changes_of_task(public.tasks,public.tasks,numeric);

create or replace function private.erase_person() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  booking uuid;
  gone constant text := 'Removed together with the account.';
  obstacle constant text := private.deletion_obstacle(old.id);
begin
  perform private.require(obstacle is null, obstacle, 'id');

  -- What is going on ends first, so that the others hear of it.
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = old.id and status = 'open';
  perform private.set_actor('schedule');
  for booking in select id from public.bookings
    where old.id in (task_doer_id, task_giver_id) and status in ('pending', 'accepted') order by id
  loop
    perform private.set_actor('schedule');
    update public.bookings set status = 'cancelled' where id = booking;
  end loop;
  perform private.set_actor(null);
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = old.id and status = 'open';

  perform private.erase_name(old.id);
  perform private.erase_audit(old.id);
  delete from public.reports where old.id in (author_id, reporter_id);
  -- Cards first: each is detached as it goes.
  delete from public.payment_methods where user_id = old.id;
  perform private.enqueue_function('erase-account', jsonb_build_object('person', old.id,
    'account', (select stripe_account_id from public.payout_accounts where user_id = old.id and account_type <> 'manual')));

  if not exists (select from public.payments p where old.id in (p.payer_id, p.payee_id)) then
    delete from public.profiles where id = old.id;
    return old;
  end if;
  delete from public.verifications where user_id = old.id;
  delete from public.user_roles where user_id = old.id;
  delete from public.suspensions where user_id = old.id;
  delete from public.notifications where user_id = old.id;
  delete from public.payment_failures where person_id = old.id;
  delete from public.payout_accounts where user_id = old.id;
  delete from private.unsubscribe_tokens where person_id = old.id;
  delete from public.messages m where m.sender_id = old.id;
  perform private.erase_task_texts(old.id);
  perform set_config('private.erasing', 'yes', true);
  update public.bookings set message = null, completion_notes = null
  where task_doer_id = old.id and (message is not null or completion_notes is not null);
  update public.bookings set cancellation_reason = null where cancelled_by = old.id and cancellation_reason is not null;
  update public.complaints set reason = gone where giver_id = old.id;
  update public.complaints set answer = gone where tasker_id = old.id and answer is not null;
  update public.profiles set deleted_at = now(), full_name = null, email = null, phone = null, city = null, bio = null,
    avatar_url = null, skills = '{}', preferred_categories = '{}', experience_years = null, hourly_rate = null,
    availability_status = 'unavailable', verified_by_admin = false, verification_notes = null, verified_at = null,
    verified_by = null, last_active = null
  where id = old.id;
  -- What the last changes wrote into the log.
  perform private.erase_audit(old.id);
  return old;
end $$;

create function private.erase_task_texts(giver uuid) returns void
language sql set search_path = '' as $$
  delete from public.task_addresses a using public.tasks t where t.id = a.task_id and t.task_giver_id = giver;
  update public.tasks set description = 'Removed together with the account.', location = 'Saskatchewan', tools_description = null
  where task_giver_id = giver
$$;

create or replace function private.facts_of_changes(before public.tasks, task public.tasks, agreed numeric) returns jsonb
language sql stable set search_path = '' as $$
  select coalesce(jsonb_agg(fact order by nth), '[]')
  from private.task_changes() with ordinality as change (what, columns, words, nth)
  cross join lateral (select case what
      when 'price' then jsonb_build_object('what', what, 'amount', task.pay_amount)
      when 'stays' then case when agreed <> task.pay_amount then jsonb_build_object('what', what, 'amount', agreed) end
      when 'time' then case when task.scheduled_date is not null
        then jsonb_build_object('what', what, 'at', task.scheduled_date) end
      when 'anytime' then case when task.scheduled_date is null then jsonb_build_object('what', what) end
      when 'place' then jsonb_build_object('what', what, 'place', task.location)
      else jsonb_build_object('what', what) end as fact) as named
  where fact is not null and exists (
    select from unnest(columns) as name where to_jsonb(before) -> name is distinct from to_jsonb(task) -> name)
$$;

create or replace function private.follow_changed_task() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('person', private.person_name(new.task_giver_id), 'task', new.title);
  applicant record;
  facts jsonb;
begin
  if new.status not in ('open', 'asked') or new.status <> old.status then
    return null;
  end if;
  facts := private.facts_of_changes(old, new, new.pay_amount);
  if facts = '[]' then
    return null;
  end if;
  for applicant in select task_doer_id, agreed_amount from public.bookings
    where task_id = new.id and status = 'pending' order by id
  loop
    facts := private.facts_of_changes(old, new, applicant.agreed_amount);
    perform private.notify_person(applicant.task_doer_id, 'task_changed', news
      || jsonb_build_object('changes', private.words_of_changes(facts), 'changed', facts), '/task/' || new.id);
  end loop;
  if new.status = 'asked' and new.hidden_for is null and not exists (select from public.bookings
    where task_id = new.id and task_doer_id = new.asked_tasker_id and status = 'pending')
  then
    facts := private.facts_of_changes(old, new, new.pay_amount);
    perform private.notify_person(new.asked_tasker_id, 'asked_task_changed', news
      || jsonb_build_object('changes', private.words_of_changes(facts), 'changed', facts), '/task/' || new.id);
  end if;
  perform private.schedule_tick(new.asked_until);
  return null;
end $$;

create or replace function private.merged_changes(earlier jsonb, later jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  same constant jsonb := '{"stays": "price", "anytime": "time"}';
  facts jsonb;
begin
  if not (earlier ? 'changed' and later ? 'changed') then
    return later;
  end if;
  select jsonb_agg(fact order by array_position(array(select what from private.task_changes()), fact ->> 'what')) into facts
  from (select fact from jsonb_array_elements(later -> 'changed') fact
    union all select fact from jsonb_array_elements(earlier -> 'changed') fact where not exists (
      select from jsonb_array_elements(later -> 'changed') newer
      where coalesce(same ->> (newer ->> 'what'), newer ->> 'what') = coalesce(same ->> (fact ->> 'what'), fact ->> 'what'))) all_facts;
  return later || jsonb_build_object('changed', facts, 'changes', private.words_of_changes(facts));
end $$;

create function private.task_changes() returns table (what text, columns text[], words text)
language sql immutable set search_path = '' as $$
  values
    ('price', '{pay_amount}'::text[], null),
    ('stays', '{pay_amount}', null),
    ('time', '{scheduled_date}', null),
    ('anytime', '{scheduled_date}', null),
    ('place', '{location}', null),
    ('duration', '{duration_minutes}', 'how long it takes'),
    ('work', '{title,description,category}', 'what is to be done'),
    ('tools', '{tools_provided,tools_description}', 'the tools')
$$;

create or replace function private.words_of_changes(facts jsonb) returns text
language sql stable set search_path = '' as $$
  select string_agg(case fact ->> 'what'
      when 'price' then format('the price is now $%s', to_char((fact ->> 'amount')::numeric, 'FM999999990.00'))
        || coalesce((select format(', your application stays at $%s', to_char((stays ->> 'amount')::numeric, 'FM999999990.00'))
          from jsonb_array_elements(facts) stays where stays ->> 'what' = 'stays'), '')
      when 'time' then 'the time is now ' || private.day_and_time((fact ->> 'at')::timestamptz) || ', Saskatchewan time'
      when 'anytime' then 'any time suits now'
      when 'place' then 'the place is now ' || (fact ->> 'place')
      else (select words from private.task_changes() where what = fact ->> 'what') end, '; ' order by nth)
  from jsonb_array_elements(facts) with ordinality as each (fact, nth)
$$;

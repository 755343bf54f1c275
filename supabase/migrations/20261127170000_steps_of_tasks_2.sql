-- Named steps of what happens before and after a change of tasks and their files (2 of 3).
set check_function_bodies = off;

create function private.check_task_poster(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if (task.task_giver_id = auth.uid()) is not true then
    perform private.fail('task.not_own', null, '{}', '42501');
  end if;
  if (private.has_role('task_giver') or private.is_admin()) is not true then
    perform private.fail('task.only_givers', null, '{}', '42501');
  end if;
  if (task.status = 'open') is not true then
    perform private.fail('task.status_invalid', 'status');
  end if;
end $$;

create function private.check_task_schedule(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if task.scheduled_date <= '2000-01-01' or task.scheduled_date >= '2100-01-01' then
    perform private.fail('task.date_invalid', 'scheduled_date');
  end if;
  -- Clocks may differ a little; a date that passed meanwhile does not stand in the way of another change.
  if private.is_client() and task.scheduled_date <= now() - interval '5 minutes'
    and task.scheduled_date is distinct from before.scheduled_date
  then
    perform private.fail('task.date_past', 'scheduled_date');
  end if;
end $$;

create function private.check_task_step(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if task.status is not distinct from before.status then
    return;
  end if;
  if ((before.status = 'open' and task.status = 'cancelled')
    or (before.status = 'asked' and task.status in ('open', 'cancelled'))
    or (before.status = 'assigned' and task.status = 'completed' and private.task_is_released(before.id))) is not true
  then
    perform private.fail('task.status_change_invalid', 'status', jsonb_build_object('from', before.status, 'to', task.status));
  end if;
  if task.status = 'cancelled' and not private.reserve_decision(before.id) then
    perform private.fail('task.being_decided', 'status');
  end if;
end $$;

create function private.check_task_title(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(task.title) >= private.rule('limits.title.min')) is not true then
    perform private.fail('task.title_too_short', 'title');
  end if;
  if length(task.title) > private.rule('limits.title.max') then
    perform private.fail('task.title_too_long', 'title');
  end if;
  if task.title is distinct from before.title then
    if private.has_hidden_characters(task.title) then
      perform private.fail('task.title_hidden_characters', 'title');
    end if;
    if private.has_address(task.title) then
      perform private.fail('task.title_address', 'title');
    end if;
    if private.speaks_officially(task.title, false) then
      perform private.fail('task.title_official', 'title');
    end if;
  end if;
end $$;

create function private.check_task_tools(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if task.tools_provided is null then
    perform private.fail('task.tools_invalid', 'tools_provided');
  end if;
  if length(task.tools_description) > private.rule('limits.toolsDescription.max') then
    perform private.fail('task.tools_description_too_long', 'tools_description');
  end if;
end $$;

create function private.count_kinds(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
declare
  was text[] := '{}';
  is_now text[] := '{}';
begin
  if (before.id, before.status, before.hidden_for, before.category, before.title, before.description, before.location)
    is not distinct from (task.id, task.status, task.hidden_for, task.category, task.title, task.description, task.location) then
    return;
  end if;
  if before.id is not null then
    was := private.kinds_of(before);
  end if;
  if task.id is not null then
    is_now := private.kinds_of(task);
  end if;
  if was <> is_now then
    insert into private.kind_changes (kind, amount)
    select kind, -1 from unnest(was) kind union all select kind, 1 from unnest(is_now) kind;
  end if;
end $$;

create function private.delete_favourites(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.favourites where person in (user_id, tasker_id);
end $$;

create function private.drop_booking_photos(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.drop_files('booking-photos', array(
    select name from storage.objects where bucket_id = 'booking-photos' and name like booking.id || '/%'));
end $$;

create function private.drop_task_photos(task public.tasks) returns void
language plpgsql set search_path = '' as $$
declare
  dropped text[];
begin
  if task.photos = '{}' then
    return;
  end if;
  select array_agg(photo) into dropped from unnest(task.photos) photo where not private.photo_is_kept('task-photos', photo);
  perform private.drop_files('task-photos',
    dropped || array(select replace(photo, '.jpg', '.small.jpg') from unnest(dropped) photo));
end $$;

create function private.end_requests(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = person and status = 'asked';
  update public.tasks set status = 'open', updated_at = now() where asked_tasker_id = person and status = 'asked';
end $$;

create function private.erase_photos(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.tasks set photos = '{}' where task_giver_id = person and photos <> '{}';
  update public.bookings set completion_photos = '{}' where task_doer_id = person and completion_photos <> '{}';
  update public.complaints set photos = '{}' where giver_id = person and photos <> '{}';
  update public.complaints set answer_photos = '{}' where tasker_id = person and answer_photos <> '{}';
  perform private.drop_files(o.bucket_id, array_agg(o.name)) from storage.objects o
  where o.owner_id = person::text or o.name like person || '/%' group by o.bucket_id;
end $$;

create function private.erase_shown_pictures(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from private.shown_pictures where name like person || '%';
end $$;

create or replace function private.erase_task_texts(giver uuid) returns void
language sql set search_path = '' as $$
  delete from public.task_addresses a using public.tasks t where t.id = a.task_id and t.task_giver_id = giver;
  update public.tasks set description = 'Removed together with the account.', location = private.marketplace() #>> '{texts,province}', tools_description = null
  where task_giver_id = giver
$$;

create function private.forget_hidden_message(message public.messages) returns void
language plpgsql set search_path = '' as $$
declare
  words constant text := coalesce(nullif(left(message.message, 120), ''), 'Photo');
begin
  perform private.refill_notification(n.id, '{"text": "Removed message"}') from public.notifications n
  where n.user_id = message.receiver_id and n.key = 'message_received' and n.params ->> 'booking' = message.booking_id::text
    and n.params ->> 'text' = words;
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and s.user_id = message.receiver_id and m.key = 'message_received'
    and m.params ->> 'booking' = message.booking_id::text and m.params ->> 'text' = words;
end $$;

create function private.forget_hidden_task(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.refill_notification(n.id, '{"task": "Removed task"}') from public.notifications n
  where n.params ? 'task' and (n.link = '/task/' || task.id or n.params ->> 'task' = task.title)
    and private.was_offered(n.user_id, n.link, n.params, task);
  delete from private.email_events e
  where e.params ? 'task' and private.was_offered(e.person_id, e.link, e.params, task);
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and m.params ? 'task' and private.was_offered(s.user_id, m.link, m.params, task);
end $$;

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

create function private.is_edited(task public.tasks, before public.tasks) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  before.status := task.status;
  before.asked_tasker_id := task.asked_tasker_id;
  before.asked_until := task.asked_until;
  before.hidden_for := task.hidden_for;
  before.updated_at := task.updated_at;
  return task is distinct from before;
end $$;

create function private.keep_asked_tasker(task public.tasks, before public.tasks) returns public.tasks
language plpgsql set search_path = '' as $$
begin
  if before.id is null then
    if task.asked_tasker_id is not null then
      task.status := 'asked';
      task.asked_until := least(now() + interval '24 hours', now() + (task.scheduled_date - now()) / 2);
    end if;
  elsif task.status <> 'asked' then
    task.asked_tasker_id := null;
    task.asked_until := null;
  elsif task.scheduled_date is distinct from before.scheduled_date then
    task.asked_until := least(task.asked_until, now() + (task.scheduled_date - now()) / 2);
  end if;
  return task;
end $$;

create function private.notify_asked_tasker(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(task.asked_tasker_id, 'task_asked', jsonb_build_object(
    'person', private.person_name(task.task_giver_id), 'task', task.title), '/task/' || task.id);
  perform private.schedule_tick(task.asked_until);
end $$;

create function private.notify_task_changes(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('person', private.person_name(task.task_giver_id), 'task', task.title);
  applicant record;
  facts jsonb;
begin
  facts := private.facts_of_changes(before, task, task.pay_amount);
  if facts = '[]' then
    return;
  end if;
  for applicant in select task_doer_id, agreed_amount from public.bookings
    where task_id = task.id and status = 'pending' order by id
  loop
    facts := private.facts_of_changes(before, task, applicant.agreed_amount);
    perform private.notify_person(applicant.task_doer_id, 'task_changed', news
      || jsonb_build_object('changes', private.words_of_changes(facts), 'changed', facts), '/task/' || task.id);
  end loop;
  if task.status = 'asked' and task.hidden_for is null and not exists (select from public.bookings
    where task_id = task.id and task_doer_id = task.asked_tasker_id and status = 'pending')
  then
    facts := private.facts_of_changes(before, task, task.pay_amount);
    perform private.notify_person(task.asked_tasker_id, 'asked_task_changed', news
      || jsonb_build_object('changes', private.words_of_changes(facts), 'changed', facts), '/task/' || task.id);
  end if;
  perform private.schedule_tick(task.asked_until);
end $$;

create function private.notify_withdrawn_request(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if not exists (select from public.bookings where task_id = task.id and task_doer_id = before.asked_tasker_id) then
    perform private.notify_person(before.asked_tasker_id, 'request_withdrawn', jsonb_build_object(
      'person', private.person_name(task.task_giver_id), 'task', task.title, 'task_id', task.id), '/dashboard');
  end if;
end $$;

create function private.open_request_to_everyone(booking public.bookings) returns void
language sql set search_path = '' as $$
  update public.tasks set status = 'open', updated_at = now()
  where id = booking.task_id and status = 'asked' and asked_tasker_id = booking.task_doer_id
$$;

create function private.queue_file_moves() returns void
language plpgsql set search_path = '' as $$
begin
  perform private.enqueue_function('run-scheduled', '{}', 'remove-files');
end $$;

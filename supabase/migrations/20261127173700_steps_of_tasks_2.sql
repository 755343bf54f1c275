-- Named steps of what happens before and after a change of tasks and their files (2 of 3).
set check_function_bodies = off;

create function private.check_task_pay(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if (task.pay_amount > 0) is not true then
    perform private.fail('task.pay_not_positive', 'pay_amount');
  end if;
  if task.pay_amount < private.marketplace_number('pay.min') then
    perform private.fail('task.pay_too_low', 'pay_amount', jsonb_build_object('min', private.marketplace_number('pay.min')));
  end if;
  if task.pay_amount > private.marketplace_number('pay.max') then
    perform private.fail('task.pay_too_high', 'pay_amount');
  end if;
  -- Sums of JavaScript can be slightly off.
  if abs(task.pay_amount - round(task.pay_amount, 2)) >= 0.000001 then
    perform private.fail('task.pay_too_precise', 'pay_amount');
  end if;
end $$;

create function private.check_task_photos(task public.tasks, before public.tasks) returns public.tasks
language plpgsql set search_path = '' as $$
begin
  task.photos := coalesce(task.photos, '{}');
  if private.is_client() and task.photos <> '{}' and task.photos is distinct from before.photos then
    perform private.check_photos(task.photos, 'task-photos', task.task_giver_id, task.task_giver_id, 'photos');
  end if;
  return task;
end $$;

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
  if task.status = 'cancelled' and not private.try_lock_decision(before.id) then
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
    if private.poses_as_official(task.title, false) then
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

create or replace function private.close_overdue_task() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
begin
  if private.open_asked_task() = 1 then
    return 1;
  end if;
  select t.id, t.task_giver_id, t.title into due from public.tasks t
  where t.status = 'open' and t.scheduled_date <= now() - interval '24 hours'
  order by t.id limit 1 for no key update skip locked;
  if not found or not private.try_lock_decision(due.id) then
    return 0;
  end if;
  update public.tasks set status = 'cancelled', updated_at = now() where id = due.id;
  perform private.notify_person(due.task_giver_id, 'task_expired', jsonb_build_object('task', due.title), '/dashboard');
  return 1;
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
    was := private.matching_task_kinds(before);
  end if;
  if task.id is not null then
    is_now := private.matching_task_kinds(task);
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

create or replace function private.has_room_for_photo(bucket text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return (select count(*) from storage.objects o where o.bucket_id = bucket and o.owner_id = (select auth.uid())::text
    and not private.photo_is_kept(bucket, o.name) and not private.is_dropped_file(bucket, o.name)) < 40;
end $$;

create function private.is_dropped_file(bucket text, name text) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from private.dropped_files d where d.bucket_id = bucket and d.name = is_dropped_file.name)
$$;

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

create function private.is_only_offered(person uuid, link text, params jsonb, task public.tasks) returns boolean
language sql stable security definer set search_path = '' as $$
  select person <> task.task_giver_id
    and (link = '/task/' || task.id
      or (params ->> 'task' = task.title
        and params ->> 'person' in (private.person_name(task.task_giver_id), private.full_name(task.task_giver_id))))
    and not exists (select from public.user_roles r where r.user_id = person and r.role = 'admin')
    and not exists (select from public.bookings b where b.task_id = task.id and b.task_doer_id = person)
$$;

create or replace function private.is_own_profile_photo(person uuid, address text) returns boolean
language sql stable security definer set search_path = '' as $$
  select left(private.profile_photo(address), 36) = person::text and exists (select from storage.objects o
    where o.bucket_id = 'profile-photos' and o.name = private.profile_photo(address) and not private.is_dropped_file(o.bucket_id, o.name))
$$;

create function private.is_unused_picture_name(bucket text, name text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from storage.objects o where o.bucket_id = bucket and o.name = is_unused_picture_name.name)
    or not (exists (select from private.shown_pictures s where s.bucket_id = bucket and s.name = is_unused_picture_name.name)
      or (bucket = 'chat-photos' and private.photo_booking(is_unused_picture_name.name) is not null
        and exists (select from public.messages m where m.id = substring(is_unused_picture_name.name from '/(.{36})\.jpg$')::uuid)));
end $$;

create function private.list_changes(before public.tasks, task public.tasks, agreed numeric) returns jsonb
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

create function private.matching_task_ids(
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

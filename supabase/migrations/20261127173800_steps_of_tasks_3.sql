-- Named steps of what happens before and after a change of tasks and their files (3 of 3).
set check_function_bodies = off;

create function private.matching_task_kinds(task public.tasks) returns text[]
language plpgsql immutable set search_path = '' as $$
declare
  text_of_task text;
begin
  if task.status <> 'open' or task.hidden_for is not null then
    return '{}';
  end if;
  text_of_task := private.search_text(concat_ws(E'\n', task.title, task.description, task.category, task.location));
  return array(
    select k.name from private.task_kinds() k
    where task.category = any (k.categories) or exists (select from unnest(k.words) w where position(w in text_of_task) > 0)
  );
end $$;

create function private.matching_tasker_ids(
  query text, wanted integer, city text, category text, max_rate numeric, availability text,
  after_rating numeric default null, after_reviews integer default null, after_id uuid default null
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  page constant integer := 200;
  home constant text := nullif(private.trimmed(private.search_text(city)), '');
  found_ids uuid[] := '{}';
  matching uuid[];
  listed uuid[];
begin
  perform private.require(availability is null or availability in ('available', 'busy', 'unavailable'),
    'search.availability_invalid', 'availability');
  for n in 0 .. 9 loop
    select coalesce(array_agg(p.id order by f.place), '{}'), coalesce(array_agg(p.id order by f.place) filter (where
        (home is null or private.search_text(p.city) = home)
        and (matching_tasker_ids.category is null or p.preferred_categories @> array[matching_tasker_ids.category])
        and (matching_tasker_ids.max_rate is null or p.hourly_rate <= matching_tasker_ids.max_rate)
        and (matching_tasker_ids.availability is null or p.availability_status::text = matching_tasker_ids.availability)), '{}')
      into listed, matching
    from (
      select t.id, row_number() over () as place
      from public.find_taskers(query, page, after_rating, after_reviews, after_id) t
    ) f join private.profiles p on p.id = f.id;
    found_ids := found_ids || matching;
    exit when cardinality(listed) < page or cardinality(found_ids) >= wanted;
    select p.rating, p.total_reviews, p.id into after_rating, after_reviews, after_id
    from private.profiles p where p.id = listed[page];
  end loop;
  return found_ids[1:wanted];
end $$;

create function private.may_upload_work_photo(booking uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.bookings where id = booking
    and ((task_doer_id = (select auth.uid()) and status in ('in_progress', 'completed'))
      or (task_giver_id = (select auth.uid()) and status = 'completed')));
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
  facts := private.list_changes(before, task, task.pay_amount);
  if facts = '[]' then
    return;
  end if;
  for applicant in select task_doer_id, agreed_amount from public.bookings
    where task_id = task.id and status = 'pending' order by id
  loop
    facts := private.list_changes(before, task, applicant.agreed_amount);
    perform private.notify_person(applicant.task_doer_id, 'task_changed', news
      || jsonb_build_object('changes', private.describe_changes(facts), 'changed', facts), '/task/' || task.id);
  end loop;
  if task.status = 'asked' and task.hidden_for is null and not exists (select from public.bookings
    where task_id = task.id and task_doer_id = task.asked_tasker_id and status = 'pending')
  then
    facts := private.list_changes(before, task, task.pay_amount);
    perform private.notify_person(task.asked_tasker_id, 'asked_task_changed', news
      || jsonb_build_object('changes', private.describe_changes(facts), 'changed', facts), '/task/' || task.id);
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

create function private.record_task_photos(task public.tasks) returns void
language sql set search_path = '' as $$
  insert into private.shown_pictures (bucket_id, name)
  select 'task-photos', photo from unnest(task.photos || private.small_photo_names(task.photos)) photo on conflict do nothing
$$;

create function private.redact_hidden_message(message public.messages) returns void
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

create function private.redact_hidden_task(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.refill_notification(n.id, '{"task": "Removed task"}') from public.notifications n
  where n.params ? 'task' and (n.link = '/task/' || task.id or n.params ->> 'task' = task.title)
    and private.is_only_offered(n.user_id, n.link, n.params, task);
  delete from private.email_events e
  where e.params ? 'task' and private.is_only_offered(e.person_id, e.link, e.params, task);
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and m.params ? 'task' and private.is_only_offered(s.user_id, m.link, m.params, task);
end $$;

create function private.round_pay(task public.tasks) returns public.tasks
language plpgsql set search_path = '' as $$
begin
  task.pay_amount := round(task.pay_amount, 2);
  return task;
end $$;

create function private.small_photo_names(names text[]) returns text[]
language sql immutable set search_path = '' as $$
  select array(select regexp_replace(name, '\.jpg$', '.small.jpg') from unnest(names) name)
$$;

create or replace function private.sweep_photos() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  swept integer;
begin
  perform from private.photo_sweep where swept_at <= now() - interval '1 day' for update skip locked;
  if not found then
    return 0;
  end if;
  select sum(private.drop_files(bucket, array(
    select o.name from storage.objects o where o.bucket_id = bucket and o.created_at <= now() - interval '1 day'
      and not private.file_is_used(bucket, o.name) and not private.is_dropped_file(bucket, o.name) limit 100))) into swept
  from unnest(array['task-photos', 'booking-photos', 'chat-photos']) bucket;
  if swept = 0 then
    update private.photo_sweep set swept_at = now();
  end if;
  return swept;
end $$;

create function private.tidy_task(task public.tasks) returns public.tasks
language plpgsql immutable set search_path = '' as $$
begin
  task.title := private.trimmed(task.title);
  task.description := private.trimmed(task.description);
  task.location := private.trimmed(task.location);
  task.tools_description := nullif(private.trimmed(task.tools_description), '');
  return task;
end $$;

create function private.tidy_task_address(address public.task_addresses) returns public.task_addresses
language plpgsql set search_path = '' as $$
begin
  address.address := private.trimmed(address.address);
  return address;
end $$;

create function private.touch_task(task public.tasks) returns public.tasks
language plpgsql stable set search_path = '' as $$
begin
  task.updated_at := now();
  return task;
end $$;

create function private.update_request_deadline(task public.tasks, before public.tasks) returns public.tasks
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

create or replace function public.count_taskers(
  query text default '', city text default null, category text default null, max_rate numeric default null,
  availability text default null
) returns integer language sql stable security definer set search_path = '' as $$
  select cardinality(private.matching_tasker_ids(coalesce(query, ''), 500, city, category, max_rate, availability))
$$;

create or replace function public.count_tasks(
  query text default '', category text default null, location text default null, min_pay numeric default null,
  max_pay numeric default null, first_day date default null, last_day date default null
) returns integer language sql stable security definer set search_path = '' as $$
  select cardinality(private.matching_task_ids(query, category, 100, location, min_pay, max_pay, 'newest', 0, first_day, last_day))
$$;

create or replace function public.files_to_move() returns table (name text, from_bucket text, to_bucket text)
language plpgsql security definer set search_path = '' as $$
begin
  perform private.drop_files(o.bucket_id, array_agg(o.name)) from storage.objects o
  where o.bucket_id in ('hidden-profile-photos', 'hidden-task-photos') and not exists (
    select from private.profiles p where p.id::text = left(o.name, 36) and o.bucket_id = 'hidden-profile-photos'
      and private.profile_photo(p.avatar_url) = o.name)
    and not (o.bucket_id = 'hidden-task-photos' and private.photo_is_kept('task-photos', o.name))
    and not private.is_dropped_file(o.bucket_id, o.name)
  group by o.bucket_id;
  return query
  select o.name, o.bucket_id, 'hidden-' || o.bucket_id from private.hidden_pictures h
  join storage.objects o on o.bucket_id = h.bucket_id and o.name = h.name
  where not private.is_dropped_file(o.bucket_id, o.name)
  union all
  select o.name, o.bucket_id, substring(o.bucket_id from '^hidden-(.*)$') from storage.objects o
  where o.bucket_id in ('hidden-profile-photos', 'hidden-task-photos', 'hidden-chat-photos')
    and not private.is_dropped_file(o.bucket_id, o.name)
    and not exists (select from private.hidden_pictures h where 'hidden-' || h.bucket_id = o.bucket_id and h.name = o.name)
  limit 500;
end $$;

create or replace function public.search_taskers(
  query text default '', max_results integer default 100, city text default null, category text default null,
  max_rate numeric default null, availability text default null, after_rating numeric default null,
  after_reviews integer default null, after_id uuid default null
) returns setof public.public_profiles language sql stable security definer set search_path = '' as $$
  select p.* from unnest(private.matching_tasker_ids(coalesce(query, ''), least(greatest(coalesce(max_results, 100), 0), 200),
      city, category, max_rate, availability, after_rating, after_reviews, after_id)) with ordinality found (id, place)
    join public.public_profiles p on p.id = found.id
  order by found.place
$$;

create or replace function public.search_tasks(
  query text default '', category text default null, max_results integer default 50, location text default null,
  min_pay numeric default null, max_pay numeric default null, sort text default 'newest', skip integer default 0,
  first_day date default null, last_day date default null
) returns setof public.tasks language sql stable security definer set search_path = '' as $$
  select t.* from unnest(private.matching_task_ids(query, category, least(greatest(coalesce(max_results, 50), 0), 100), location,
      min_pay, max_pay, sort, least(greatest(coalesce(skip, 0), 0), 10000), first_day, last_day))
    with ordinality found (id, place) join public.tasks t using (id)
  order by found.place
$$;

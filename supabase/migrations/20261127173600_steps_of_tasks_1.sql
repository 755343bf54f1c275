-- Named steps of what happens before and after a change of tasks and their files (1 of 3).
set check_function_bodies = off;

create function private.after_task_address_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.limit_client('addresses_changed');
  return null;
end $$;

create function private.after_task_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_kinds(new, old);
  perform private.count_task(new, old);
  if tg_op = 'INSERT' then
    if new.status = 'asked' then
      perform private.notify_asked_tasker(new);
    end if;
    perform private.record_task_photos(new);
    if new.status = 'open' then
      perform private.schedule_task_expiry(new);
    end if;
  elsif tg_op = 'DELETE' then
    perform private.drop_task_photos(old);
  elsif tg_op = 'UPDATE' then
    if new.photos <> old.photos then
      perform private.drop_task_photos(old);
    end if;
    if new.status in ('open', 'asked') and new.status = old.status and private.is_edited(new, old) then
      perform private.notify_task_changes(new, old);
    end if;
    if old.status in ('open', 'asked') and new.status = 'cancelled' then
      perform private.decline_waiting_applications(new.id);
    end if;
    if old.status = 'asked' and new.status = 'cancelled' and new.hidden_for is null then
      perform private.notify_withdrawn_request(new, old);
    end if;
    if old.hidden_for is distinct from new.hidden_for and new.hidden_for = 'report' then
      perform private.redact_hidden_task(new);
    end if;
    if new.photos <> '{}' and (new.hidden_for is distinct from old.hidden_for
      or (new.hidden_for is not null and new.photos <> old.photos)) then
      perform private.queue_file_moves();
    end if;
    if new.photos <> old.photos then
      perform private.record_task_photos(new);
    end if;
    if new.status = 'open' and (new.status, new.scheduled_date) is distinct from (old.status, old.scheduled_date) then
      perform private.schedule_task_expiry(new);
    end if;
  end if;
  return null;
end $$;

create function private.before_favourite_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(not private.is_client() or new.user_id = auth.uid(), 'favourite.not_own');
  perform private.limit_client('taskers_saved');
  perform private.require(new.tasker_id <> new.user_id and private.is_tasker(new.tasker_id),
    'favourite.not_tasker', 'tasker_id');
  perform private.require((select count(*) from public.favourites where user_id = new.user_id) < 500,
    'favourite.too_many', 'tasker_id');
  return new;
end $$;

create function private.before_file_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' or (new.bucket_id, new.owner_id, new.metadata ->> 'size')
    is distinct from (old.bucket_id, old.owner_id, old.metadata ->> 'size')
  then
    perform private.check_storage_quota(new, old);
  end if;
  return new;
end $$;

create function private.before_task_address_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  new := private.tidy_task_address(new);
  perform private.check_task_address(new);
  return new;
end $$;

create function private.before_task_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' or private.is_edited(new, old) then
    new := private.tidy_task(new);
  end if;
  if private.is_client() then
    new := private.touch_task(new);
  end if;
  if tg_op = 'INSERT' then
    new := private.hold_task(new);
    perform private.require_active_account();
    if private.is_client() then
      perform private.check_task_poster(new);
      perform private.count_new_task(new.asked_tasker_id);
    end if;
    perform private.check_asked_tasker(new);
  elsif tg_op = 'UPDATE' then
    if private.is_client() then
      if new.status = old.status then
        perform private.require_active_giver();
        perform private.limit_task_changes(new.id);
      end if;
      perform private.check_task_is_free(new, old);
      perform private.check_task_step(new, old);
    end if;
    if old.status not in ('open', 'asked') then
      new := private.hold_task(new);
    end if;
  end if;
  if tg_op = 'INSERT' or private.is_edited(new, old) then
    perform private.check_task_title(new, old);
    perform private.check_task_description(new);
    perform private.check_task_category(new);
    perform private.check_task_location(new);
    perform private.check_task_pay(new);
    perform private.check_task_tools(new);
    perform private.check_task_schedule(new, old);
    perform private.check_task_duration(new);
    new := private.check_task_photos(new, old);
    new := private.round_pay(new);
  end if;
  new := private.update_request_deadline(new, old);
  return new;
end $$;

create function private.change_profile_photo(profile private.profiles, before private.profiles) returns void
language plpgsql set search_path = '' as $$
declare
  shown constant text := private.profile_photo(profile.avatar_url);
  previous constant text := private.profile_photo(before.avatar_url);
begin
  if shown is not null then
    insert into private.shown_pictures (bucket_id, name) values ('profile-photos', shown) on conflict do nothing;
  end if;
  perform private.drop_files('profile-photos', array(
    select o.name from storage.objects o
    where o.bucket_id = 'profile-photos' and o.name like profile.id || '%' and o.name is distinct from shown
      and (o.name = previous or o.created_at < now() - interval '1 hour')));
end $$;

create function private.check_answer_photos(complaint public.complaints, before public.complaints) returns public.complaints
language plpgsql set search_path = '' as $$
begin
  complaint.photos := coalesce(complaint.photos, '{}');
  complaint.answer_photos := coalesce(complaint.answer_photos, '{}');
  if private.is_client() and complaint.answer_photos <> before.answer_photos then
    if before.answer is not null or complaint.answer is null then
      perform private.fail('photo.not_answering', 'answer_photos');
    end if;
    perform private.check_photos(complaint.answer_photos, 'booking-photos', complaint.booking_id, complaint.tasker_id, 'answer_photos');
  end if;
  return complaint;
end $$;

create function private.check_asked_tasker(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if task.asked_tasker_id is not null then
    if task.asked_tasker_id = task.task_giver_id then
      perform private.fail('task.asked_self', 'asked_tasker_id');
    end if;
    if not private.is_tasker(task.asked_tasker_id) then
      perform private.fail('task.asked_not_tasker', 'asked_tasker_id');
    end if;
  end if;
end $$;

create function private.check_complaint_photos(complaint public.complaints) returns public.complaints
language plpgsql set search_path = '' as $$
begin
  complaint.photos := coalesce(complaint.photos, '{}');
  complaint.answer_photos := coalesce(complaint.answer_photos, '{}');
  perform private.check_photos(complaint.photos, 'booking-photos', complaint.booking_id, complaint.giver_id, 'photos');
  return complaint;
end $$;

create function private.check_completion_photos(booking public.bookings, before public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  booking.completion_photos := coalesce(booking.completion_photos, '{}');
  if private.is_client() and booking.completion_photos <> before.completion_photos then
    if booking.status <> 'completed' or before.status = 'completed' then
      perform private.fail('photo.not_completing', 'completion_photos');
    end if;
    perform private.check_photos(booking.completion_photos, 'booking-photos', booking.id, booking.task_doer_id, 'completion_photos');
  end if;
  return booking;
end $$;

create or replace function private.check_photos(photos text[], bucket text, folder uuid, person uuid, field text) returns void
language plpgsql stable security definer set search_path = '' as $$
begin
  if coalesce(array_ndims(photos), 1) <> 1 or array_position(photos, null) is not null then
    perform private.fail('photo.list_invalid', field);
  end if;
  if cardinality(photos) > private.rule('limits.photos.count') then
    perform private.fail('photo.too_many', field, jsonb_build_object('max', private.rule('limits.photos.count')));
  end if;
  if (select count(distinct photo) from unnest(photos) photo) < cardinality(photos) then
    perform private.fail('photo.duplicate', field);
  end if;
  if exists (select from unnest(photos) photo where private.photo_folder(photo) is distinct from folder
      or photo like '%.small.jpg' or not exists (select from storage.objects
        where bucket_id = bucket and name = photo and owner_id = person::text and not private.is_dropped_file(bucket_id, name)))
  then
    perform private.fail('photo.not_found', field);
  end if;
end $$;

create function private.check_storage_quota(file storage.objects, before storage.objects) returns void
language plpgsql set search_path = '' as $$
declare
  quota private.storage_quotas;
  size constant numeric := coalesce((file.metadata ->> 'size')::numeric, 0);
  stored record;
begin
  -- The storage service sets the operation; SQL of an operator does not.
  if file.owner_id is null or coalesce(storage.operation(), '') = ''
    or before.bucket_id = 'hidden-' || file.bucket_id
  then
    return;
  end if;
  select * into quota from private.storage_quotas q where q.bucket_id = file.bucket_id;
  if quota.bucket_id is null then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('files of ' || file.owner_id, 0));
  -- Other issuers may use other subjects than ids of profiles.
  if file.owner_id !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' or private.is_new_account(file.owner_id::uuid, quota.new_for) then
    quota.files := least(quota.new_files, quota.files);
    quota.bytes := least(quota.new_bytes, quota.bytes);
  end if;
  select count(*) as files, coalesce(sum(o.size), 0) as bytes,
    count(*) filter (where quota.unused_files is not null and o.created_at > now() - interval '2 days'
      and not private.file_is_used(file.bucket_id, o.name)) as unused into stored
  from (select f.name, f.created_at, (f.metadata ->> 'size')::numeric as size from storage.objects f
    where f.owner_id = file.owner_id and f.bucket_id = file.bucket_id and f.id <> file.id and f.name <> file.name
      and not exists (select from private.dropped_files d where d.bucket_id = f.bucket_id and d.name = f.name)
    limit quota.files) o;
  if stored.files >= quota.files then
    perform private.fail('file.too_many', null, jsonb_build_object('count', stored.files), '42501');
  elsif stored.bytes + size > quota.bytes then
    perform private.fail('file.too_large', null, jsonb_build_object('megabytes', quota.bytes / 1024 / 1024), '42501');
  elsif stored.unused >= quota.unused_files then
    perform private.fail('file.too_many_unused', null, jsonb_build_object('count', stored.unused), '42501');
  end if;
end $$;

create function private.check_task_address(address public.task_addresses) returns void
language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(address.address) >= private.rule('limits.address.min')) is not true then
    perform private.fail('task.address_too_short', 'address');
  end if;
  if length(address.address) > private.rule('limits.address.max') then
    perform private.fail('task.address_too_long', 'address');
  end if;
end $$;

create function private.check_task_category(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if (task.category = any (private.categories())) is not true then
    perform private.fail('task.category_required', 'category');
  end if;
end $$;

create function private.check_task_description(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(task.description) >= private.rule('limits.description.min')) is not true then
    perform private.fail('task.description_too_short', 'description');
  end if;
  if length(task.description) > private.rule('limits.description.max') then
    perform private.fail('task.description_too_long', 'description');
  end if;
end $$;

create function private.check_task_duration(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if task.duration_minutes < private.rule('limits.durationMinutes.min')
    or task.duration_minutes > private.rule('limits.durationMinutes.max')
  then
    perform private.fail('task.duration_out_of_range', 'duration_minutes');
  end if;
end $$;

create function private.check_task_is_free(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if (before.status in ('open', 'asked') and task.status = before.status) is not true and private.is_edited(task, before) then
    perform private.fail(case before.status when 'assigned' then 'task.assigned' when 'completed' then 'task.completed'
      when 'cancelled' then 'task.closed' else 'task.changed_and_closed' end, 'status');
  end if;
end $$;

create function private.check_task_location(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(task.location) >= private.rule('limits.location.min')) is not true then
    perform private.fail('task.location_too_short', 'location');
  end if;
  if length(task.location) > private.rule('limits.location.max') then
    perform private.fail('task.location_too_long', 'location');
  end if;
end $$;

-- Photos of a task, of a completion, of a complaint and of its answer: at most five each, put up first by whoever hands
-- them in, and handed in with what they belong to. Whoever may read that reads their names.

-- Whether these can be handed in as photos: in this bucket and folder, by this person.
create function private.check_photos(photos text[], bucket text, folder uuid, person uuid, field text) returns void
language plpgsql stable security definer set search_path = '' as $$
begin
  if coalesce(array_ndims(photos), 1) <> 1 or array_position(photos, null) is not null then
    raise exception using message = 'Photos are a list of names', hint = field;
  end if;
  if cardinality(photos) > private.rule('limits.photos.count') then
    raise exception using message = format('At most %s photos', private.rule('limits.photos.count')), hint = field;
  end if;
  if (select count(distinct photo) from unnest(photos) photo) < cardinality(photos) then
    raise exception using message = 'Each photo can be added once', hint = field;
  end if;
  if exists (select from unnest(photos) photo where private.photo_folder(photo) is distinct from folder
      or photo like '%.small.jpg' or not exists (select from storage.objects
        where bucket_id = bucket and name = photo and owner_id = person::text))
  then
    raise exception using message = 'A photo is not there any more. Please remove it and add it again.', hint = field;
  end if;
end $$;
grant execute on function private.check_photos(text[], text, uuid, uuid, text) to authenticated, service_role;

create function private.check_task_photos() returns trigger language plpgsql set search_path = '' as $$
begin
  new.photos := coalesce(new.photos, '{}');
  if private.is_client() and new.photos <> '{}' and (tg_op = 'INSERT' or new.photos <> old.photos) then
    perform private.check_photos(new.photos, 'task-photos', new.task_giver_id, new.task_giver_id, 'photos');
  end if;
  return new;
end $$;
create trigger "80_photos" before insert or update on public.tasks
for each row execute function private.check_task_photos();
grant insert (photos), update (photos) on public.tasks to authenticated;

create function private.check_completion_photos() returns trigger language plpgsql set search_path = '' as $$
begin
  new.completion_photos := coalesce(new.completion_photos, '{}');
  if private.is_client() and new.completion_photos <> old.completion_photos then
    if new.status <> 'completed' or old.status = 'completed' then
      raise exception using message = 'Photos are added when the task is marked complete', hint = 'completion_photos';
    end if;
    perform private.check_photos(new.completion_photos, 'booking-photos', new.id, new.task_doer_id, 'completion_photos');
  end if;
  return new;
end $$;
create trigger "52_photos" before update on public.bookings
for each row execute function private.check_completion_photos();
grant update (completion_photos) on public.bookings to authenticated;

create function private.check_complaint_photos() returns trigger language plpgsql set search_path = '' as $$
begin
  new.photos := coalesce(new.photos, '{}');
  new.answer_photos := coalesce(new.answer_photos, '{}');
  if tg_op = 'INSERT' then
    perform private.check_photos(new.photos, 'booking-photos', new.booking_id, new.giver_id, 'photos');
  elsif private.is_client() and new.answer_photos <> old.answer_photos then
    if old.answer is not null or new.answer is null then
      raise exception using message = 'Photos are added with the answer', hint = 'answer_photos';
    end if;
    perform private.check_photos(new.answer_photos, 'booking-photos', new.booking_id, new.tasker_id, 'answer_photos');
  end if;
  return new;
end $$;
create trigger "40_photos" before insert or update on public.complaints
for each row execute function private.check_complaint_photos();
grant insert (photos), update (answer_photos) on public.complaints to authenticated;

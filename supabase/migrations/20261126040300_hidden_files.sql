-- What an administrator hides leaves its public address, too: the files move into private buckets, by the storage service
-- (the function run-scheduled), and back when they are shown again. And notifications that are still to be read or sent
-- lose the words of it.

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
select 'hidden-' || id, 'hidden-' || id, false, file_size_limit, allowed_mime_types from storage.buckets
where id in ('profile-photos', 'task-photos', 'chat-photos')
on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit,
  allowed_mime_types = excluded.allowed_mime_types;

-- Their authors see none: whoever reads a file can sign an address by which everybody does.
create policy "admins see hidden files" on storage.objects for select to authenticated
using (bucket_id in ('hidden-profile-photos', 'hidden-task-photos', 'hidden-chat-photos') and (select private.is_admin()));

create index profiles_reported on private.profiles (id) where hidden_for = 'report';
create index tasks_hidden_with_photo on public.tasks (id) where hidden_for is not null and photos <> '{}';

-- What a hidden profile, task or message shows.
create view private.hidden_pictures as
select 'profile-photos' as bucket_id, private.profile_photo(p.avatar_url) as name from private.profiles p
where p.hidden_for = 'report' and private.profile_photo(p.avatar_url) is not null
union
select 'task-photos', unnest(t.photos || private.small_photos(t.photos)) from public.tasks t
where t.hidden_for is not null and t.photos <> '{}'
union
select 'chat-photos', m.photo from public.messages m where m.hidden_at is not null and m.photo is not null;

-- Which files the storage service is to move next. A hidden file that nothing shows any more is dropped instead.
create function public.files_to_move() returns table (name text, from_bucket text, to_bucket text)
language plpgsql security definer set search_path = '' as $$
begin
  perform private.drop_files(o.bucket_id, array_agg(o.name)) from storage.objects o
  where o.bucket_id in ('hidden-profile-photos', 'hidden-task-photos') and not exists (
    select from private.profiles p where p.id::text = left(o.name, 36) and o.bucket_id = 'hidden-profile-photos'
      and private.profile_photo(p.avatar_url) = o.name)
    and not (o.bucket_id = 'hidden-task-photos' and private.photo_is_kept('task-photos', o.name))
    and not private.is_dropped(o.bucket_id, o.name)
  group by o.bucket_id;
  return query
  select o.name, o.bucket_id, 'hidden-' || o.bucket_id from private.hidden_pictures h
  join storage.objects o on o.bucket_id = h.bucket_id and o.name = h.name
  where not private.is_dropped(o.bucket_id, o.name)
  union all
  select o.name, o.bucket_id, substring(o.bucket_id from '^hidden-(.*)$') from storage.objects o
  where o.bucket_id in ('hidden-profile-photos', 'hidden-task-photos', 'hidden-chat-photos')
    and not private.is_dropped(o.bucket_id, o.name)
    and not exists (select from private.hidden_pictures h where 'hidden-' || h.bucket_id = o.bucket_id and h.name = o.name)
  limit 500;
end $$;
revoke execute on function public.files_to_move() from public, anon, authenticated;
grant execute on function public.files_to_move() to service_role;

create function private.move_hidden_files() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.enqueue_function('run-scheduled', '{}', 'remove-files');
  return null;
end $$;
create trigger move_hidden_files after update on private.profiles
for each row when (new.avatar_url is not null and (new.hidden_for is distinct from old.hidden_for
  or (new.hidden_for = 'report' and new.avatar_url is distinct from old.avatar_url)))
execute function private.move_hidden_files();
create trigger move_hidden_files after update on public.tasks
for each row when (new.photos <> '{}' and (new.hidden_for is distinct from old.hidden_for
  or (new.hidden_for is not null and new.photos <> old.photos)))
execute function private.move_hidden_files();
create trigger move_hidden_files after update on public.messages
for each row when (new.photo is not null and (new.hidden_at is null) <> (old.hidden_at is null))
execute function private.move_hidden_files();

-- A person's export holds their own hidden files, too.
do $$
begin
  execute replace(pg_get_functiondef('private.files_to_export'::regproc), '''booking-photos'')',
    '''booking-photos'', ''hidden-profile-photos'', ''hidden-task-photos'', ''hidden-chat-photos'')');
end $$;

-- The words of what is hidden.

-- A notification's English title and message with other parameters.
create function private.refill_notification(notification uuid, changed jsonb) returns void
language plpgsql security definer set search_path = '' as $$
declare
  told public.notifications;
  texts private.notification_texts;
  name text;
  value text;
begin
  select * into told from public.notifications where id = notification;
  select * into texts from private.notification_texts where key = told.key;
  if texts.key is null then -- a text that a later version has no more
    delete from public.notifications where id = notification;
    return;
  end if;
  told.params := told.params || changed;
  for name, value in select * from jsonb_each_text(told.params) loop
    texts.title := replace(texts.title, '{' || name || '}', coalesce(value, ''));
    texts.message := replace(texts.message, '{' || name || '}', coalesce(value, ''));
  end loop;
  update public.notifications set params = told.params, title = texts.title, message = texts.message where id = notification;
end $$;

-- The bell, and pushes that wait, have the beginning of a message. E-mails read it when they are sent (unread_messages).
create function private.forget_hidden_message() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  words constant text := coalesce(nullif(left(new.message, 120), ''), 'Photo');
begin
  perform private.refill_notification(n.id, '{"text": "Removed message"}') from public.notifications n
  where n.user_id = new.receiver_id and n.key = 'message_received' and n.params ->> 'booking' = new.booking_id::text
    and n.params ->> 'text' = words;
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and s.user_id = new.receiver_id and m.key = 'message_received'
    and m.params ->> 'booking' = new.booking_id::text and m.params ->> 'text' = words;
  return null;
end $$;
create trigger forget_hidden_message after update on public.messages
for each row when (old.hidden_at is null and new.hidden_at is not null)
execute function private.forget_hidden_message();

-- Whether words about a task go to somebody who was only offered it. Its giver, people who applied and admins go on
-- seeing the task.
create function private.was_offered(person uuid, link text, params jsonb, task public.tasks) returns boolean
language sql stable security definer set search_path = '' as $$
  select person <> task.task_giver_id
    and (link = '/task/' || task.id
      or (params ->> 'task' = task.title and params ->> 'person' = private.person_name(task.task_giver_id)))
    and not exists (select from public.user_roles r where r.user_id = person and r.role = 'admin')
    and not exists (select from public.bookings b where b.task_id = task.id and b.task_doer_id = person)
$$;

create function private.forget_hidden_task() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.refill_notification(n.id, '{"task": "Removed task"}') from public.notifications n
  where n.params ? 'task' and (n.link = '/task/' || new.id or n.params ->> 'task' = new.title)
    and private.was_offered(n.user_id, n.link, n.params, new);
  delete from private.email_events e
  where e.params ? 'task' and private.was_offered(e.person_id, e.link, e.params, new);
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and m.params ? 'task' and private.was_offered(s.user_id, m.link, m.params, new);
  return null;
end $$;
create trigger forget_hidden_task after update on public.tasks
for each row when (old.hidden_for is distinct from new.hidden_for and new.hidden_for = 'report')
execute function private.forget_hidden_task();

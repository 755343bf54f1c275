-- A decline can be taken back for ten minutes, while the task is still open: fingers slip on small screens.

insert into private.booking_transitions (from_status, to_status, actor) values ('rejected', 'pending', 'giver');

create function private.check_undone_decline() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(not old.passed_over and old.answered_at > now() - interval '10 minutes',
    'A decline can be taken back for 10 minutes', 'status');
  perform private.require((private.lock_task(new.task_id)).status = 'open', 'This task is no longer open', 'status');
  new.answered_at := null;
  return new;
end $$;
create trigger "54_undone_decline" before update on public.bookings for each row
when (old.status = 'rejected' and new.status = 'pending')
execute function private.check_undone_decline();

insert into private.notification_texts (key, kind, title, message, subject, button) values
  ('decline_undone', 'applications', 'Application open again', 'Your application for "{task}" is being considered again.',
    'Your application for "{task}" is open again', 'See your bookings');

-- Who has not read of the decline need not hear of it; who has, or was mailed, hears that it was taken back.
create function private.follow_undone_decline() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  task_title constant text := (select title from public.tasks where id = new.task_id);
  heard boolean;
begin
  delete from private.email_events e where e.person_id = new.task_doer_id and e.key = 'application_declined'
    and e.params ->> 'task' = task_title and e.created_at >= old.answered_at and e.email_id is null;
  delete from public.notifications n where n.user_id = new.task_doer_id and n.key = 'application_declined'
    and n.params ->> 'task' = task_title and n.created_at >= old.answered_at and not n.read;
  heard := exists (select from public.notifications n where n.user_id = new.task_doer_id
      and n.key = 'application_declined' and n.params ->> 'task' = task_title and n.created_at >= old.answered_at)
    or exists (select from private.email_events e where e.person_id = new.task_doer_id
      and e.key = 'application_declined' and e.params ->> 'task' = task_title and e.created_at >= old.answered_at);
  if heard then
    perform private.notify_person(new.task_doer_id, 'decline_undone', jsonb_build_object('task', task_title),
      private.booking_link(new.id));
  end if;
  return null;
end $$;
create trigger follow_undone_decline after update of status on public.bookings
for each row when (old.status = 'rejected' and new.status = 'pending')
execute function private.follow_undone_decline();

-- A notification about one act leads to its control on the booking's card, not to the card's top; and what the back office calls
-- chargebacks is called so on the button that leads there.

-- The part of the booking's card that is meant: PART_PARAMETER of web/lib/paths.ts.
alter table private.notification_texts add column part text;
update private.notification_texts set part = 'next' where key in ('task_marked_complete', 'confirm_reminder');
update private.notification_texts set part = 'answer' where key = 'complaint_opened';
update private.notification_texts set button = 'Open chargebacks' where button = 'Open disputes';

create or replace function private.notify_person(person uuid, event_key text, event_params jsonb, event_link text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  texts private.notification_texts;
  place text := event_link;
  name text;
  value text;
begin
  select * into strict texts from private.notification_texts where key = event_key;
  for name, value in select * from jsonb_each_text(event_params) loop
    texts.title := replace(texts.title, '{' || name || '}', coalesce(value, ''));
    texts.message := replace(texts.message, '{' || name || '}', coalesce(value, ''));
  end loop;
  if texts.part is not null then
    place := coalesce(private.booking_link(private.booking_of_event(person, event_params, event_link)) || '&part=' || texts.part, event_link);
  end if;
  insert into public.notifications (user_id, title, message, link, key, params)
  select id, texts.title, texts.message, place, event_key, event_params
  from private.profiles where id = person and deleted_at is null and private.wants_bell(person, texts.kind);
  perform private.queue_push(person, event_key, event_params, place);
  if texts.by_email then
    perform private.queue_email(person, event_key, event_params, place);
  end if;
end $$;

-- The rules of tasks and messages in functions, whose expressions PostgreSQL prepares once a session. A WHEN clause is
-- read and planned anew with every statement: twenty of them were more than half of the time of posting a task. So a
-- trigger here has no WHEN, and its function holds the rules of one column, or of one family (who posts, when), in
-- their order. A new rule is still one more trigger with a function of its own, at the place that its name says, and no
-- other changes. Texts, fields and order are what they were. A rule is an IF: PERFORM would run a query of its own.

do $$
declare
  old record;
begin
  for old in
    select tgname, tgrelid::regclass as relation from pg_trigger
    where tgrelid in ('public.tasks'::regclass, 'public.task_addresses'::regclass, 'public.messages'::regclass)
      and not tgisinternal and tgname ~ '^[1-8]\d_' and tgname <> '10_tidy'
  loop
    execute format('drop trigger %I on %s', old.tgname, old.relation);
  end loop;
end $$;

-- A task.

create function private.check_task_poster() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    if (new.task_giver_id = auth.uid()) is not true then
      raise exception using errcode = '42501', message = 'You can only post tasks of your own';
    end if;
    if (private.has_role('task_giver') or private.is_admin()) is not true then
      raise exception using errcode = '42501', message = 'Access Denied: Only task givers can post tasks';
    end if;
    if (new.status = 'open') is not true then
      raise exception using message = 'A new task is open', hint = 'status';
    end if;
  end if;
  return new;
end $$;
create trigger "20_poster" before insert on public.tasks
for each row execute function private.check_task_poster();

-- What it says is agreed with whoever has applied.
create or replace function private.check_task_is_free() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client()
    and to_jsonb(new) - '{status,updated_at}'::text[] <> to_jsonb(old) - '{status,updated_at}'::text[]
    and (old.status = 'open' and new.status = 'open' and not private.task_has_applications(old.id)) is not true
  then
    raise exception using hint = 'status',
      message = 'A task can be changed only while it is open and nobody has applied';
  end if;
  return new;
end $$;
create trigger "31_agreed" before update on public.tasks
for each row execute function private.check_task_is_free();

create or replace function private.check_task_step() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() and new.status is distinct from old.status then
    if ((old.status = 'open' and new.status = 'cancelled')
      or (old.status = 'assigned' and new.status = 'completed' and private.task_is_released(old.id))) is not true
    then
      raise exception using message = format('A task cannot go from %s to %s', old.status, new.status), hint = 'status';
    end if;
    if new.status = 'cancelled' and not private.reserve_decision(old.id) then
      raise exception using message = 'This task is being decided right now. Please try again.', hint = 'status';
    end if;
  end if;
  return new;
end $$;
create trigger "32_step" before update on public.tasks
for each row execute function private.check_task_step();

create function private.check_task_title() returns trigger language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(new.title) >= private.rule('limits.title.min')) is not true then
    raise exception using message = 'Title must be at least 5 characters', hint = 'title';
  end if;
  if length(new.title) > private.rule('limits.title.max') then
    raise exception using message = 'Title too long', hint = 'title';
  end if;
  return new;
end $$;
create trigger "40_title" before insert or update on public.tasks
for each row execute function private.check_task_title();

create function private.check_task_description() returns trigger language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(new.description) >= private.rule('limits.description.min')) is not true then
    raise exception using message = 'Description must be at least 20 characters', hint = 'description';
  end if;
  if length(new.description) > private.rule('limits.description.max') then
    raise exception using message = 'Description too long', hint = 'description';
  end if;
  return new;
end $$;
create trigger "42_description" before insert or update on public.tasks
for each row execute function private.check_task_description();

create function private.check_task_category() returns trigger language plpgsql set search_path = '' as $$
begin
  if (new.category = any (private.categories())) is not true then
    raise exception using message = 'Category is required', hint = 'category';
  end if;
  return new;
end $$;
create trigger "44_category" before insert or update on public.tasks
for each row execute function private.check_task_category();

create function private.check_task_location() returns trigger language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(new.location) >= private.rule('limits.location.min')) is not true then
    raise exception using message = 'Location must be at least 3 characters', hint = 'location';
  end if;
  if length(new.location) > private.rule('limits.location.max') then
    raise exception using message = 'Location too long', hint = 'location';
  end if;
  return new;
end $$;
create trigger "45_location" before insert or update on public.tasks
for each row execute function private.check_task_location();

create function private.check_task_pay() returns trigger language plpgsql set search_path = '' as $$
begin
  if (new.pay_amount > 0) is not true then
    raise exception using message = 'Pay amount must be positive', hint = 'pay_amount';
  end if;
  if new.pay_amount < private.rule('limits.payAmount.min') then
    raise exception using message = 'Pay amount must be at least $25', hint = 'pay_amount';
  end if;
  if new.pay_amount > private.rule('limits.payAmount.max') then
    raise exception using message = 'Pay amount too high', hint = 'pay_amount';
  end if;
  -- A sum of JavaScript's may be off by a hair.
  if abs(new.pay_amount - round(new.pay_amount, 2)) >= 0.000001 then
    raise exception using message = 'Pay amount can have two decimals at most', hint = 'pay_amount';
  end if;
  return new;
end $$;
create trigger "50_pay" before insert or update on public.tasks
for each row execute function private.check_task_pay();

create function private.check_task_tools() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.tools_provided is null then
    raise exception using message = 'Tools provided must be true or false', hint = 'tools_provided';
  end if;
  if length(new.tools_description) > private.rule('limits.toolsDescription.max') then
    raise exception using message = 'Tools description too long', hint = 'tools_description';
  end if;
  return new;
end $$;
create trigger "60_tools" before insert or update on public.tasks
for each row execute function private.check_task_tools();

create function private.check_task_schedule() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.scheduled_date <= '2000-01-01' or new.scheduled_date >= '2100-01-01' then
    raise exception using message = 'Scheduled date is not a usable date', hint = 'scheduled_date';
  end if;
  -- Clocks may differ a little; a date that passed meanwhile does not stand in the way of another change.
  if private.is_client() and new.scheduled_date <= now() - interval '5 minutes'
    and (tg_op = 'INSERT' or new.scheduled_date is distinct from old.scheduled_date)
  then
    raise exception using message = 'Scheduled date must be in the future', hint = 'scheduled_date';
  end if;
  return new;
end $$;
create trigger "70_schedule" before insert or update on public.tasks
for each row execute function private.check_task_schedule();

create function private.check_task_duration() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.duration_minutes < private.rule('limits.durationMinutes.min')
    or new.duration_minutes > private.rule('limits.durationMinutes.max')
  then
    raise exception using message = 'Duration must be between 1 minute and 7 days', hint = 'duration_minutes';
  end if;
  return new;
end $$;
create trigger "72_duration" before insert or update on public.tasks
for each row execute function private.check_task_duration();

create function private.check_task_address() returns trigger language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(new.address) >= private.rule('limits.address.min')) is not true then
    raise exception using message = 'Address must be at least 3 characters', hint = 'address';
  end if;
  if length(new.address) > private.rule('limits.address.max') then
    raise exception using message = 'Address too long', hint = 'address';
  end if;
  return new;
end $$;
create trigger "40_address" before insert or update on public.task_addresses
for each row execute function private.check_task_address();

-- A message.

create function private.check_message_text() returns trigger language plpgsql set search_path = '' as $$
begin
  if (length(new.message) >= 1) is not true then
    raise exception using message = 'Message cannot be empty', hint = 'message';
  end if;
  if length(new.message) > private.rule('limits.chatMessage.max') then
    raise exception using message = 'Message too long (max 1000 characters)', hint = 'message';
  end if;
  return new;
end $$;
create trigger "11_message" before insert on public.messages
for each row execute function private.check_message_text();

create function private.check_message_parties() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.is_client() and (new.sender_id = auth.uid()) is not true then
    raise exception using errcode = '42501', message = 'You can only write as yourself';
  end if;
  if not private.may_chat(new.booking_id, new.sender_id, new.receiver_id) then
    raise exception using errcode = '42501',
      message = 'Messages can be sent between the two parties once a booking is accepted';
  end if;
  return new;
end $$;
create trigger "20_parties" before insert on public.messages
for each row execute function private.check_message_parties();

-- What policies and rules ask of other tables, in PL/pgSQL for the same reason: the body of a definer in SQL is parsed
-- and planned anew in each statement that calls it.

create or replace function private.has_role(wanted public.app_role) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.user_roles where user_id = (select auth.uid()) and role = wanted);
end $$;

create or replace function private.is_admin() returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return private.has_role('admin');
end $$;

create or replace function private.may_chat(booking uuid, sender uuid, receiver uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.bookings where id = booking
    and status in ('accepted', 'in_progress', 'completed')
    and (sender, receiver) in ((task_giver_id, task_doer_id), (task_doer_id, task_giver_id)));
end $$;

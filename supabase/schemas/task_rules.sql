-- Rules for tasks and their addresses: who can post and change them, and the limits of each field. One trigger for each rule;
-- triggers run in the order of the numbers in their names.

-- Trims the texts and sets updated_at.
create function private.tidy_task() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.title := private.trimmed(new.title);
  new.description := private.trimmed(new.description);
  new.location := private.trimmed(new.location);
  new.tools_description := nullif(private.trimmed(new.tools_description), '');
  if private.is_client() then
    new.updated_at := now();
  end if;
  return new;
end $$;

create trigger "10_tidy" before insert or update on public.tasks
for each row execute function private.tidy_task();

-- Lets a task change while it is open, even if taskers have applied: they are notified of the change, and their applications
-- keep the price that they saw. Once a tasker is accepted, the task does not change.
create function private.check_task_is_free() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client()
    and to_jsonb(new) - '{status,updated_at}'::text[] <> to_jsonb(old) - '{status,updated_at}'::text[]
    and (old.status in ('open', 'asked') and new.status = old.status) is not true
  then
    perform private.fail(case old.status when 'assigned' then 'task.assigned' when 'completed' then 'task.completed'
      when 'cancelled' then 'task.closed' else 'task.changed_and_closed' end, 'status');
  end if;
  return new;
end $$;

create trigger "31_agreed" before update on public.tasks
for each row execute function private.check_task_is_free();

-- Limits the steps that a giver can make: withdraw an open or asked task, open an asked one, complete a released one.
create function private.check_task_step() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() and new.status is distinct from old.status then
    if ((old.status = 'open' and new.status = 'cancelled')
      or (old.status = 'asked' and new.status in ('open', 'cancelled'))
      or (old.status = 'assigned' and new.status = 'completed' and private.task_is_released(old.id))) is not true
    then
      perform private.fail('task.status_change_invalid', 'status', jsonb_build_object('from', old.status, 'to', new.status));
    end if;
    if new.status = 'cancelled' and not private.reserve_decision(old.id) then
      perform private.fail('task.being_decided', 'status');
    end if;
  end if;
  return new;
end $$;

create trigger "32_step" before update on public.tasks
for each row execute function private.check_task_step();

-- Rounds to cents.
create function private.round_pay() returns trigger language plpgsql set search_path = '' as $$
begin
  new.pay_amount := round(new.pay_amount, 2);
  return new;
end $$;

create trigger "90_pay_cents" before insert or update on public.tasks
for each row execute function private.round_pay();

-- Trims the address.
create function private.tidy_task_address() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.address := private.trimmed(new.address);
  return new;
end $$;

create trigger "10_tidy" before insert or update on public.task_addresses
for each row execute function private.tidy_task_address();

-- Lets givers and admins post tasks of their own, which start as open.
create function private.check_task_poster() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    if (new.task_giver_id = auth.uid()) is not true then
      perform private.fail('task.not_own', null, '{}', '42501');
    end if;
    if (private.has_role('task_giver') or private.is_admin()) is not true then
      perform private.fail('task.only_givers', null, '{}', '42501');
    end if;
    if (new.status = 'open') is not true then
      perform private.fail('task.status_invalid', 'status');
    end if;
  end if;
  return new;
end $$;

create trigger "20_poster" before insert on public.tasks
for each row execute function private.check_task_poster();

-- Limits the length and refuses addresses, invisible characters and titles that pose as the company.
create function private.check_task_title() returns trigger language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(new.title) >= private.rule('limits.title.min')) is not true then
    perform private.fail('task.title_too_short', 'title');
  end if;
  if length(new.title) > private.rule('limits.title.max') then
    perform private.fail('task.title_too_long', 'title');
  end if;
  if tg_op = 'INSERT' or new.title <> old.title then
    if private.has_hidden_characters(new.title) then
      perform private.fail('task.title_hidden_characters', 'title');
    end if;
    if private.has_address(new.title) then
      perform private.fail('task.title_address', 'title');
    end if;
    if private.speaks_officially(new.title, false) then
      perform private.fail('task.title_official', 'title');
    end if;
  end if;
  return new;
end $$;

create trigger "40_title" before insert or update on public.tasks
for each row execute function private.check_task_title();

-- Limits the length.
create function private.check_task_description() returns trigger language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(new.description) >= private.rule('limits.description.min')) is not true then
    perform private.fail('task.description_too_short', 'description');
  end if;
  if length(new.description) > private.rule('limits.description.max') then
    perform private.fail('task.description_too_long', 'description');
  end if;
  return new;
end $$;

create trigger "42_description" before insert or update on public.tasks
for each row execute function private.check_task_description();

-- Refuses unknown categories.
create function private.check_task_category() returns trigger language plpgsql set search_path = '' as $$
begin
  if (new.category = any (private.categories())) is not true then
    perform private.fail('task.category_required', 'category');
  end if;
  return new;
end $$;

create trigger "44_category" before insert or update on public.tasks
for each row execute function private.check_task_category();

-- Limits the length.
create function private.check_task_location() returns trigger language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(new.location) >= private.rule('limits.location.min')) is not true then
    perform private.fail('task.location_too_short', 'location');
  end if;
  if length(new.location) > private.rule('limits.location.max') then
    perform private.fail('task.location_too_long', 'location');
  end if;
  return new;
end $$;

create trigger "45_location" before insert or update on public.tasks
for each row execute function private.check_task_location();

-- Limits the price and its decimals.
create function private.check_task_pay() returns trigger language plpgsql set search_path = '' as $$
begin
  if (new.pay_amount > 0) is not true then
    perform private.fail('task.pay_not_positive', 'pay_amount');
  end if;
  if new.pay_amount < private.marketplace_number('pay.min') then
    perform private.fail('task.pay_too_low', 'pay_amount', jsonb_build_object('min', private.marketplace_number('pay.min')));
  end if;
  if new.pay_amount > private.marketplace_number('pay.max') then
    perform private.fail('task.pay_too_high', 'pay_amount');
  end if;
  -- A sum of JavaScript's may be off by a hair.
  if abs(new.pay_amount - round(new.pay_amount, 2)) >= 0.000001 then
    perform private.fail('task.pay_too_precise', 'pay_amount');
  end if;
  return new;
end $$;

create trigger "50_pay" before insert or update on public.tasks
for each row execute function private.check_task_pay();

-- Requires true or false for tools_provided and limits the description.
create function private.check_task_tools() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.tools_provided is null then
    perform private.fail('task.tools_invalid', 'tools_provided');
  end if;
  if length(new.tools_description) > private.rule('limits.toolsDescription.max') then
    perform private.fail('task.tools_description_too_long', 'tools_description');
  end if;
  return new;
end $$;

create trigger "60_tools" before insert or update on public.tasks
for each row execute function private.check_task_tools();

-- Requires a date in the future.
create function private.check_task_schedule() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.scheduled_date <= '2000-01-01' or new.scheduled_date >= '2100-01-01' then
    perform private.fail('task.date_invalid', 'scheduled_date');
  end if;
  -- Clocks may differ a little; a date that passed meanwhile does not stand in the way of another change.
  if private.is_client() and new.scheduled_date <= now() - interval '5 minutes'
    and (tg_op = 'INSERT' or new.scheduled_date is distinct from old.scheduled_date)
  then
    perform private.fail('task.date_past', 'scheduled_date');
  end if;
  return new;
end $$;

create trigger "70_schedule" before insert or update on public.tasks
for each row execute function private.check_task_schedule();

-- Limits the duration to between one minute and seven days.
create function private.check_task_duration() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.duration_minutes < private.rule('limits.durationMinutes.min')
    or new.duration_minutes > private.rule('limits.durationMinutes.max')
  then
    perform private.fail('task.duration_out_of_range', 'duration_minutes');
  end if;
  return new;
end $$;

create trigger "72_duration" before insert or update on public.tasks
for each row execute function private.check_task_duration();

-- Limits the length.
create function private.check_task_address() returns trigger language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(new.address) >= private.rule('limits.address.min')) is not true then
    perform private.fail('task.address_too_short', 'address');
  end if;
  if length(new.address) > private.rule('limits.address.max') then
    perform private.fail('task.address_too_long', 'address');
  end if;
  return new;
end $$;

create trigger "40_address" before insert or update on public.task_addresses
for each row execute function private.check_task_address();

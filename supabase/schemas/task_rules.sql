-- Rules for tasks and their addresses: who can post and change them, and the limits of each field.

-- Before a task is added or changed. The rules of the fields are checked when one of the fields changes.
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
    if new.offers_allowed is null then
      perform private.fail('task.offers_allowed_invalid', 'offers_allowed');
    end if;
    if new.expense_limit is not null then
      perform private.check_task_expenses(new);
    end if;
    perform private.check_task_tools(new);
    perform private.check_task_schedule(new, old);
    perform private.check_task_duration(new);
    new := private.check_task_photos(new, old);
    new := private.round_pay(new);
    new := private.locate_task(new, old);
    -- Once agreed, the series keeps its days, and its first visit can move to any other.
    if new.repeats is not null and new.series_id is null then
      new := private.check_repeats(new);
    end if;
    if new.asked_tasker_id is not null then
      perform private.check_asked_time(new, old);
    end if;
  end if;
  new := private.update_request_deadline(new, old);
  return new;
end $$;

create trigger before_task_change before insert or update on public.tasks
for each row execute function private.before_task_change();

-- Whether a change is more than what the system sets: status, request, hiding, public point, series and time of change.
create function private.is_edited(task public.tasks, before public.tasks) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  before.status := task.status;
  before.asked_tasker_id := task.asked_tasker_id;
  before.asked_until := task.asked_until;
  before.hidden_for := task.hidden_for;
  before.place_id := task.place_id;
  before.public_latitude := task.public_latitude;
  before.public_longitude := task.public_longitude;
  before.series_id := task.series_id;
  before.updated_at := task.updated_at;
  return task is distinct from before;
end $$;

-- Trims the texts.
create function private.tidy_task(task public.tasks) returns public.tasks
language plpgsql immutable set search_path = '' as $$
begin
  task.title := private.trimmed(task.title);
  task.description := private.trimmed(task.description);
  task.location := private.trimmed(task.location);
  task.tools_description := nullif(private.trimmed(task.tools_description), '');
  return task;
end $$;

-- Sets the time of a change that a person makes.
create function private.touch_task(task public.tasks) returns public.tasks
language plpgsql stable set search_path = '' as $$
begin
  task.updated_at := now();
  return task;
end $$;

-- Lets a task change while it is open, even if taskers have applied: they are notified of the change, and their applications
-- keep the price that they saw. Once a tasker is accepted, the task does not change.
create function private.check_task_is_free(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if (before.status in ('open', 'asked') and task.status = before.status) is not true and private.is_edited(task, before) then
    perform private.fail(case before.status when 'assigned' then 'task.assigned' when 'completed' then 'task.completed'
      when 'cancelled' then 'task.closed' else 'task.changed_and_closed' end, 'status');
  end if;
end $$;

-- Limits the steps that a giver can make: withdraw an open or asked task, open an asked one, complete a released one.
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

-- Rounds the price to cents.
create function private.round_pay(task public.tasks) returns public.tasks
language plpgsql set search_path = '' as $$
begin
  task.pay_amount := round(task.pay_amount, 2);
  return task;
end $$;

-- Lets givers and admins post tasks, which belong to them and start as open.
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

-- Limits the length of the title and refuses addresses, invisible characters and titles that pose as the company.
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

-- Limits the length of the description.
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

-- Refuses unknown categories.
create function private.check_task_category(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if (task.category = any (private.categories())) is not true then
    perform private.fail('task.category_required', 'category');
  end if;
end $$;

-- Limits the length of the location.
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

-- Limits the price and its decimals.
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

-- Limits what the giver pays for expenses, and its decimals.
create function private.check_task_expenses(task public.tasks) returns void
language plpgsql stable set search_path = '' as $$
declare
  lowest constant numeric := private.rule('limits.change.min');
  highest constant numeric := private.rule('limits.expenses.max');
begin
  perform private.require(task.expense_limit >= lowest, 'change.amount_too_low', 'expense_limit', jsonb_build_object('min', lowest));
  -- PostgreSQL counts NaN as the largest number.
  perform private.require(task.expense_limit <= highest, 'change.amount_too_high', 'expense_limit', jsonb_build_object('max', highest));
  perform private.require(task.expense_limit = round(task.expense_limit, 2), 'change.amount_too_precise', 'expense_limit');
end $$;

-- Requires true or false for tools_provided and limits the description of the tools.
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

-- Requires a date in the future.
create function private.check_task_schedule(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if task.scheduled_date <= '2000-01-01' or task.scheduled_date >= '2100-01-01' then
    perform private.fail('task.date_invalid', 'scheduled_date');
  end if;
  -- Clocks may differ a little; a date that has passed meanwhile does not block another change.
  if private.is_client() and task.scheduled_date <= now() - interval '5 minutes'
    and task.scheduled_date is distinct from before.scheduled_date
  then
    perform private.fail('task.date_past', 'scheduled_date');
  end if;
end $$;

-- Limits the duration to between one minute and seven days.
create function private.check_task_duration(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if task.duration_minutes < private.rule('limits.durationMinutes.min')
    or task.duration_minutes > private.rule('limits.durationMinutes.max')
  then
    perform private.fail('task.duration_out_of_range', 'duration_minutes');
  end if;
end $$;

-- Before an address is added or changed.
create function private.before_task_address_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  new := private.tidy_task_address(new);
  perform private.check_task_address(new);
  return new;
end $$;

create trigger before_task_address_change before insert or update on public.task_addresses
for each row execute function private.before_task_address_change();

-- After an address is added or changed. It runs as the caller, whom the limit is for.
create function private.after_task_address_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.limit_client('addresses_changed');
  return null;
end $$;

create trigger after_task_address_change after insert or update on public.task_addresses
for each row execute function private.after_task_address_change();

-- Trims the address.
create function private.tidy_task_address(address public.task_addresses) returns public.task_addresses
language plpgsql set search_path = '' as $$
begin
  address.address := private.trimmed(address.address);
  return address;
end $$;

-- Limits the length of the address.
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

grant execute on function
  private.is_edited(public.tasks, public.tasks), private.tidy_task(public.tasks), private.touch_task(public.tasks),
  private.check_task_is_free(public.tasks, public.tasks),
  private.check_task_step(public.tasks, public.tasks), private.round_pay(public.tasks), private.check_task_poster(public.tasks),
  private.check_task_title(public.tasks, public.tasks), private.check_task_description(public.tasks),
  private.check_task_category(public.tasks), private.check_task_location(public.tasks), private.check_task_pay(public.tasks),
  private.check_task_expenses(public.tasks), private.check_task_tools(public.tasks), private.check_task_schedule(public.tasks, public.tasks),
  private.check_task_duration(public.tasks), private.tidy_task_address(public.task_addresses),
  private.check_task_address(public.task_addresses)
to authenticated, service_role;

-- The steps of the triggers of tasks, which the next migration merges.
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
      perform private.forget_hidden_task(new);
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
  new := private.keep_asked_tasker(new, old);
  return new;
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

create function private.check_task_pay(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if (task.pay_amount > 0) is not true then
    perform private.fail('task.pay_not_positive', 'pay_amount');
  end if;
  if task.pay_amount < private.rule('limits.payAmount.min') then
    perform private.fail('task.pay_too_low', 'pay_amount', jsonb_build_object('min', private.rule('limits.payAmount.min')));
  end if;
  if task.pay_amount > private.rule('limits.payAmount.max') then
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
  if task.status = 'cancelled' and not private.reserve_decision(before.id) then
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
    if private.speaks_officially(task.title, false) then
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
    was := private.kinds_of(before);
  end if;
  if task.id is not null then
    is_now := private.kinds_of(task);
  end if;
  if was <> is_now then
    insert into private.kind_changes (kind, amount)
    select kind, -1 from unnest(was) kind union all select kind, 1 from unnest(is_now) kind;
  end if;
end $$;

create function private.count_task(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if before.created_at is distinct from task.created_at then
    insert into private.figure_changes (happened_at, kind, amount)
    select c.moment, 'tasks', c.amount from (values (before.created_at, -1), (task.created_at, 1)) c (moment, amount)
    where c.moment is not null;
  end if;
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

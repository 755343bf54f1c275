-- Named steps of what happens before and after a change of tasks and their files (3 of 3).
set check_function_bodies = off;

create function private.record_task_photos(task public.tasks) returns void
language sql set search_path = '' as $$
  insert into private.shown_pictures (bucket_id, name)
  select 'task-photos', photo from unnest(task.photos || private.small_photos(task.photos)) photo on conflict do nothing
$$;

create function private.round_pay(task public.tasks) returns public.tasks
language plpgsql set search_path = '' as $$
begin
  task.pay_amount := round(task.pay_amount, 2);
  return task;
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

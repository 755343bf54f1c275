-- Merges the triggers of tasks and their addresses: one function before a row is written and one after it, with named steps.
set check_function_bodies = off;

drop trigger "10_tidy" on public.task_addresses;

drop trigger "40_address" on public.task_addresses;

drop trigger within_limit on public.task_addresses;

drop trigger "10_tidy" on public.tasks;

drop trigger "19_hold" on public.tasks;

drop trigger "20_account" on public.tasks;

drop trigger "20_account_edit" on public.tasks;

drop trigger "20_poster" on public.tasks;

drop trigger "27_limit" on public.tasks;

drop trigger "31_agreed" on public.tasks;

drop trigger "32_step" on public.tasks;

drop trigger "33_asked" on public.tasks;

drop trigger "33_hold" on public.tasks;

drop trigger "40_title" on public.tasks;

drop trigger "42_description" on public.tasks;

drop trigger "44_category" on public.tasks;

drop trigger "45_location" on public.tasks;

drop trigger "50_pay" on public.tasks;

drop trigger "60_tools" on public.tasks;

drop trigger "70_schedule" on public.tasks;

drop trigger "72_duration" on public.tasks;

drop trigger "80_photos" on public.tasks;

drop trigger "90_count_kinds" on public.tasks;

drop trigger "90_count_task" on public.tasks;

drop trigger "90_pay_cents" on public.tasks;

drop trigger "91_asked" on public.tasks;

drop trigger drop_photos on public.tasks;

drop trigger follow_asked_task on public.tasks;

drop trigger follow_changed_task on public.tasks;

drop trigger follow_task on public.tasks;

drop trigger follow_withdrawn_request on public.tasks;

drop trigger forget_hidden_task on public.tasks;

drop trigger move_hidden_files on public.tasks;

drop trigger record_photos on public.tasks;

drop trigger schedule_for_task on public.tasks;

create trigger after_task_address_change after insert or update on public.task_addresses
for each row execute function private.after_task_address_change();

create trigger before_task_address_change before insert or update on public.task_addresses
for each row execute function private.before_task_address_change();

create trigger after_task_change after insert or update or delete on public.tasks
for each row execute function private.after_task_change();

create trigger before_task_change before insert or update on public.tasks
for each row execute function private.before_task_change();

drop function private.check_asked_tasker();

drop function private.check_task_address();

drop function private.check_task_category();

drop function private.check_task_description();

drop function private.check_task_duration();

drop function private.check_task_is_free();

drop function private.check_task_location();

drop function private.check_task_pay();

drop function private.check_task_photos();

drop function private.check_task_poster();

drop function private.check_task_schedule();

drop function private.check_task_step();

drop function private.check_task_title();

drop function private.check_task_tools();

drop function private.count_kinds();

drop function private.count_task();

drop function private.drop_task_photos();

drop function private.follow_asked_task();

drop function private.follow_changed_task();

drop function private.follow_task();

drop function private.follow_withdrawn_request();

drop function private.forget_hidden_task();

drop function private.hold_task();

drop function private.keep_asked_tasker();

drop function private.limit_tasks();

drop function private.record_task_photos();

drop function private.refuse_suspended_edit();

drop function private.round_pay();

drop function private.schedule_for_task();

drop function private.tidy_task();

drop function private.tidy_task_address();

grant execute on function private.check_asked_tasker(public.tasks) to authenticated;
grant execute on function private.check_asked_tasker(public.tasks) to service_role;
grant execute on function private.check_task_address(public.task_addresses) to authenticated;
grant execute on function private.check_task_address(public.task_addresses) to service_role;
grant execute on function private.check_task_category(public.tasks) to authenticated;
grant execute on function private.check_task_category(public.tasks) to service_role;
grant execute on function private.check_task_description(public.tasks) to authenticated;
grant execute on function private.check_task_description(public.tasks) to service_role;
grant execute on function private.check_task_duration(public.tasks) to authenticated;
grant execute on function private.check_task_duration(public.tasks) to service_role;
grant execute on function private.check_task_is_free(public.tasks,public.tasks) to authenticated;
grant execute on function private.check_task_is_free(public.tasks,public.tasks) to service_role;
grant execute on function private.check_task_location(public.tasks) to authenticated;
grant execute on function private.check_task_location(public.tasks) to service_role;
grant execute on function private.check_task_pay(public.tasks) to authenticated;
grant execute on function private.check_task_pay(public.tasks) to service_role;
grant execute on function private.check_task_photos(public.tasks,public.tasks) to authenticated;
grant execute on function private.check_task_photos(public.tasks,public.tasks) to service_role;
grant execute on function private.check_task_poster(public.tasks) to authenticated;
grant execute on function private.check_task_poster(public.tasks) to service_role;
grant execute on function private.check_task_schedule(public.tasks,public.tasks) to authenticated;
grant execute on function private.check_task_schedule(public.tasks,public.tasks) to service_role;
grant execute on function private.check_task_step(public.tasks,public.tasks) to authenticated;
grant execute on function private.check_task_step(public.tasks,public.tasks) to service_role;
grant execute on function private.check_task_title(public.tasks,public.tasks) to authenticated;
grant execute on function private.check_task_title(public.tasks,public.tasks) to service_role;
grant execute on function private.check_task_tools(public.tasks) to authenticated;
grant execute on function private.check_task_tools(public.tasks) to service_role;
grant execute on function private.hold_task(public.tasks) to authenticated;
grant execute on function private.hold_task(public.tasks) to service_role;
grant execute on function private.is_edited(public.tasks,public.tasks) to authenticated;
grant execute on function private.is_edited(public.tasks,public.tasks) to service_role;
grant execute on function private.keep_asked_tasker(public.tasks,public.tasks) to authenticated;
grant execute on function private.keep_asked_tasker(public.tasks,public.tasks) to service_role;
grant execute on function private.limit_task_changes(uuid) to authenticated;
grant execute on function private.limit_task_changes(uuid) to service_role;
grant execute on function private.require_active_giver() to authenticated;
grant execute on function private.require_active_giver() to service_role;
grant execute on function private.round_pay(public.tasks) to authenticated;
grant execute on function private.round_pay(public.tasks) to service_role;
grant execute on function private.tasks_are_on_hold(uuid) to authenticated;
grant execute on function private.tasks_are_on_hold(uuid) to service_role;
grant execute on function private.tidy_task(public.tasks) to authenticated;
grant execute on function private.tidy_task(public.tasks) to service_role;
grant execute on function private.tidy_task_address(public.task_addresses) to authenticated;
grant execute on function private.tidy_task_address(public.task_addresses) to service_role;
grant execute on function private.touch_task(public.tasks) to authenticated;
grant execute on function private.touch_task(public.tasks) to service_role;

comment on column public.tasks.pay_amount is 'Dollars before fees, rounded to cents';

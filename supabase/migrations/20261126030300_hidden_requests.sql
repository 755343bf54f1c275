-- A tasker who is asked first cannot read the task once it is hidden, unless they have applied. So no notification tells them
-- what was changed in it since, or its new title when it ends.

create or replace function private.follow_changed_task() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('person', private.person_name(new.task_giver_id), 'task', new.title);
  applicant record;
begin
  if new.status not in ('open', 'asked') or new.status <> old.status
    or private.changes_of_task(old, new, new.pay_amount) is null
  then
    return null;
  end if;
  for applicant in select task_doer_id, agreed_amount from public.bookings
    where task_id = new.id and status = 'pending' order by id
  loop
    perform private.notify_person(applicant.task_doer_id, 'task_changed', news || jsonb_build_object(
      'changes', private.changes_of_task(old, new, applicant.agreed_amount),
      'changed', private.facts_of_changes(old, new, applicant.agreed_amount)), '/task/' || new.id);
  end loop;
  if new.status = 'asked' and new.hidden_for is null and not exists (select from public.bookings
    where task_id = new.id and task_doer_id = new.asked_tasker_id and status = 'pending')
  then
    perform private.notify_person(new.asked_tasker_id, 'asked_task_changed', news || jsonb_build_object(
      'changes', private.changes_of_task(old, new, new.pay_amount),
      'changed', private.facts_of_changes(old, new, new.pay_amount)), '/task/' || new.id);
  end if;
  perform private.schedule_tick(new.asked_until);
  return null;
end $$;

drop trigger follow_withdrawn_request on public.tasks;
create trigger follow_withdrawn_request after update of status on public.tasks for each row
when (old.status = 'asked' and new.status = 'cancelled' and new.hidden_for is null)
execute function private.follow_withdrawn_request();

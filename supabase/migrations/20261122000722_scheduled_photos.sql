-- Reminders of work the day before are due again, beside the photos that nobody handed in: run_scheduled lost them.

create or replace function public.run_scheduled() returns integer
language plpgsql security definer set search_path = '' as $$
begin
  return private.remind_to_confirm() + private.release_by_time() + private.announce_old_reviews()
    + private.expire_booking() + private.close_overdue_task() + private.end_insurance() + private.remind_of_work()
    + private.sweep_photos();
end $$;

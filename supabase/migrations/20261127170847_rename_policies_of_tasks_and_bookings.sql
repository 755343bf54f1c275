-- Renames six policies of tasks, addresses and bookings so that each says in plain words who may do what.
set check_function_bodies = off;

drop policy "anyone reads the rules of a booking" on private.booking_transitions;

drop policy "participants move their bookings" on public.bookings;

drop policy "who has left adds no address" on public.task_addresses;

drop policy "anyone reads open and reviewed tasks, people those they share" on public.tasks;

drop policy "applications see no tasks" on public.tasks;

drop policy "hidden tasks are for those who know of them" on public.tasks;

create policy "signed-in people read booking transitions" on private.booking_transitions for select
to authenticated, service_role using (true);

create policy "participants change their bookings" on public.bookings for update to authenticated
using (task_doer_id = (select auth.uid()) or task_giver_id = (select auth.uid()))
with check (task_doer_id = (select auth.uid()) or task_giver_id = (select auth.uid()));

create policy "deleted accounts add no address" on public.task_addresses as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "hidden tasks only for giver, applicants and admins" on public.tasks as restrictive for select to anon, authenticated
using (hidden_for is null or task_giver_id = (select auth.uid()) or (select private.is_admin()) or private.has_applied(id));

create policy "open and reviewed tasks are public, others for participants"
on public.tasks for select to anon, authenticated
using (status = 'open' or task_giver_id = (select auth.uid())
  or (status = 'asked' and asked_tasker_id = (select auth.uid())) or (select private.is_admin())
  or private.has_applied(id) or private.task_is_reviewed(id));

create policy "third-party applications read no tasks" on public.tasks as restrictive for select to anon, authenticated
using (not (select private.is_application()));

-- another time and the day: what supabase/schemas define and earlier migrations do not, part 5

set check_function_bodies = off;

create or replace function public.prepare_cancellation(booking_id uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
begin
  booking := private.cancellable_booking(prepare_cancellation.booking_id, auth.uid());
  select * into payment from public.payments p where p.booking_id = booking.id
    and private.has_open_intent(booking.id);
  return jsonb_build_object('payment_id', payment.id, 'payment_intent_id', payment.stripe_payment_intent_id,
    'listing', private.listing_after(booking, false));
end $$;

alter table private.work_reminders add column hour_before timestamp with time zone;

alter table public.bookings add column arrived_at timestamp with time zone;

alter table public.bookings add column arrives_from timestamp with time zone;

alter table public.bookings add column arrives_until timestamp with time zone;

alter table public.bookings add column before_photos text[] default '{}'::text[] not null;

create index no_shows_due on public.no_shows (answer_by) where state = 'open';

create index no_shows_of_booking on public.no_shows (booking_id, created_at);

create index no_shows_of_doer on public.no_shows (task_doer_id);

create index no_shows_of_giver on public.no_shows (task_giver_id);

create unique index no_shows_one_open on public.no_shows (booking_id) where state = 'open';

create index time_proposals_due on public.time_proposals (answer_by) where state = 'open';

create index time_proposals_of_booking on public.time_proposals (booking_id, created_at);

create index time_proposals_of_doer on public.time_proposals (task_doer_id);

create index time_proposals_of_giver on public.time_proposals (task_giver_id);

create unique index time_proposals_one_open on public.time_proposals (booking_id) where state = 'open';

create trigger after_no_show_change after insert or update on public.no_shows
for each row execute function private.after_no_show_change();

create trigger before_no_show_insert before insert on public.no_shows
for each row execute function private.before_no_show_insert();

create trigger before_no_show_update before update on public.no_shows
for each row execute function private.before_no_show_update();

create trigger after_time_proposal_change after insert or update on public.time_proposals
for each row execute function private.after_time_proposal_change();

create trigger before_time_proposal_insert before insert on public.time_proposals
for each row execute function private.before_time_proposal_insert();

create trigger before_time_proposal_update before update on public.time_proposals
for each row execute function private.before_time_proposal_update();

create policy "deleted accounts cannot report who did not come" on public.no_shows as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "participants answer and withdraw reports" on public.no_shows for update to authenticated
using (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()))
with check (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()));

create policy "participants read the reports of their bookings, admins all" on public.no_shows for select to authenticated
using (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()) or (select private.is_admin()));

create policy "participants report for themselves" on public.no_shows for insert to authenticated
with check (reported_by = (select auth.uid()));

create policy "deleted accounts cannot propose times" on public.time_proposals as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "participants answer and withdraw proposals" on public.time_proposals for update to authenticated
using (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()))
with check (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()));

create policy "participants propose times for themselves" on public.time_proposals for insert to authenticated
with check (proposed_by = (select auth.uid()));

create policy "participants read the proposals of their bookings, admins all" on public.time_proposals for select to authenticated
using (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()) or (select private.is_admin()));

drop function private.cancellable_booking(uuid);

grant select on public.no_shows to authenticated;
grant delete, insert, references, select, trigger, truncate, update on public.no_shows to service_role;
grant select on public.time_proposals to authenticated;
grant delete, insert, references, select, trigger, truncate, update on public.time_proposals to service_role;
grant update (arrived_at) on public.bookings to authenticated;
grant update (arrives_from) on public.bookings to authenticated;
grant update (arrives_until) on public.bookings to authenticated;
grant update (before_photos) on public.bookings to authenticated;
grant update (answer) on public.no_shows to authenticated;
grant update (answer_photos) on public.no_shows to authenticated;
grant insert (booking_id) on public.no_shows to authenticated;
grant insert (id) on public.no_shows to authenticated;
grant insert (photos) on public.no_shows to authenticated;
grant insert (reported_by) on public.no_shows to authenticated;
grant update (state) on public.no_shows to authenticated;
grant insert (words) on public.no_shows to authenticated;
grant insert (booking_id) on public.time_proposals to authenticated;
grant insert (id) on public.time_proposals to authenticated;
grant insert (message) on public.time_proposals to authenticated;
grant insert (proposed_by) on public.time_proposals to authenticated;
grant insert (starts_at), update (starts_at) on public.time_proposals to authenticated;
grant update (state) on public.time_proposals to authenticated;
grant execute on function private.can_move_booking(public.bookings,timestamp with time zone) to authenticated;
grant execute on function private.can_move_booking(public.bookings,timestamp with time zone) to service_role;
grant execute on function private.check_no_show(public.no_shows) to authenticated;
grant execute on function private.check_no_show(public.no_shows) to service_role;
grant execute on function private.check_no_show_answer(public.no_shows,public.no_shows) to authenticated;
grant execute on function private.check_no_show_answer(public.no_shows,public.no_shows) to service_role;
grant execute on function private.check_no_show_words(text,text) to authenticated;
grant execute on function private.check_no_show_words(text,text) to service_role;
grant execute on function private.check_proposal_answer(public.time_proposals,public.time_proposals) to authenticated;
grant execute on function private.check_proposal_answer(public.time_proposals,public.time_proposals) to service_role;
grant execute on function private.check_time_proposal(public.time_proposals) to authenticated;
grant execute on function private.check_time_proposal(public.time_proposals) to service_role;
grant execute on function private.check_visit(public.bookings,public.bookings) to authenticated;
grant execute on function private.check_visit(public.bookings,public.bookings) to service_role;
grant execute on function private.expire_time_proposal(uuid) to authenticated;
grant execute on function private.expire_time_proposal(uuid) to service_role;
grant execute on function private.has_open_no_show(uuid) to authenticated;
grant execute on function private.has_open_no_show(uuid) to service_role;
grant execute on function private.lock_own_booking(uuid) to authenticated;
grant execute on function private.lock_own_booking(uuid) to service_role;
grant execute on function private.require_held_money(uuid) to authenticated;
grant execute on function private.require_held_money(uuid) to service_role;
grant execute on function private.require_movable(public.bookings) to authenticated;
grant execute on function private.require_movable(public.bookings) to service_role;
grant execute on function private.time_before_proposals(uuid,timestamp with time zone) to authenticated;
grant execute on function private.time_before_proposals(uuid,timestamp with time zone) to service_role;

-- day of work: what supabase/schemas define and earlier migrations do not, part 5

set check_function_bodies = off;

create policy "participants answer and withdraw reports" on public.no_shows for update to authenticated
using (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()))
with check (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()));

create policy "participants read the reports of their bookings, admins all" on public.no_shows for select to authenticated
using (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()) or (select private.is_admin()));

create policy "participants report for themselves" on public.no_shows for insert to authenticated
with check (reported_by = (select auth.uid()));

drop function private.cancellable_booking(uuid);

grant select on public.no_shows to authenticated;
grant delete, insert, references, select, trigger, truncate, update on public.no_shows to service_role;
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
grant execute on function private.check_no_show(public.no_shows) to authenticated;
grant execute on function private.check_no_show(public.no_shows) to service_role;
grant execute on function private.check_no_show_answer(public.no_shows,public.no_shows) to authenticated;
grant execute on function private.check_no_show_answer(public.no_shows,public.no_shows) to service_role;
grant execute on function private.check_no_show_words(text,text) to authenticated;
grant execute on function private.check_no_show_words(text,text) to service_role;
grant execute on function private.check_visit(public.bookings,public.bookings) to authenticated;
grant execute on function private.check_visit(public.bookings,public.bookings) to service_role;
grant execute on function private.has_open_no_show(uuid) to authenticated;
grant execute on function private.has_open_no_show(uuid) to service_role;
grant execute on function private.require_held_money(uuid) to authenticated;
grant execute on function private.require_held_money(uuid) to service_role;

comment on column private.work_reminders.hour_before is 'The task''s time of which they were reminded an hour before; null for none';
comment on column public.bookings.arrived_at is 'When the tasker stated the arrival; null before, and after the time was moved';
comment on column public.bookings.arrives_from is 'When the tasker, who is on the way, arrives at the earliest; null before that';
comment on column public.bookings.arrives_until is 'When the tasker, who is on the way, arrives at the latest; null before that';
comment on column public.bookings.before_photos is 'The tasker''s, of the place before the work, in the bucket booking-photos; read like completion_photos';
comment on column public.no_shows.answer is 'The objection; null for none';
comment on column public.no_shows.answer_by is 'Until when the other person can object';
comment on column public.no_shows.answer_photos is 'Of the person who objects, in the bucket booking-photos';
comment on column public.no_shows.answered_at is 'When it was answered or withdrawn, or lapsed; null while open';
comment on column public.no_shows.photos is 'Of that person, in the bucket booking-photos; a tasker needs one';
comment on column public.no_shows.reported_by is 'The giver, if the tasker did not come; the tasker, if nobody was there';
comment on column public.no_shows.state is 'Where the report is: new → open when one of the two makes it; open → confirmed when the other admits it, which cancels the booking; open → objected when the other objects, which opens a complaint; open → withdrawn when its author takes it back; open → lapsed when answer_by has passed, which cancels the booking; open → ended when the booking is over';
comment on column public.no_shows.task_doer_id is 'The booking''s tasker, copied so that policies need no join';
comment on column public.no_shows.task_giver_id is 'The booking''s giver, copied so that policies need no join';
comment on column public.no_shows.words is 'What happened, in the words of the person who reports it';
comment on table public.no_shows is 'Reports that the other person of a booking did not come to the agreed time';

alter publication supabase_realtime add table public.no_shows;

insert into private.activity_limits (action, per_hour, per_day, new_per_hour, new_per_day) values
  ('visits_changed', 30, 100, 30, 100);
insert into private.activity_limits (action, per_hour, per_day, new_per_hour, new_per_day) values
  ('no_shows_reported', 10, 20, 10, 20);

insert into private.notification_texts (key, kind, title, message, subject, button, amounts, by_email, part, topic) values
  ('work_soon', 'bookings', 'Work begins soon', '"{{task}}" with {{person}} begins at {{when}}, {{clock}}.', 'Soon: "{{task}}" at {{when}}', 'Open the booking', null, true, null, null),
  ('tasker_on_the_way', 'bookings', 'On the way', '{{person}} is on the way to "{{task}}" and arrives by {{when}}, {{clock}}.', '{{person}} is on the way to "{{task}}"', 'Open the booking', null, false, null, null),
  ('tasker_arrived', 'bookings', 'Arrived', '{{person}} has arrived for "{{task}}".', '{{person}} has arrived for "{{task}}"', 'Open the booking', null, false, null, null),
  ('tasker_missed', 'bookings', 'Did you come?', '{{person}} reports that you did not come to "{{task}}". Without an answer by {{when}}, {{clock}}, the booking is cancelled, the payment goes back in full, and it counts against your record.', '{{person}} reports that you did not come to "{{task}}"', 'Answer', null, true, 'missed', null),
  ('giver_missed', 'bookings', 'Were you there?', '{{person}} came to "{{task}}" and reports that nobody was there. Without an answer by {{when}}, {{clock}}, the booking is cancelled with the fee of the last hour.', '{{person}} reports that nobody was there for "{{task}}"', 'Answer', null, true, 'missed', null),
  ('no_show_objected', 'bookings', 'An administrator decides', '{{person}} objects to your report about "{{task}}". The payment is on hold until an administrator decides.', '{{person}} objects to your report about "{{task}}"', 'Open the booking', null, true, null, null),
  ('no_show_lapsed', 'bookings', 'Booking cancelled', 'You did not answer the report about "{{task}}" in time, so the booking was cancelled as if you had cancelled it.', '"{{task}}" was cancelled because you did not answer', 'Open the booking', null, true, null, null);

-- another time and the day: what supabase/schemas define and earlier migrations do not, part 6

set check_function_bodies = off;

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
comment on column public.time_proposals.answer_by is 'When it lapses: 48 hours after it was made, or earlier when the proposed or the agreed time comes';
comment on column public.time_proposals.answered_at is 'When it was accepted, declined or withdrawn, or lapsed; null while open';
comment on column public.time_proposals.before_starts_at is 'The agreed time when it was made; null if the booking had none';
comment on column public.time_proposals.message is 'The proposer''s text; null if not given';
comment on column public.time_proposals.proposed_by is 'The giver or the tasker';
comment on column public.time_proposals.starts_at is 'When the work would begin';
comment on column public.time_proposals.state is 'Where the proposal is: new → open when one of the two makes it; open → accepted | declined by the other; open → withdrawn by the proposer; open → lapsed at answer_by, or when the work is done or the booking cancelled';
comment on column public.time_proposals.task_doer_id is 'The booking''s tasker, copied so that policies need no join';
comment on column public.time_proposals.task_giver_id is 'The booking''s giver, copied so that policies need no join';
comment on table public.no_shows is 'Reports that the other person of a booking did not come to the agreed time';
comment on table public.time_proposals is 'Proposals of another time for an agreed booking and what became of them: the history of its times';

alter publication supabase_realtime add table public.no_shows;

alter publication supabase_realtime add table public.time_proposals;

insert into private.activity_limits (action, per_hour, per_day, new_per_hour, new_per_day) values
  ('times_proposed', 20, 60, 20, 60);
insert into private.activity_limits (action, per_hour, per_day, new_per_hour, new_per_day) values
  ('visits_changed', 30, 100, 30, 100);
insert into private.activity_limits (action, per_hour, per_day, new_per_hour, new_per_day) values
  ('no_shows_reported', 10, 20, 10, 20);

insert into private.notification_texts (key, kind, title, message, subject, button, amounts, by_email, part, topic) values
  ('time_proposed', 'bookings', 'Another time proposed', '{{person}} would like to move "{{task}}" to {{when}}, {{clock}}. The agreed time holds until you accept.', '{{person}} proposes another time for "{{task}}"', 'Answer', null, true, 'time', null),
  ('time_accepted', 'bookings', 'New time agreed', '{{person}} accepted: "{{task}}" is now on {{when}}, {{clock}}.', '"{{task}}" is now on {{when}}', 'Open the booking', null, true, null, null),
  ('time_declined', 'bookings', 'Time declined', '{{person}} declined to move "{{task}}" to {{when}}, {{clock}}. The agreed time stays.', '{{person}} declined another time for "{{task}}"', 'Open the booking', null, true, null, null),
  ('time_lapsed', 'bookings', 'Proposed time lapsed', '{{person}} did not answer in time whether to move "{{task}}" to {{when}}, {{clock}}. The agreed time stays.', 'No answer about another time for "{{task}}"', 'Open the booking', null, true, null, null),
  ('work_soon', 'bookings', 'Work begins soon', '"{{task}}" with {{person}} begins at {{when}}, {{clock}}.', 'Soon: "{{task}}" at {{when}}', 'Open the booking', null, true, null, null),
  ('tasker_on_the_way', 'bookings', 'On the way', '{{person}} is on the way to "{{task}}" and arrives by {{when}}, {{clock}}.', '{{person}} is on the way to "{{task}}"', 'Open the booking', null, false, null, null),
  ('tasker_arrived', 'bookings', 'Arrived', '{{person}} has arrived for "{{task}}".', '{{person}} has arrived for "{{task}}"', 'Open the booking', null, false, null, null),
  ('tasker_missed', 'bookings', 'Did you come?', '{{person}} reports that you did not come to "{{task}}". Without an answer by {{when}}, {{clock}}, the booking is cancelled, the payment goes back in full, and it counts against your record.', '{{person}} reports that you did not come to "{{task}}"', 'Answer', null, true, 'missed', null),
  ('giver_missed', 'bookings', 'Were you there?', '{{person}} came to "{{task}}" and reports that nobody was there. Without an answer by {{when}}, {{clock}}, the booking is cancelled with the fee of the last hour.', '{{person}} reports that nobody was there for "{{task}}"', 'Answer', null, true, 'missed', null),
  ('no_show_objected', 'bookings', 'An administrator decides', '{{person}} objects to your report about "{{task}}". The payment is on hold until an administrator decides.', '{{person}} objects to your report about "{{task}}"', 'Open the booking', null, true, null, null),
  ('no_show_lapsed', 'bookings', 'Booking cancelled', 'You did not answer the report about "{{task}}" in time, so the booking was cancelled as if you had cancelled it.', '"{{task}}" was cancelled because you did not answer', 'Open the booking', null, true, null, null);

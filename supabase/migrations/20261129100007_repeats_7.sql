-- Repeats, part 7 of 7: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

grant select on public.snow_reports to authenticated;
grant delete, insert, references, select, trigger, truncate, update on public.snow_reports to service_role;
grant select on public.task_series to authenticated;
grant delete, insert, references, select, trigger, truncate, update on public.task_series to service_role;
grant insert (repeats), update (repeats) on public.tasks to authenticated;
grant execute on function private.busy_visit_days(uuid,public.tasks) to authenticated;
grant execute on function private.busy_visit_days(uuid,public.tasks) to service_role;
grant execute on function private.check_repeats(public.tasks) to anon;
grant execute on function private.check_repeats(public.tasks) to authenticated;
grant execute on function private.check_repeats(public.tasks) to service_role;
grant execute on function private.check_season(public.tasks) to anon;
grant execute on function private.check_season(public.tasks) to authenticated;
grant execute on function private.check_season(public.tasks) to service_role;
grant execute on function private.check_visit(public.bookings) to authenticated;
grant execute on function private.check_visit(public.bookings) to service_role;
grant execute on function private.check_visit_times(public.tasks) to anon;
grant execute on function private.check_visit_times(public.tasks) to authenticated;
grant execute on function private.check_visit_times(public.tasks) to service_role;
grant execute on function private.day_of(text) to anon;
grant execute on function private.day_of(text) to authenticated;
grant execute on function private.day_of(text) to service_role;
grant execute on function private.is_payment_due(public.bookings,timestamp with time zone) to authenticated;
grant execute on function private.is_payment_due(public.bookings,timestamp with time zone) to service_role;
grant execute on function private.is_repeat(jsonb) to anon;
grant execute on function private.is_repeat(jsonb) to authenticated;
grant execute on function private.is_repeat(jsonb) to service_role;
grant execute on function private.payment_deadline(public.bookings,timestamp with time zone) to authenticated;
grant execute on function private.payment_deadline(public.bookings,timestamp with time zone) to service_role;
grant execute on function private.visit_times(jsonb,timestamp with time zone,text) to anon;
grant execute on function private.visit_times(jsonb,timestamp with time zone,text) to authenticated;
grant execute on function private.visit_times(jsonb,timestamp with time zone,text) to service_role;
grant execute on function private.zone_of_task(public.tasks) to anon;
grant execute on function private.zone_of_task(public.tasks) to authenticated;
grant execute on function private.zone_of_task(public.tasks) to service_role;
grant execute on function public.begin_visit_charge(uuid) to service_role;
grant execute on function public.fail_visit_charge(uuid,text,text) to service_role;
grant execute on function public.open_intents_of_series(uuid) to authenticated;
grant execute on function public.open_intents_of_series(uuid) to service_role;
grant execute on function public.own_visit_clashes(uuid) to authenticated;
grant execute on function public.own_visit_clashes(uuid) to service_role;
grant execute on function public.place_zone(public.tasks) to anon;
grant execute on function public.place_zone(public.tasks) to authenticated;
grant execute on function public.place_zone(public.tasks) to service_role;
grant execute on function public.preview_repeat(jsonb,timestamp with time zone,integer,text) to anon;
grant execute on function public.preview_repeat(jsonb,timestamp with time zone,integer,text) to authenticated;
grant execute on function public.preview_repeat(jsonb,timestamp with time zone,integer,text) to service_role;
grant execute on function public.repeat_times(public.tasks) to anon;
grant execute on function public.repeat_times(public.tasks) to authenticated;
grant execute on function public.repeat_times(public.tasks) to service_role;
grant execute on function public.report_snow(uuid,integer,text[],timestamp with time zone) to authenticated;
grant execute on function public.report_snow(uuid,integer,text[],timestamp with time zone) to service_role;
grant execute on function public.set_series_auto_pay(uuid,boolean) to authenticated;
grant execute on function public.set_series_auto_pay(uuid,boolean) to service_role;
grant execute on function public.skip_visit(uuid) to authenticated;
grant execute on function public.skip_visit(uuid) to service_role;
grant execute on function public.stop_series(uuid,boolean,integer,bigint,bigint) to authenticated;
grant execute on function public.stop_series(uuid,boolean,integer,bigint,bigint) to service_role;
grant execute on function public.stop_series_preview(uuid) to authenticated;
grant execute on function public.stop_series_preview(uuid) to service_role;

comment on column private.visit_charges.announced_at is 'When the giver was told that the visit is due; null before';
comment on column private.visit_charges.queued_at is 'When the charge of the default card was queued; null before, or if the giver pays';
comment on column private.visit_charges.refused_at is 'When the card was refused, so that the giver has to pay; null before';
comment on column public.bookings.pay_from is 'From when the time to pay a visit counts; null for the agreement on a snowfall task and outside of series';
comment on column public.bookings.series_id is 'The series that the booking is a visit of; null for none';
comment on column public.bookings.skipped is 'Whether it is a visit that was cancelled without a fee more than 48 hours ahead, which counts against nobody';
comment on column public.bookings.status is 'Where the booking is: new → pending when the tasker applies; new → accepted as a further visit when a tasker is accepted for a series; pending → accepted when the giver accepts the application, or the tasker the giver''s counter-offer; pending → rejected when the giver declines, accepts another application or withdraws the task; pending → cancelled when the tasker withdraws, or without an answer after 30 days, an offer at answer_by; accepted → in_progress when the payment is held; accepted → cancelled when either person cancels, or when it is not paid in time; in_progress → completed when the tasker marks the work complete; in_progress → cancelled when either person cancels, or when the payment is taken back or refunded by an admin; rejected → pending when the giver takes the decline back within 10 minutes';
comment on column public.bookings.visit_number is 'Position of the visit in its series, from 1; 0 for the agreement on a snowfall task, which is not a visit; null for none';
comment on column public.snow_reports.booking_id is 'The visit';
comment on column public.snow_reports.cm is 'Centimetres of snow as the tasker measured them';
comment on column public.snow_reports.day is 'The day by the clock at the place';
comment on column public.snow_reports.photos is 'Names in the bucket booking-photos, in the folder of the agreed booking. Both parties and admins: storage.from(''booking-photos'').download(name)';
comment on column public.task_series.auto_pay_since is 'Since when the giver lets their default card be charged two days before each visit; null if they pay themselves';
comment on column public.task_series.ends_on is 'Day of the last visit, or last day of the season, by that clock';
comment on column public.task_series.giver_id is 'The person who pays each visit';
comment on column public.task_series.repeats is 'How the task repeats, as in tasks.repeats when it was agreed';
comment on column public.task_series.status is 'Where the series is: new → active when the giver accepts, or the tasker accepts a counter-offer; active → stopped when either stops it; active → ended the day after ends_on';
comment on column public.task_series.stopped_at is 'When it was stopped; null before';
comment on column public.task_series.stopped_by is 'The person who stopped it; null for none';
comment on column public.task_series.tasker_id is 'The tasker of all visits';
comment on column public.task_series.time_zone is 'IANA name of the clock at the place, by which the visits keep their time of day';
comment on column public.task_series.visits is 'Number of agreed visits; the highest number for a snowfall task';
comment on column public.tasks.repeats is 'How the task repeats: {every: weekly | biweekly | monthly, until: day | count: visits, except: [day]}, or {every: snowfall, cm, until, count}; null for a task that is done once';
comment on column public.tasks.series_id is 'The series of public.task_series that the task is a visit of; null before a tasker is accepted, or for none';
comment on column public.tasks.status is 'Where the task is: new → open when the giver posts it; new → asked when the giver asks one tasker first; new → assigned as a further visit when a tasker is accepted for a series; asked → open when that tasker declines, their application ends, the time to answer is over, or the giver opens it; open | asked → assigned when the giver accepts an application; assigned → open when the booking is cancelled; assigned → completed when the money is released or decided on after the work; open | asked → cancelled when the giver withdraws it or deletes their account; open → cancelled 24 hours after scheduled_date, or after the season of a snowfall task; assigned → cancelled when the payment is taken back or refunded by an admin before the work is done, or a visit of a series is cancelled';
comment on table private.visit_charges is 'Progress of collecting the payment for each visit';
comment on table public.snow_reports is 'Snow that taskers reported, at most once a day for a snowfall task, each with the visit that it led to';
comment on table public.task_series is 'Agreed repeats: the visits are bookings with this series_id, each with a task';

insert into private.notification_texts (key, kind, title, message, subject, button, amounts, by_email, part, topic) values
  ('series_accepted', 'applications', 'Application accepted', '{{person}} accepted your application for "{{task}}": {{count}} visits, {{amount, money}} each.', '{{person}} accepted your application for "{{task}}"', 'Open the visits', null, true, null, 'answer'),
  ('snow_series_accepted', 'applications', 'Application accepted', '{{person}} accepted your application for "{{task}}": up to {{count}} visits, {{amount, money}} each. Report the snow when it has fallen.', '{{person}} accepted your application for "{{task}}"', 'Open the visits', null, true, null, 'answer'),
  ('visit_skipped', 'bookings', 'Visit skipped', '{{person}} skipped "{{task}}" on {{when}}, {{clock}}. The other visits stay.', '{{person}} skipped "{{task}}" on {{when}}', 'Open the visits', null, true, null, null),
  ('visit_cancelled', 'bookings', 'Visit cancelled', '{{person}} cancelled "{{task}}" on {{when}}, {{clock}}. The other visits stay.', '{{person}} cancelled "{{task}}" on {{when}}', 'Open the visits', null, true, null, null),
  ('series_stopped', 'bookings', 'Visits stopped', '{{person}} stopped the visits of "{{task}}". Unpaid visits that end: {{count}}.', '{{person}} stopped the visits of "{{task}}"', 'Open the visits', null, true, null, null),
  ('snow_reported', 'payments', 'It has snowed', '{{person}} reports {{cm}} cm of snow for "{{task}}" and comes on {{when}}, {{clock}}. The visit costs {{amount, money}} in all.', '{{cm}} cm of snow: "{{task}}" on {{when}}', 'Open the visit', null, true, 'next', null),
  ('visit_due', 'payments', 'Visit coming up', 'Pay {{amount, money}} for "{{task}}" with {{person}} on {{when}}, {{clock}}.', 'Please pay for "{{task}}" on {{when}}', 'Pay', null, true, 'next', null),
  ('visit_charge_soon', 'payments', 'Visit coming up', '{{amount, money}} will be charged to your card two days before "{{task}}" with {{person}} on {{when}}, {{clock}}. You can skip the visit until then.', 'Your card pays for "{{task}}" on {{when}}', 'Open the visit', null, true, null, null),
  ('visit_charge_failed', 'payments', 'Payment failed', 'Your card could not be charged {{amount, money}} for "{{task}}". Please pay by {{when}}, {{clock}}. Otherwise the visit is cancelled.', 'Please pay for "{{task}}" by {{when}}', 'Pay', null, true, 'next', null);

insert into private.booking_transitions (from_status, to_status, actor) values (null, 'accepted', 'schedule');

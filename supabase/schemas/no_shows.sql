-- Somebody did not come: the giver reports that the tasker did not, or the tasker that nobody was there. Without an answer the booking
-- is cancelled as if the missing person had cancelled it at the agreed time. An objection leaves the decision to an admin.

set check_function_bodies = off;

create table public.no_shows (
  id uuid primary key default gen_random_uuid(),
  booking_id uuid not null references public.bookings (id) on delete cascade,
  -- The defaults make the columns optional on insert.
  task_giver_id uuid not null default '00000000-0000-0000-0000-000000000000',
  task_doer_id uuid not null default '00000000-0000-0000-0000-000000000000',
  reported_by uuid not null,
  words text not null,
  photos text[] not null default '{}',
  state text not null default 'open' check (state in ('open', 'confirmed', 'objected', 'withdrawn', 'lapsed', 'ended')),
  answer_by timestamptz not null default now(),
  answer text,
  answer_photos text[] not null default '{}',
  created_at timestamptz not null default now(),
  answered_at timestamptz
);
alter table public.no_shows enable row level security;

comment on table public.no_shows is 'Reports that the other person of a booking did not come to the agreed time';
comment on column public.no_shows.task_giver_id is 'The booking''s giver, copied so that policies need no join';
comment on column public.no_shows.task_doer_id is 'The booking''s tasker, copied so that policies need no join';
comment on column public.no_shows.reported_by is 'The giver, if the tasker did not come; the tasker, if nobody was there';
comment on column public.no_shows.words is 'What happened, in the words of the person who reports it';
comment on column public.no_shows.photos is 'Of that person, in the bucket booking-photos; a tasker needs one';
comment on column public.no_shows.state is
  'Where the report is: new → open when one of the two makes it; open → confirmed when the other admits it, which cancels the booking; '
  'open → objected when the other objects, which opens a complaint; open → withdrawn when its author takes it back; '
  'open → lapsed when answer_by has passed, which cancels the booking; open → ended when the booking is over';
comment on column public.no_shows.answer_by is 'Until when the other person can object';
comment on column public.no_shows.answer is 'The objection; null for none';
comment on column public.no_shows.answer_photos is 'Of the person who objects, in the bucket booking-photos';
comment on column public.no_shows.answered_at is 'When it was answered or withdrawn, or lapsed; null while open';

create unique index no_shows_one_open on public.no_shows (booking_id) where state = 'open';
create index no_shows_of_booking on public.no_shows (booking_id, created_at);
create index no_shows_of_giver on public.no_shows (task_giver_id);
create index no_shows_of_doer on public.no_shows (task_doer_id);
create index no_shows_due on public.no_shows (answer_by) where state = 'open';

-- Whether a report about this booking waits for an answer.
create function private.has_open_no_show(booking uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.no_shows where booking_id = booking and state = 'open');
end $$;

-- Limits what somebody wrote about a missing person, as the words of a complaint are limited.
create function private.check_no_show_words(words text, field text) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.require(private.visible_length(words) >= private.rule('limits.complaint.min'), 'no_show.words_too_short', field,
    jsonb_build_object('min', private.rule('limits.complaint.min')));
  perform private.require(length(words) <= private.rule('limits.complaint.max'), 'no_show.words_too_long', field,
    jsonb_build_object('max', private.rule('limits.complaint.max')));
end $$;

-- Before a missing person is reported.
create function private.before_no_show_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.words := private.trimmed(new.words);
  perform private.require_active_account();
  perform private.allow(new.reported_by = auth.uid(), 'no_show.not_own');
  perform private.check_no_show_words(new.words, 'words');
  perform private.limit_client('no_shows_reported');
  return private.check_no_show(new);
end $$;

create trigger before_no_show_insert before insert on public.no_shows
for each row execute function private.before_no_show_insert();

-- Requires paid work whose time has come: for the giver half an hour ago; for the tasker who arrived a while ago and proves it with a
-- photo. Fills in the two people and the time to answer.
create function private.check_no_show(report public.no_shows) returns public.no_shows
language plpgsql set search_path = '' as $$
declare
  booking constant public.bookings := private.lock_own_booking(report.booking_id);
  starts timestamptz;
  by_tasker constant boolean := report.reported_by = booking.task_doer_id;
  wait constant integer := private.rule(case when by_tasker then 'limits.noShow.giverAfterMinutes'
    else 'limits.noShow.taskerAfterMinutes' end);
begin
  perform private.allow(booking.id is not null, 'no_show.not_party');
  perform private.require(booking.status = 'in_progress', 'no_show.not_under_way', 'booking_id');
  perform private.require_movable(booking);
  starts := (select t.scheduled_date from public.tasks t where t.id = booking.task_id);
  perform private.require(starts is not null, 'no_show.no_time', 'booking_id');
  perform private.require(not by_tasker or booking.arrived_at is not null, 'arrival.not_arrived', 'booking_id');
  perform private.require(now() >= greatest(starts, case when by_tasker then booking.arrived_at end) + make_interval(mins => wait),
    'no_show.too_early', 'booking_id', jsonb_build_object('minutes', wait));
  report.photos := coalesce(report.photos, '{}');
  perform private.require(not by_tasker or report.photos <> '{}', 'no_show.photo_required', 'photos');
  perform private.check_photos(report.photos, 'booking-photos', booking.id, report.reported_by, 'photos');
  report.task_giver_id := booking.task_giver_id;
  report.task_doer_id := booking.task_doer_id;
  report.state := 'open';
  report.answer := null;
  report.answer_by := now() + make_interval(hours => private.rule('limits.noShow.answerHours'));
  return report;
end $$;

-- Before a report is answered, withdrawn or lapses.
create function private.before_no_show_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.answer_photos := coalesce(new.answer_photos, '{}');
  if private.is_erasing() or (new.state, new.answer, new.answer_photos) is not distinct from (old.state, old.answer, old.answer_photos) then
    return new;
  end if;
  if private.is_client() then
    new := private.check_no_show_answer(new, old);
  end if;
  new.answered_at := now();
  return new;
end $$;

create trigger before_no_show_update before update on public.no_shows
for each row execute function private.before_no_show_update();

-- Lets the other person confirm an open report or object to it in time, and the one who made it withdraw it.
create function private.check_no_show_answer(report public.no_shows, before public.no_shows) returns public.no_shows
language plpgsql set search_path = '' as $$
declare
  booking constant public.bookings := private.lock_own_booking(before.booking_id);
begin
  perform private.require(before.state = 'open' and before.answer_by > now() and booking.status = 'in_progress', 'no_show.not_open', 'state');
  if before.reported_by = auth.uid() then
    perform private.require(report.state = 'withdrawn' and report.answer is null and report.answer_photos = '{}',
      'no_show.answer_by_other', 'state');
    return report;
  end if;
  perform private.require(report.state in ('confirmed', 'objected'), 'no_show.withdraw_own', 'state');
  perform private.require_held_money(booking.id);
  if report.state = 'confirmed' then
    report.answer := null;
    report.answer_photos := '{}';
    return report;
  end if;
  report.answer := private.trimmed(report.answer);
  perform private.check_no_show_words(report.answer, 'answer');
  perform private.check_photos(report.answer_photos, 'booking-photos', booking.id, auth.uid(), 'answer_photos');
  return report;
end $$;

-- Requires that nothing holds the money of the booking back.
create function private.require_held_money(booking uuid) returns void
language plpgsql set search_path = '' as $$
declare
  payment public.payments;
begin
  select * into payment from public.payments p where p.booking_id = booking;
  if payment.escrow_status is distinct from 'held' then
    perform private.fail(private.freeze_reason_code(payment), 'booking_id');
  end if;
end $$;

-- After a missing person is reported, or the report answered, withdrawn or lapsed.
create function private.after_no_show_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and new.state = old.state then
    return null;
  end if;
  if new.state = 'open' then
    perform private.schedule_tick(new.answer_by);
  elsif new.state in ('confirmed', 'lapsed') then
    perform private.cancel_missed_booking(new);
  elsif new.state = 'objected' then
    perform private.open_no_show_complaint(new);
  end if;
  perform private.notify_no_show(new);
  return null;
end $$;

create trigger after_no_show_change after insert or update on public.no_shows
for each row execute function private.after_no_show_change();

-- The person who did not come, according to the report.
create function private.missing_person(report public.no_shows) returns uuid
language sql immutable set search_path = '' as $$
  select case report.reported_by when report.task_giver_id then report.task_doer_id else report.task_giver_id end
$$;

-- Cancels the booking as if the missing person had done so: a tasker's absence is refunded in full and counts as late, a giver's costs
-- the fee of the last hour. The task is closed, because its time has passed.
create function private.cancel_missed_booking(report public.no_shows) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.cancel_booking_for(private.missing_person(report), report.booking_id, null, false);
end $$;

-- Leaves the decision to an admin, by the way of complaints: the work counts as ended, and the words and photos of both are the
-- complaint and its answer.
create function private.open_no_show_complaint(report public.no_shows) returns void
language plpgsql set search_path = '' as $$
declare
  by_giver constant boolean := report.reported_by = report.task_giver_id;
begin
  perform private.set_actor('tasker');
  update public.bookings set status = 'completed' where id = report.booking_id;
  perform private.set_actor(null);
  insert into public.complaints (booking_id, reason, photos, answer, answer_photos, answered_at)
  values (report.booking_id, case when by_giver then report.words else report.answer end,
    case when by_giver then report.photos else report.answer_photos end,
    case when by_giver then report.answer else report.words end,
    case when by_giver then report.answer_photos else report.photos end, now());
end $$;

-- Notifies the other person of a report, the one who made it of an objection, and the missing person of the end without an answer. The
-- amounts are in the notices of the cancellation.
create function private.notify_no_show(report public.no_shows) returns void
language plpgsql set search_path = '' as $$
declare
  missing constant uuid := private.missing_person(report);
  page constant text := private.booking_link(report.booking_id);
  news constant jsonb := jsonb_build_object('task', private.task_title(report.booking_id));
begin
  if report.state = 'open' then
    perform private.notify_person(missing, case when missing = report.task_doer_id then 'tasker_missed' else 'giver_missed' end,
      news || jsonb_build_object('person', private.named(report.reported_by), 'at', report.answer_by,
        'when', private.day_and_time(report.answer_by)), page);
    return;
  end if;
  update public.notifications n set read = true
  where n.user_id = missing and not n.read and n.key in ('tasker_missed', 'giver_missed') and n.link like page || '%';
  if report.state = 'objected' then
    perform private.notify_person(report.reported_by, 'no_show_objected', news || jsonb_build_object('person', private.named(missing)), page);
  elsif report.state = 'lapsed' then
    perform private.notify_person(missing, 'no_show_lapsed', news, page);
  end if;
end $$;

-- Ends the open report about a booking that is over. One that is being answered stays to that answer.
create function private.lapse_no_show(booking uuid) returns void
language sql set search_path = '' as $$
  update public.no_shows set state = 'ended' where id in (
    select n.id from public.no_shows n where n.booking_id = booking and n.state = 'open' for no key update skip locked)
$$;

-- Settles one report that was not answered in time. Returns how many. Frozen money waits until it is held again.
create function private.settle_no_show() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select n.id into due from public.no_shows n join public.bookings b on b.id = n.booking_id
    join public.payments p on p.booking_id = n.booking_id
  where n.state = 'open' and n.answer_by <= now() and (b.status <> 'in_progress' or p.escrow_status = 'held')
  order by n.answer_by limit 1 for no key update of n skip locked;
  if not found then
    return 0;
  end if;
  update public.no_shows n set state = case b.status when 'in_progress' then 'lapsed' else 'ended' end
  from public.bookings b where n.id = due and b.id = n.booking_id;
  return 1;
end $$;

create policy "participants read the reports of their bookings, admins all" on public.no_shows for select to authenticated
using (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()) or (select private.is_admin()));

create policy "participants report for themselves" on public.no_shows for insert to authenticated
with check (reported_by = (select auth.uid()));

create policy "deleted accounts cannot report who did not come" on public.no_shows as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "participants answer and withdraw reports" on public.no_shows for update to authenticated
using (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()))
with check (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()));

grant select, insert (id, booking_id, reported_by, words, photos), update (state, answer, answer_photos) on public.no_shows to authenticated;
grant execute on function
  private.has_open_no_show(uuid), private.check_no_show_words(text, text), private.check_no_show(public.no_shows),
  private.check_no_show_answer(public.no_shows, public.no_shows), private.require_held_money(uuid)
to authenticated, service_role;

insert into private.activity_limits (action, per_hour, per_day, new_per_hour, new_per_day) values
  ('no_shows_reported', 10, 20, 10, 20);

-- Lists of bookings subscribe to them.
alter publication supabase_realtime add table public.no_shows;

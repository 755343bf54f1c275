-- Rescheduling: a person of an accepted booking proposes another time, and the other accepts or declines it. Until then the agreed
-- time holds, and with it the cancellation fee. The rows of a booking are the history of its times.

set check_function_bodies = off;

create table public.time_proposals (
  id uuid primary key default gen_random_uuid(),
  booking_id uuid not null references public.bookings (id) on delete cascade,
  -- The defaults make the columns optional on insert.
  task_giver_id uuid not null default '00000000-0000-0000-0000-000000000000',
  task_doer_id uuid not null default '00000000-0000-0000-0000-000000000000',
  proposed_by uuid not null,
  starts_at timestamptz not null,
  message text,
  state text not null default 'open' check (state in ('open', 'accepted', 'declined', 'withdrawn', 'lapsed')),
  answer_by timestamptz not null default now(),
  before_starts_at timestamptz,
  created_at timestamptz not null default now(),
  answered_at timestamptz
);
alter table public.time_proposals enable row level security;

comment on table public.time_proposals is
  'Proposals of another time for an agreed booking and what became of them: the history of its times';
comment on column public.time_proposals.task_giver_id is 'The booking''s giver, copied so that policies need no join';
comment on column public.time_proposals.task_doer_id is 'The booking''s tasker, copied so that policies need no join';
comment on column public.time_proposals.proposed_by is 'The giver or the tasker';
comment on column public.time_proposals.starts_at is 'When the work would begin';
comment on column public.time_proposals.message is 'The proposer''s text; null if not given';
comment on column public.time_proposals.state is
  'Where the proposal is: new → open when one of the two makes it; open → accepted | declined by the other; '
  'open → withdrawn by the proposer; open → lapsed at answer_by, or when the work is done or the booking cancelled';
comment on column public.time_proposals.answer_by is
  'When it lapses: 48 hours after it was made, or earlier when the proposed or the agreed time comes';
comment on column public.time_proposals.before_starts_at is 'The agreed time when it was made; null if the booking had none';
comment on column public.time_proposals.answered_at is 'When it was accepted, declined or withdrawn, or lapsed; null while open';

create unique index time_proposals_one_open on public.time_proposals (booking_id) where state = 'open';
create index time_proposals_of_booking on public.time_proposals (booking_id, created_at);
create index time_proposals_of_giver on public.time_proposals (task_giver_id);
create index time_proposals_of_doer on public.time_proposals (task_doer_id);
create index time_proposals_due on public.time_proposals (answer_by) where state = 'open';

-- Requires a booking that is agreed and not done, whose money nothing holds back. The agreement on a snowfall task has no time.
create function private.require_movable(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  payment public.payments;
begin
  perform private.require(booking.status in ('accepted', 'in_progress') and booking.visit_number is distinct from 0,
    'time_proposal.not_agreed', 'booking_id');
  select * into payment from public.payments p where p.booking_id = booking.id;
  if payment.escrow_status = 'frozen' then
    perform private.fail(private.freeze_reason_code(payment), 'booking_id');
  end if;
  perform private.require(not private.has_open_no_show(booking.id), 'no_show.open', 'booking_id');
end $$;

-- Whether the tasker of the booking is free at another time for its task.
create function private.can_move_booking(booking public.bookings, starts_at timestamptz) returns boolean
language plpgsql set search_path = '' as $$
declare
  task public.tasks := private.lock_task(booking.task_id);
begin
  task.scheduled_date := starts_at;
  return private.can_fit_task(booking.task_doer_id, task);
end $$;

-- Before a time is proposed.
create function private.before_time_proposal_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.message := nullif(private.trimmed(new.message), '');
  perform private.require(coalesce(length(new.message), 0) <= private.rule('limits.timeProposal.message'),
    'time_proposal.message_too_long', 'message', jsonb_build_object('max', private.rule('limits.timeProposal.message')));
  perform private.require_active_account();
  perform private.allow(new.proposed_by = auth.uid(), 'time_proposal.not_own');
  perform private.limit_client('times_proposed');
  return private.check_time_proposal(new);
end $$;

create trigger before_time_proposal_insert before insert on public.time_proposals
for each row execute function private.before_time_proposal_insert();

-- Requires a booking of the caller and a new time that can be kept; fills in the two people, the agreed time and the deadline. A
-- tasker cannot propose a time at which they have another booking; a giver does not learn of those before the answer.
create function private.check_time_proposal(proposed public.time_proposals) returns public.time_proposals
language plpgsql set search_path = '' as $$
declare
  booking constant public.bookings := private.lock_own_booking(proposed.booking_id);
  agreed timestamptz;
begin
  perform private.allow(booking.id is not null, 'time_proposal.not_party');
  perform private.require_movable(booking);
  agreed := (select t.scheduled_date from public.tasks t where t.id = booking.task_id);
  perform private.require(proposed.starts_at > now(), 'time_proposal.past', 'starts_at');
  perform private.require(proposed.starts_at <= now() + make_interval(days => private.rule('limits.timeProposal.daysAhead')),
    'time_proposal.too_late', 'starts_at', jsonb_build_object('days', private.rule('limits.timeProposal.daysAhead')));
  perform private.require(date_trunc('minute', proposed.starts_at) is distinct from date_trunc('minute', agreed),
    'time_proposal.same_time', 'starts_at');
  perform private.require(not exists (select from public.time_proposals p where p.booking_id = booking.id and p.state = 'open'
    and p.answer_by > now()), 'time_proposal.open', 'booking_id');
  perform private.require(proposed.proposed_by <> booking.task_doer_id or private.can_move_booking(booking, proposed.starts_at),
    'time_proposal.own_clash', 'starts_at');
  proposed.task_giver_id := booking.task_giver_id;
  proposed.task_doer_id := booking.task_doer_id;
  proposed.before_starts_at := agreed;
  proposed.state := 'open';
  proposed.answer_by := least(now() + make_interval(hours => private.rule('limits.timeProposal.hours')), proposed.starts_at,
    case when agreed > now() then agreed end);
  perform private.expire_time_proposal(booking.id);
  return proposed;
end $$;

-- Before a proposal is answered, withdrawn or lapses.
create function private.before_time_proposal_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_erasing() or (new.state = old.state and new.starts_at = old.starts_at) then
    return new;
  end if;
  if private.is_client() then
    perform private.check_proposal_answer(new, old);
  end if;
  new.answered_at := now();
  return new;
end $$;

create trigger before_time_proposal_update before update on public.time_proposals
for each row execute function private.before_time_proposal_update();

-- Lets the other person accept or decline an open proposal at the time that they saw, and the proposer withdraw it.
create function private.check_proposal_answer(proposal public.time_proposals, before public.time_proposals) returns void
language plpgsql set search_path = '' as $$
declare
  booking constant public.bookings := private.lock_own_booking(before.booking_id);
begin
  perform private.require_active_account();
  perform private.require(proposal.starts_at = before.starts_at, 'time_proposal.time_differs', 'starts_at');
  perform private.require(before.state = 'open' and before.answer_by > now(), 'time_proposal.not_open', 'state');
  if before.proposed_by = auth.uid() then
    perform private.require(proposal.state = 'withdrawn', 'time_proposal.answer_by_other', 'state');
    return;
  end if;
  perform private.require(proposal.state in ('accepted', 'declined'), 'time_proposal.withdraw_own', 'state');
  if proposal.state = 'declined' then
    return;
  end if;
  perform private.require_movable(booking);
  perform private.require(before.starts_at > now(), 'time_proposal.past', 'starts_at');
  perform private.require(private.can_move_booking(booking, before.starts_at),
    case when booking.task_doer_id = auth.uid() then 'time_proposal.own_clash' else 'booking.tasker_busy' end, 'starts_at');
end $$;

-- After a time is proposed, answered, withdrawn or has lapsed.
create function private.after_time_proposal_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and new.state = old.state then
    return null;
  end if;
  if new.state = 'accepted' then
    perform private.move_booking(new);
  elsif new.state = 'open' then
    perform private.schedule_tick(new.answer_by);
  end if;
  perform private.notify_time_proposal(new);
  return null;
end $$;

create trigger after_time_proposal_change after insert or update on public.time_proposals
for each row execute function private.after_time_proposal_change();

-- Moves the task and its booking to the accepted time, and with them the reminders and the time to pay.
create function private.move_booking(accepted public.time_proposals) returns void
language plpgsql set search_path = '' as $$
declare
  task public.tasks;
  booking public.bookings;
  pay_by timestamptz;
begin
  update public.tasks t set scheduled_date = accepted.starts_at, updated_at = now() from public.bookings b
  where b.id = accepted.booking_id and t.id = b.task_id returning t.* into strict task;
  update public.bookings b set period = private.task_period(task), arrives_from = null, arrives_until = null, arrived_at = null,
    pay_from = case when pay_from is not null then now() end, updated_at = now() where b.id = accepted.booking_id
  returning * into strict booking;
  update public.notifications set read = true
  where user_id in (booking.task_giver_id, booking.task_doer_id) and not read and key = 'work_reminder'
    and link like private.booking_link(booking.id) || '%';
  if booking.status = 'in_progress' then
    -- They have just agreed on it: work within a day needs no reminder.
    insert into private.work_reminders (booking_id, scheduled_date, hour_before)
    select booking.id, task.scheduled_date, case when task.scheduled_date <= now() + interval '1 hour' then task.scheduled_date end
    where task.scheduled_date <= now() + interval '24 hours'
    on conflict (booking_id) do update set scheduled_date = excluded.scheduled_date, hour_before = excluded.hour_before,
      reminded_at = now();
    perform private.schedule_reminder(booking);
    return;
  end if;
  pay_by := private.pay_by(booking.accepted_at, task.scheduled_date);
  delete from private.pay_reminders r
  where r.booking_id = booking.id and private.pay_reminder_at(booking.accepted_at, pay_by) > now();
  perform private.schedule_tick(private.pay_reminder_at(booking.accepted_at, pay_by));
  perform private.schedule_tick(pay_by);
end $$;

-- Notifies the other person of a proposal, and the proposer of what became of it. A proposal that is withdrawn, or lapses with its
-- booking, takes its notice with it.
create function private.notify_time_proposal(proposal public.time_proposals) returns void
language plpgsql set search_path = '' as $$
declare
  other constant uuid := case proposal.proposed_by when proposal.task_giver_id then proposal.task_doer_id else proposal.task_giver_id end;
  page constant text := private.booking_link(proposal.booking_id);
  news constant jsonb := jsonb_build_object('task', private.task_title(proposal.booking_id), 'at', proposal.starts_at,
    'when', private.day_and_time(proposal.starts_at));
begin
  if proposal.state = 'open' then
    perform private.notify_person(other, 'time_proposed', news || jsonb_build_object('person', private.named(proposal.proposed_by)), page);
    return;
  end if;
  update public.notifications n set read = true
  where n.user_id = other and not n.read and n.key = 'time_proposed' and n.link like page || '%';
  if proposal.state in ('accepted', 'declined') or (proposal.state = 'lapsed' and proposal.answer_by <= now() and exists (
    select from public.bookings b where b.id = proposal.booking_id and b.status in ('accepted', 'in_progress')))
  then
    perform private.notify_person(proposal.proposed_by, case proposal.state when 'accepted' then 'time_accepted'
      when 'declined' then 'time_declined' else 'time_lapsed' end, news || jsonb_build_object('person', private.named(other)), page);
  else
    delete from private.email_events e where e.person_id = other and e.key = 'time_proposed' and e.email_id is null
      and e.link like page || '%';
  end if;
end $$;

-- Ends the open proposals of a booking that is done or cancelled. One that is being answered stays to that answer, so that neither
-- waits for the other.
create function private.lapse_time_proposals(booking uuid) returns void
language sql set search_path = '' as $$
  update public.time_proposals set state = 'lapsed' where id in (
    select p.id from public.time_proposals p where p.booking_id = booking and p.state = 'open' for no key update skip locked)
$$;

-- Ends one proposal that was not answered in time, of this booking or, with null, of any. Returns how many. Anybody can call it,
-- because it only does what is due.
create function private.expire_time_proposal(of_booking uuid default null) returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select p.id into due from public.time_proposals p
  where p.state = 'open' and p.answer_by <= now() and p.booking_id = coalesce(of_booking, p.booking_id)
  order by p.answer_by limit 1 for no key update skip locked;
  if not found then
    return 0;
  end if;
  update public.time_proposals set state = 'lapsed' where id = due;
  return 1;
end $$;

-- The time before the first accepted proposal, to which a task returns when its booking is cancelled.
create function private.time_before_proposals(booking uuid, scheduled timestamptz) returns timestamptz
language sql stable set search_path = '' as $$
  select case when first.id is null then scheduled else first.before_starts_at end
  from (select) as one left join lateral (select p.id, p.before_starts_at from public.time_proposals p
    where p.booking_id = booking and p.state = 'accepted' order by p.answered_at, p.created_at limit 1) first on true
$$;

create policy "participants read the proposals of their bookings, admins all" on public.time_proposals for select to authenticated
using (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()) or (select private.is_admin()));

create policy "participants propose times for themselves" on public.time_proposals for insert to authenticated
with check (proposed_by = (select auth.uid()));

create policy "deleted accounts cannot propose times" on public.time_proposals as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "participants answer and withdraw proposals" on public.time_proposals for update to authenticated
using (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()))
with check (task_giver_id = (select auth.uid()) or task_doer_id = (select auth.uid()));

grant select, insert (id, booking_id, proposed_by, starts_at, message), update (state, starts_at) on public.time_proposals to authenticated;
grant execute on function
  private.require_movable(public.bookings), private.can_move_booking(public.bookings, timestamptz),
  private.check_time_proposal(public.time_proposals), private.check_proposal_answer(public.time_proposals, public.time_proposals),
  private.expire_time_proposal(uuid), private.time_before_proposals(uuid, timestamptz)
to authenticated, service_role;

insert into private.activity_limits (action, per_hour, per_day, new_per_hour, new_per_day) values
  ('times_proposed', 20, 60, 20, 60);

-- Lists of bookings subscribe to them.
alter publication supabase_realtime add table public.time_proposals;

-- Complaints: within 24 hours of completion or the agreed end, whichever is later, the giver can report that something is
-- wrong. The money is frozen until an admin who is neither party decides to release, refund or split it. The tasker may answer
-- once. For 48 hours, nothing but a release can be decided without that answer.

create type public.complaint_decision as enum ('release', 'refund', 'split');

create table public.complaints (
  id uuid primary key default gen_random_uuid(),
  booking_id uuid not null unique references public.bookings (id),
  payment_id uuid not null default '00000000-0000-0000-0000-000000000000' references public.payments (id),
  giver_id uuid not null default '00000000-0000-0000-0000-000000000000',
  tasker_id uuid not null default '00000000-0000-0000-0000-000000000000',
  reason text not null,
  answer text,
  answered_at timestamptz,
  decision public.complaint_decision,
  returned_amount numeric(12, 2),
  decision_note text,
  decided_by uuid references private.profiles (id) on delete set null,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  photos text[] not null default '{}',
  answer_photos text[] not null default '{}',
  extras_returned boolean
);
alter table public.complaints enable row level security;

comment on table public.complaints is
  'The giver reports that something is wrong with completed work; the money is frozen until an admin decides';
comment on column public.complaints.payment_id is 'The booking''s payment, set by the trigger 30_booking';
comment on column public.complaints.giver_id is 'The booking''s giver, set by the trigger 30_booking';
comment on column public.complaints.tasker_id is 'The booking''s tasker, set by the trigger 30_booking';
comment on column public.complaints.reason is 'What is wrong, in the giver''s words';
comment on column public.complaints.answer is 'The tasker''s answer; null before, and it cannot be changed after';
comment on column public.complaints.answered_at is 'When the tasker answered; null before';
comment on column public.complaints.decision is 'What an admin decided; null while the complaint is open';
comment on column public.complaints.returned_amount is
  'Dollars of the task''s price that are returned; fees follow in proportion; null before the decision';
comment on column public.complaints.decision_note is 'The admin''s text, which both people read; null for none';
comment on column public.complaints.decided_by is
  'The admin; null while undecided, or if the payment was taken back, which closes the complaint';
comment on column public.complaints.decided_at is 'When it was decided; null before';
comment on column public.complaints.photos is 'The giver''s, in the bucket booking-photos; read like bookings.completion_photos';
comment on column public.complaints.answer_photos is
  'The tasker''s, in the bucket booking-photos; read like bookings.completion_photos';
comment on column public.complaints.extras_returned is
  'Whether the decision returns the booking''s extra payments, too; null before the decision, and for a split without any';

create index complaints_of_decider on public.complaints (decided_by) where decided_by is not null;
create index complaints_of_payment on public.complaints (payment_id);
create index complaints_of_giver on public.complaints (giver_id);
create index complaints_of_tasker on public.complaints (tasker_id);
create index complaints_unanswered_of_tasker on public.complaints (tasker_id) where answer is null and decision is null;
create index complaints_waiting on public.complaints (created_at, id) where decision is null;
create index complaints_by_decision on public.complaints (decided_at desc, id desc) where decision is not null;

-- Returns the payment of a booking and locks it.
create function private.lock_payment_of(booking uuid) returns public.payments
language sql security definer set search_path = '' as $$
  select * from public.payments where booking_id = booking for no key update
$$;

-- Before a complaint is filed.
create function private.before_complaint_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  new := private.tidy_complaint(new);
  perform private.require(private.visible_length(new.reason) >= private.rule('limits.complaint.min'),
    'complaint.reason_too_short', 'reason');
  perform private.require(coalesce(length(new.reason), 0) <= private.rule('limits.complaint.max'),
    'complaint.reason_too_long', 'reason');
  new := private.check_complaint(new);
  new := private.check_complaint_photos(new);
  return new;
end $$;

create trigger before_complaint_insert before insert on public.complaints
for each row execute function private.before_complaint_insert();

-- Before a complaint is answered or decided.
create function private.before_complaint_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() and new.answer is distinct from old.answer then
    new := private.check_answer(new, old);
  end if;
  new := private.check_answer_photos(new, old);
  return new;
end $$;

create trigger before_complaint_update before update on public.complaints
for each row execute function private.before_complaint_update();

-- Trims the reason.
create function private.tidy_complaint(complaint public.complaints) returns public.complaints
language plpgsql immutable set search_path = '' as $$
begin
  complaint.reason := private.trimmed(complaint.reason);
  return complaint;
end $$;

-- Requires the giver of a completed booking, held money and less than 24 hours; copies payment and people to the row.
create function private.check_complaint(complaint public.complaints) returns public.complaints
language plpgsql set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
begin
  -- As the caller sees it: a person who is no party does not even learn that the booking exists.
  select * into booking from public.bookings where id = complaint.booking_id;
  perform private.allow(not private.is_client() or coalesce(booking.task_giver_id = auth.uid(), false),
    'complaint.only_givers');
  payment := private.lock_payment_of(complaint.booking_id);
  perform private.require(payment.id is not null, 'complaint.not_paid', 'booking_id');
  select * into booking from public.bookings where id = complaint.booking_id;
  perform private.require(booking.status = 'completed',
    'complaint.work_not_completed', 'booking_id');
  perform private.require(not exists (select from public.complaints where booking_id = complaint.booking_id),
    'complaint.already_filed', 'booking_id');
  perform private.require(payment.escrow_status = 'held', 'payment.already_settled', 'booking_id');
  perform private.require(
    now() < private.confirmation_from(booking) + make_interval(hours => private.rule('limits.complaint.hours')),
    case when private.confirmation_from(booking) > booking.completed_at
      then 'complaint.too_late_after_date'
      else 'complaint.too_late_after_completion' end, 'booking_id');
  complaint.payment_id := payment.id;
  complaint.giver_id := payment.payer_id;
  complaint.tasker_id := payment.payee_id;
  return complaint;
end $$;

-- Lets the tasker answer an undecided complaint once, limits the length and sets the time of the answer.
create function private.check_answer(complaint public.complaints, before public.complaints) returns public.complaints
language plpgsql set search_path = '' as $$
begin
  perform private.allow(complaint.tasker_id = auth.uid(), 'complaint.answer_not_tasker');
  perform private.require(before.answer is null, 'complaint.already_answered', 'answer');
  perform private.require(before.decision is null, 'complaint.already_decided', 'answer');
  complaint.answer := private.trimmed(complaint.answer);
  perform private.require(private.visible_length(complaint.answer) >= private.rule('limits.complaint.min'),
    'complaint.answer_too_short', 'answer');
  perform private.require(length(complaint.answer) <= private.rule('limits.complaint.max'), 'complaint.answer_too_long', 'answer');
  complaint.answered_at := now();
  return complaint;
end $$;

-- After a complaint is filed, answered or decided.
create function private.after_complaint_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    perform private.freeze_payment(new.payment_id);
    perform private.notify_complaint(new);
    perform private.hold_reviews(new.booking_id);
  else
    if old.answer is null and new.answer is not null then
      perform private.notify_answer(new);
    end if;
    if new.decided_at is distinct from old.decided_at then
      perform private.hold_reviews(new.booking_id);
    end if;
  end if;
  return null;
end $$;

create trigger after_complaint_change after insert or update on public.complaints
for each row execute function private.after_complaint_change();

-- Freezes the held money of a new complaint.
create function private.freeze_payment(payment uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.payments set escrow_status = 'frozen' where id = payment and escrow_status = 'held';
end $$;

-- Notifies all admins of a new complaint, and the tasker, unless the answer is there already (no_shows.sql).
create function private.notify_complaint(complaint public.complaints) returns void
language plpgsql set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('task', private.task_title(complaint.booking_id));
begin
  if complaint.answer is null then
    perform private.notify_person(complaint.tasker_id, 'complaint_opened',
      news || jsonb_build_object('person', private.named(complaint.giver_id)), private.booking_link(complaint.booking_id));
  end if;
  perform private.notify_admins('complaint_to_decide',
    news || jsonb_build_object('person', private.full_name(complaint.giver_id)), '/admin/complaints/' || complaint.id);
end $$;

-- Notifies the giver of the answer to the complaint.
create function private.notify_answer(complaint public.complaints) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(complaint.giver_id, 'complaint_answered', jsonb_build_object(
    'person', private.named(complaint.tasker_id), 'task', private.task_title(complaint.booking_id)),
    private.booking_link(complaint.booking_id));
end $$;

-- The title of a booking's task.
create function private.task_title(booking uuid) returns text
language sql stable set search_path = '' as $$
  select t.title from public.tasks t join public.bookings b on b.task_id = t.id where b.id = booking
$$;

-- Decides a complaint, as an admin who is neither party. Release: everything goes to the tasker, as if confirmed.
-- Refund: everything goes back to the giver. Split: the task counts for `returned_amount` dollars less, and fees,
-- refund and payout follow the fee policy on the rest. `seen`, {answered_at, lost_amount}, is the state the admin
-- saw; if the case has changed since, the decision is refused. Extra payments follow a release or a refund; with a split,
-- `return_extras` says whether they go back. Returns {payout_cents, refund_cents}.
create function public.decide_complaint(
  complaint_id uuid, decision public.complaint_decision, returned_amount numeric default null, note text default null,
  seen jsonb default null, return_extras boolean default null
) returns jsonb language plpgsql security definer set search_path = '' as $$
declare
  complaint public.complaints;
  payment public.payments;
  back numeric;
  extras record;
  news jsonb;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "decide complaints"}');
  -- The payment first, as everywhere.
  select p.* into payment from public.payments p join public.complaints c on c.payment_id = p.id
  where c.id = decide_complaint.complaint_id for no key update of p;
  select * into complaint from public.complaints c where c.id = decide_complaint.complaint_id for no key update;
  perform private.require(complaint.id is not null, 'complaint.not_found', 'complaint_id');
  perform private.allow(auth.uid() not in (complaint.giver_id, complaint.tasker_id),
    'admin.own_case', '{"matter": "on a complaint about your own booking"}');
  perform private.require(complaint.decision is null, 'complaint.already_decided', 'complaint_id');
  perform private.require(seen is null or ((seen ->> 'answered_at')::timestamptz is not distinct from complaint.answered_at
      and (seen ->> 'lost_amount')::numeric is not distinct from payment.lost_amount),
    'complaint.changed', 'complaint_id');
  perform private.require(decide_complaint.decision is not null, 'complaint.decision_required', 'decision');
  perform private.require(decide_complaint.decision = 'release' or complaint.answer is not null
    or now() >= complaint.created_at + make_interval(hours => private.rule('limits.complaint.answerHours')),
    'complaint.awaiting_answer', 'decision');
  perform private.require(coalesce(length(note), 0) <= private.rule('limits.decisionReason.max'), 'complaint.note_too_long', 'note');
  perform private.require(payment.escrow_status = 'frozen', 'payment.not_frozen', 'complaint_id');
  perform private.require(payment.open_disputes = 0, private.freeze_reason_code(payment), 'complaint_id');
  back := case decide_complaint.decision when 'release' then 0 when 'refund' then payment.amount - payment.reduction
    else round(decide_complaint.returned_amount, 2) end;
  perform private.require(decide_complaint.decision <> 'split' or (back > 0 and back < payment.amount - payment.reduction),
    'complaint.split_out_of_range', 'returned_amount');
  perform private.require(decide_complaint.decision <> 'split' or return_extras is not null
    or not exists (select from public.payments p where p.part_of = payment.id and p.escrow_status in ('held', 'frozen')),
    'complaint.extras_undecided', 'return_extras');

  update public.complaints c set decision = decide_complaint.decision, returned_amount = back,
    extras_returned = case decide_complaint.decision when 'release' then false when 'refund' then true else return_extras end,
    decision_note = nullif(private.trimmed(note), ''), decided_by = auth.uid(), decided_at = now()
  where c.id = complaint.id;
  payment := private.settle_decision(payment, back,
    case decide_complaint.decision when 'release' then 'released' else 'refunded' end::public.escrow_status);
  perform private.settle_extras(payment.id);
  select * into strict extras from private.extra_sums(payment.id);
  update public.tasks set status = 'completed', updated_at = now() where id = payment.task_id;
  news := extras.facts || jsonb_build_object('task', (select title from public.tasks where id = payment.task_id),
    'refund', payment.refund_amount + extras.refund, 'share', payment.payout_amount + extras.payout);
  perform private.notify_person(payment.payer_id,
    case decide_complaint.decision when 'split' then 'complaint_split_giver' else 'complaint_decided_giver' end,
    case decide_complaint.decision when 'split' then news || jsonb_build_object('person', private.named(payment.payee_id))
      else news - 'share' end, private.booking_link(payment.booking_id));
  perform private.notify_person(payment.payee_id,
    case decide_complaint.decision when 'split' then 'complaint_split_tasker' else 'complaint_decided_tasker' end,
    case decide_complaint.decision when 'split' then news || jsonb_build_object('person', private.named(payment.payer_id))
      else news - 'refund' end, private.booking_link(payment.booking_id));
  return jsonb_build_object('payout_cents', ((payment.payout_amount + extras.payout) * 100)::bigint,
    'refund_cents', ((payment.refund_amount + extras.refund) * 100)::bigint);
end $$;

-- Open complaints, oldest first, or decided ones, latest first. Each word of `query` must occur in the task's title or one of
-- the two names. `after_at` (created_at or decided_at) and `after_id` are those of the last row of the previous page; at most
-- 100 rows.
create function public.find_complaints(query text default '', decided boolean default false,
  after_at timestamptz default null, after_id uuid default null, max_results integer default 50)
returns setof public.complaints language plpgsql stable security definer set search_path = '' as $$
declare
  patterns constant text[] := (
    select coalesce(array_agg(private.contains_pattern(w)), '{}') from unnest(private.search_words(query)) w);
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "look through complaints"}');
  return query execute concat_ws(' ',
    'select c.* from public.complaints c where c.decision', case when decided then 'is not null' else 'is null' end,
    case when patterns <> '{}' then format('and exists (select from public.payments p join public.tasks t on t.id = p.task_id
        join private.profiles giver on giver.id = c.giver_id join private.profiles tasker on tasker.id = c.tasker_id
      where p.id = c.payment_id
        and private.search_text(concat_ws(%L, t.title, giver.full_name, tasker.full_name)) like all (%L))', E'\n', patterns)
    end,
    case when after_at is not null then format(case when decided then 'and (c.decided_at, c.id) < (%L, %L)'
      else 'and (c.created_at, c.id) > (%L, %L)' end, after_at, after_id) end,
    'order by', case when decided then 'c.decided_at desc, c.id desc' else 'c.created_at, c.id' end,
    'limit', least(greatest(coalesce(max_results, 50), 0), 100));
end $$;

-- When the time for complaints, the automatic release and reviews starts: the later of completion and the agreed end, because a
-- job can be marked complete early. Without a duration, the agreed start replaces the end. Null before completion. The twin of
-- web/lib/confirmationFrom.ts.
create function private.confirmation_from(booking public.bookings) returns timestamptz
language sql stable set search_path = '' as $$
  select case when booking.completed_at is not null then greatest(booking.completed_at, upper(booking.period),
    (select t.scheduled_date from public.tasks t where t.id = booking.task_id)) end
$$;

-- Asks the giver to confirm that the work is done, unless the payment is frozen or one of the two was missed (no_shows.sql).
create function private.notify_completion(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  starts constant timestamptz := (select scheduled_date from public.tasks where id = booking.task_id);
  news constant jsonb := jsonb_build_object(
    'person', private.named(booking.task_doer_id), 'task', private.notified_task_title(booking.task_id));
begin
  if exists (select from public.no_shows n where n.booking_id = booking.id and n.state = 'objected') then
    return;
  elsif exists (select from public.payments where booking_id = booking.id and escrow_status = 'frozen') then
    perform private.notify_person(booking.task_giver_id, 'marked_complete_on_hold', news, '/bookings');
  elsif starts > now() then
    perform private.notify_person(booking.task_giver_id, 'task_marked_complete_early',
      news || jsonb_build_object('at', starts, 'when', private.day_and_time(starts)), '/bookings');
  else
    perform private.notify_person(booking.task_giver_id, 'task_marked_complete', news, '/bookings');
  end if;
end $$;

-- Marks the request to confirm as read once nothing is left to confirm: the giver released, complained or was refunded.
create function private.mark_confirmation_notice_read(payment public.payments) returns void
language plpgsql set search_path = '' as $$
begin
  update public.notifications set read = true
  where user_id = payment.payer_id and not read and link like private.booking_link(payment.booking_id) || '%'
    and key in ('task_marked_complete', 'task_marked_complete_early', 'confirm_reminder');
end $$;

create policy "both parties read their complaints, admins all" on public.complaints for select to authenticated
using (giver_id = (select auth.uid()) or tasker_id = (select auth.uid()) or (select private.is_admin()));

create policy "givers file complaints about their payments" on public.complaints for insert to authenticated
with check (giver_id = (select auth.uid()));

create policy "taskers answer complaints about them" on public.complaints for update to authenticated
using (tasker_id = (select auth.uid())) with check (tasker_id = (select auth.uid()));

grant select, insert (booking_id, reason, photos), update (answer, answer_photos) on public.complaints to authenticated;
grant execute on function
  private.tidy_complaint(public.complaints), private.check_complaint(public.complaints),
  private.check_answer(public.complaints, public.complaints), private.lock_payment_of(uuid), private.confirmation_from(bookings)
to authenticated, service_role;
grant execute on function
  public.find_complaints(text, boolean, timestamp with time zone, uuid, integer),
  public.decide_complaint(uuid, complaint_decision, numeric, text, jsonb, boolean)
to authenticated;

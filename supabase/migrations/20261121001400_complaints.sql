-- Complaints: within 24 hours of completion the giver can say that something is wrong. The money is frozen until
-- an admin who is neither of the two decides: released, refunded, or split. The tasker may answer once; for 48 hours nothing
-- but a release is decided without that answer.

create type public.complaint_decision as enum ('release', 'refund', 'split');

create table public.complaints (
  id uuid primary key default gen_random_uuid(),
  booking_id uuid not null unique references public.bookings (id),
  payment_id uuid not null default '00000000-0000-0000-0000-000000000000' references public.payments (id), -- from the booking
  giver_id uuid not null default '00000000-0000-0000-0000-000000000000', -- from the booking
  tasker_id uuid not null default '00000000-0000-0000-0000-000000000000', -- from the booking
  reason text not null,
  answer text,
  answered_at timestamptz,
  decision public.complaint_decision,
  -- Dollars of the task's amount that go back; fees follow in proportion.
  returned_amount numeric(12, 2),
  decision_note text,
  decided_by uuid references public.profiles (id) on delete set null, -- null, and decided: by the card holder's bank
  decided_at timestamptz,
  created_at timestamptz not null default now()
);

create index complaints_open on public.complaints (created_at) where decision is null;
create index complaints_decided on public.complaints (decided_at desc) where decision is not null;
create index complaints_of_decider on public.complaints (decided_by) where decided_by is not null;
create index complaints_of_payment on public.complaints (payment_id);
create index complaints_of_giver on public.complaints (giver_id);
create index complaints_of_tasker on public.complaints (tasker_id);

-- The payment of a booking, locked, as a complaint needs it.
create function private.lock_payment_of(booking uuid) returns public.payments
language sql security definer set search_path = '' as $$
  select * from public.payments where booking_id = booking for no key update
$$;
grant execute on function private.lock_payment_of(uuid) to authenticated, service_role;

create function private.tidy_complaint() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.reason := private.trimmed(new.reason);
  return new;
end $$;
create trigger "10_tidy" before insert on public.complaints
for each row execute function private.tidy_complaint();

create trigger "11_reason_min" before insert on public.complaints for each row
when ((private.visible_length(new.reason) >= private.rule('limits.complaint.min')) is not true)
execute function private.reject('Please say what is wrong in at least 10 characters', 'reason');
create trigger "12_reason_max" before insert on public.complaints for each row
when (length(new.reason) > private.rule('limits.complaint.max'))
execute function private.reject('Reason too long', 'reason');

create function private.check_complaint() returns trigger
language plpgsql set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
begin
  -- As the caller sees it: who is no party learns nothing, not even that there is such a booking.
  select * into booking from public.bookings where id = new.booking_id;
  perform private.allow(not private.is_client() or coalesce(booking.task_giver_id = auth.uid(), false),
    'Only the task giver can complain');
  payment := private.lock_payment_of(new.booking_id);
  perform private.require(payment.id is not null, 'Only a paid booking can be complained about', 'booking_id');
  select * into booking from public.bookings where id = new.booking_id;
  perform private.require(booking.status = 'completed',
    'A complaint is possible once the task is marked complete', 'booking_id');
  perform private.require(not exists (select from public.complaints where booking_id = new.booking_id),
    'You have already complained about this booking', 'booking_id');
  perform private.require(payment.escrow_status = 'held', 'The payment was already settled', 'booking_id');
  perform private.require(now() < booking.completed_at + make_interval(hours => private.rule('limits.complaint.hours')),
    'A complaint is possible within 24 hours of completion', 'booking_id');
  new.payment_id := payment.id;
  new.giver_id := payment.payer_id;
  new.tasker_id := payment.payee_id;
  return new;
end $$;
create trigger "30_booking" before insert on public.complaints
for each row execute function private.check_complaint();

create function private.check_answer() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(new.tasker_id = auth.uid(), 'Only the tasker can answer a complaint');
  perform private.require(old.answer is null, 'This complaint is already answered', 'answer');
  perform private.require(old.decision is null, 'This complaint is already decided', 'answer');
  new.answer := private.trimmed(new.answer);
  perform private.require(private.visible_length(new.answer) >= private.rule('limits.complaint.min'),
    'Please say what happened in at least 10 characters', 'answer');
  perform private.require(length(new.answer) <= private.rule('limits.complaint.max'), 'Answer too long', 'answer');
  new.answered_at := now();
  return new;
end $$;
create trigger "31_answer" before update on public.complaints for each row
when (private.is_client() and new.answer is distinct from old.answer)
execute function private.check_answer();

-- A complaint freezes the money and is heard of by the tasker and by every admin.
create function private.follow_complaint() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  news jsonb;
begin
  news := jsonb_build_object('person', private.person_name(new.giver_id), 'task',
    (select t.title from public.tasks t join public.bookings b on b.task_id = t.id where b.id = new.booking_id));
  if tg_op = 'INSERT' then
    update public.payments set escrow_status = 'frozen' where id = new.payment_id and escrow_status = 'held';
    perform private.notify_person(new.tasker_id, 'complaint_opened', news, private.booking_link(new.booking_id));
    perform private.notify_admins('complaint_to_decide', news, '/admin/verify-users?tab=complaints');
  elsif new.answer is distinct from old.answer then
    perform private.notify_person(new.giver_id, 'complaint_answered',
      news || jsonb_build_object('person', private.person_name(new.tasker_id)), private.booking_link(new.booking_id));
  end if;
  return null;
end $$;

create trigger follow_complaint after insert or update of answer on public.complaints
for each row execute function private.follow_complaint();

-- The decision of an admin who is neither of the two. release: all to the tasker, as if confirmed; refund: all back to the giver; split: the
-- task counts as done for `returned_amount` dollars less, and fees, refund and payout follow the fee policy on
-- what is left. Answers {payout_cents, refund_cents}.
create function public.decide_complaint(
  complaint_id uuid, decision public.complaint_decision, returned_amount numeric default null, note text default null
) returns jsonb language plpgsql security definer set search_path = '' as $$
declare
  complaint public.complaints;
  payment public.payments;
  back numeric;
begin
  perform private.allow(private.is_admin(), 'Only admins can decide complaints');
  -- The payment first, as everywhere.
  select p.* into payment from public.payments p join public.complaints c on c.payment_id = p.id
  where c.id = decide_complaint.complaint_id for no key update of p;
  select * into complaint from public.complaints c where c.id = decide_complaint.complaint_id for no key update;
  perform private.require(complaint.id is not null, 'Complaint not found', 'complaint_id');
  perform private.allow(auth.uid() not in (complaint.giver_id, complaint.tasker_id),
    'Another admin decides on a complaint about your own booking');
  perform private.require(complaint.decision is null, 'This complaint is already decided', 'complaint_id');
  perform private.require(decide_complaint.decision is not null, 'A decision is required', 'decision');
  perform private.require(decide_complaint.decision = 'release' or complaint.answer is not null
    or now() >= complaint.created_at + make_interval(hours => private.rule('limits.complaint.answerHours')),
    'The tasker has 48 hours to answer; until then only a release can be decided', 'decision');
  perform private.require(coalesce(length(note), 0) <= private.rule('limits.decisionReason.max'), 'Note too long', 'note');
  perform private.require(payment.escrow_status = 'frozen', 'The payment is not frozen', 'complaint_id');
  perform private.require(payment.open_disputes = 0, private.frozen_text(payment), 'complaint_id');
  back := case decide_complaint.decision when 'release' then 0 when 'refund' then payment.amount
    else round(decide_complaint.returned_amount, 2) end;
  perform private.require(decide_complaint.decision <> 'split' or (back > 0 and back < payment.amount),
    'A split returns more than nothing and less than the task amount', 'returned_amount');

  update public.complaints c set decision = decide_complaint.decision, returned_amount = back,
    decision_note = nullif(private.trimmed(note), ''), decided_by = auth.uid(), decided_at = now()
  where c.id = complaint.id;
  if decide_complaint.decision = 'release' then
    update public.payments set released_at = now() where id = payment.id;
  end if;
  payment := private.settle_decision(payment, back,
    case decide_complaint.decision when 'release' then 'released' else 'refunded' end::public.escrow_status);
  update public.tasks set status = 'completed', updated_at = now() where id = payment.task_id;
  perform private.notify_person(payment.payer_id, 'complaint_decided_giver', jsonb_build_object(
    'task', (select title from public.tasks where id = payment.task_id), 'refund', payment.refund_amount),
    private.booking_link(payment.booking_id));
  perform private.notify_person(payment.payee_id, 'complaint_decided_tasker', jsonb_build_object(
    'task', (select title from public.tasks where id = payment.task_id), 'share', payment.payout_amount),
    private.booking_link(payment.booking_id));
  return jsonb_build_object('payout_cents', (payment.payout_amount * 100)::bigint,
    'refund_cents', (payment.refund_amount * 100)::bigint);
end $$;
grant execute on function public.decide_complaint(uuid, public.complaint_decision, numeric, text) to authenticated;

-- For admins: the complaints that wait, the oldest first, or those that are decided, the latest first; each word of the text
-- stands in the task's title or in the name of one of the two. At most 100, after `skip` others.
create function public.find_complaints(
  query text default '', decided boolean default false, max_results integer default 50, skip integer default 0
) returns setof public.complaints language plpgsql stable security definer set search_path = '' as $$
declare
  patterns constant text[] := (
    select coalesce(array_agg(private.contains_pattern(w)), '{}') from unnest(private.search_words(query)) w);
begin
  perform private.allow(private.is_admin(), 'Only admins can look through complaints');
  return query select c.* from public.complaints c
    join public.payments p on p.id = c.payment_id join public.tasks t on t.id = p.task_id
    join public.profiles giver on giver.id = c.giver_id join public.profiles tasker on tasker.id = c.tasker_id
  where (c.decision is not null) = coalesce(decided, false)
    and concat_ws(E'\n', t.title, giver.full_name, tasker.full_name) ilike all (patterns)
  order by c.decided_at desc, c.created_at, c.id
  offset greatest(coalesce(skip, 0), 0) limit least(greatest(coalesce(max_results, 50), 0), 100);
end $$;
grant execute on function public.find_complaints(text, boolean, integer, integer) to authenticated;

alter table public.complaints enable row level security;
revoke all on public.complaints from anon, authenticated;
grant select on public.complaints to authenticated;
grant insert (booking_id, reason) on public.complaints to authenticated;
grant update (answer) on public.complaints to authenticated;

create policy "both parties read their complaints, admins all" on public.complaints for select to authenticated
using (giver_id = (select auth.uid()) or tasker_id = (select auth.uid()) or (select private.is_admin()));
create policy "givers complain about what they paid" on public.complaints for insert to authenticated
with check (giver_id = (select auth.uid()));
create policy "taskers answer complaints about them" on public.complaints for update to authenticated
using (tasker_id = (select auth.uid())) with check (tasker_id = (select auth.uid()));

insert into private.notification_texts (key, title, message) values
  ('complaint_opened', 'A complaint was opened',
    '{person} says that something is wrong with "{task}". The payment is frozen until it is decided; you can answer.'),
  ('complaint_to_decide', 'A complaint to decide', '{person} complains about "{task}".'),
  ('complaint_answered', 'Your complaint was answered', '{person} answered your complaint about "{task}".'),
  ('complaint_decided_giver', 'Your complaint was decided', 'For "{task}", ${refund} goes back to you.'),
  ('complaint_decided_tasker', 'A complaint was decided', 'For "{task}", ${share} goes to you.');

-- Changes of the price after the agreement. The tasker proposes an increase with a reason, or hands in an expense with a photo of
-- its receipt; either side proposes a decrease; the other side accepts or declines. A tip is the giver's own step after the
-- release. An increase, an expense and a tip are each paid by an extra payment (extra_payments.sql) and count once that is charged.

set check_function_bodies = off;

create type public.change_kind as enum ('increase', 'decrease', 'expense', 'tip');

create type public.change_state as enum ('proposed', 'accepted', 'done', 'declined', 'withdrawn', 'lapsed');

create table public.booking_changes (
  id uuid primary key default gen_random_uuid(),
  booking_id uuid not null references public.bookings (id) on delete cascade,
  kind public.change_kind not null,
  proposed_by uuid not null references private.profiles (id),
  amount numeric(12, 2) not null check (amount > 0),
  reason text,
  photos text[] not null default '{}',
  state public.change_state not null default 'proposed',
  answer_by timestamptz not null,
  payment_id uuid unique references public.payments (id),
  created_at timestamptz not null default now(),
  answered_at timestamptz,
  done_at timestamptz,
  -- private.before_booking_change_insert() sets them; the defaults make the columns optional on insert.
  task_giver_id uuid not null default '00000000-0000-0000-0000-000000000000',
  task_doer_id uuid not null default '00000000-0000-0000-0000-000000000000'
);
alter table public.booking_changes enable row level security;

comment on table public.booking_changes is
  'Changes of a booking''s price after the agreement, and what becomes of them; only database functions write rows';
comment on column public.booking_changes.kind is
  'increase and decrease: of the agreed amount; expense: paid by the tasker for the work; tip: after the release';
comment on column public.booking_changes.proposed_by is 'The tasker or the giver';
comment on column public.booking_changes.amount is 'Dollars; of an increase or a decrease before fees';
comment on column public.booking_changes.reason is 'Why; null if not given, or after the account was deleted';
comment on column public.booking_changes.photos is
  'Names in the bucket booking-photos, by the person who proposes; of an expense the receipt';
comment on column public.booking_changes.state is
  'Where it is: '
  'new → proposed by one side, a tip → accepted; '
  'proposed → accepted when the giver accepts an increase or expense, which is then to be paid; '
  'proposed → done when a decrease is accepted; '
  'accepted → done when Stripe reports the charge; '
  'proposed | accepted → declined by the other side; '
  'proposed | accepted → withdrawn by the person who proposed; '
  'proposed | accepted → lapsed at answer_by, or when the booking''s money leaves escrow';
comment on column public.booking_changes.answer_by is 'When it lapses: without an answer, or accepted and not paid';
comment on column public.booking_changes.payment_id is 'The extra payment; null before the giver starts to pay, and of a decrease';
comment on column public.booking_changes.answered_at is 'When the other side accepted or declined; null before';
comment on column public.booking_changes.done_at is 'When it took effect: charged, or for a decrease accepted; null before';
comment on column public.booking_changes.task_giver_id is 'The booking''s giver, copied so that screens can subscribe to their person''s rows';
comment on column public.booking_changes.task_doer_id is 'The booking''s tasker, copied so that screens can subscribe to their person''s rows';

create index booking_changes_of_booking on public.booking_changes (booking_id, created_at);
create index booking_changes_due on public.booking_changes (answer_by) where state in ('proposed', 'accepted');
create unique index booking_changes_one_open on public.booking_changes (booking_id, kind) where state in ('proposed', 'accepted');
create index booking_changes_of_proposer on public.booking_changes (proposed_by);

-- Before a change is added: copies the booking's two people.
create function private.before_booking_change_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  select b.task_giver_id, b.task_doer_id into strict new.task_giver_id, new.task_doer_id
  from public.bookings b where b.id = new.booking_id;
  return new;
end $$;

create trigger before_booking_change_insert before insert on public.booking_changes
for each row execute function private.before_booking_change_insert();

-- Locks the booking and the payment of a change, if the caller is one of the two people, and then the change, which it returns.
create function private.lock_change(change_id uuid) returns public.booking_changes
language plpgsql set search_path = '' as $$
declare
  found_booking constant uuid := (select c.booking_id from public.booking_changes c where c.id = lock_change.change_id);
  change public.booking_changes;
begin
  perform private.require(private.is_party(found_booking), 'change.not_found', 'change_id');
  perform private.lock_own_booking(found_booking);
  perform private.lock_payment_of(found_booking);
  select * into change from public.booking_changes c where c.id = lock_change.change_id for no key update;
  return change;
end $$;

-- Raises an error unless the booking's money is held, so that its price can change.
create function private.check_price_open(payment public.payments) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.require(payment.escrow_status = 'held', case when payment.escrow_status in ('released', 'refunded')
    then 'payment.already_settled' when payment.escrow_status = 'frozen' then private.freeze_reason_code(payment)
    else 'payment.not_held' end, 'booking_id');
end $$;

-- Dollars of a booking's changes of one kind that are open or done.
create function private.changed_amount(booking uuid, wanted public.change_kind) returns numeric
language sql stable set search_path = '' as $$
  select coalesce(sum(amount), 0) from public.booking_changes
  where booking_id = booking and kind = wanted and state in ('proposed', 'accepted', 'done')
$$;

-- Limits the amount of a change: an increase by the ceiling, a decrease by the floor, an expense by what is left of its limit.
create function private.check_change_amount(
  booking public.bookings, payment public.payments, kind public.change_kind, amount numeric
) returns void language plpgsql stable set search_path = '' as $$
declare
  price constant numeric := payment.amount - payment.reduction;
  lowest constant numeric := private.rule('limits.change.min');
  highest numeric := case kind
    when 'increase' then private.marketplace_number('pay.max') - price - private.changed_amount(booking.id, 'increase')
    when 'decrease' then price - private.marketplace_number('pay.min')
    when 'expense' then booking.expense_limit - private.changed_amount(booking.id, 'expense')
    else private.rule('limits.tip.max') end;
begin
  perform private.require(amount >= lowest, 'change.amount_too_low', 'amount', jsonb_build_object('min', lowest));
  -- PostgreSQL counts NaN as the largest number.
  perform private.require(amount <= highest, 'change.amount_too_high', 'amount', jsonb_build_object('max', greatest(highest, 0)));
  perform private.require(amount = round(amount, 2), 'change.amount_too_precise', 'amount');
end $$;

-- Proposes a change as one side of a booking under way. Returns its id.
create function public.propose_change(
  booking_id uuid, kind public.change_kind, amount numeric, reason text default null, photos text[] default '{}'
) returns uuid language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
  words constant text := nullif(private.trimmed(reason), '');
  made public.booking_changes;
begin
  perform private.require_active_account();
  booking := private.lock_own_booking(propose_change.booking_id);
  perform private.require(booking.id is not null, 'booking.not_found', 'booking_id');
  payment := private.lock_payment_of(booking.id);
  perform private.require(kind in ('increase', 'decrease', 'expense'), 'change.kind_invalid', 'kind');
  perform private.allow(kind = 'decrease' or auth.uid() = booking.task_doer_id, 'change.not_tasker');
  if booking.status = 'completed' and payment.escrow_status in ('released', 'refunded') then
    perform private.check_price_open(payment);
  end if;
  perform private.require(booking.status = 'in_progress', 'change.not_under_way', 'booking_id');
  perform private.check_price_open(payment);
  perform private.require(not exists (select from public.booking_changes c where c.booking_id = booking.id
    and c.kind = propose_change.kind and c.state in ('proposed', 'accepted')), 'change.one_at_a_time', 'kind');
  perform private.require((select count(*) from public.booking_changes c where c.booking_id = booking.id)
    < private.rule('limits.change.perBooking'), 'change.too_many', 'kind',
    jsonb_build_object('max', private.rule('limits.change.perBooking')));
  perform private.require(kind <> 'expense' or booking.expense_limit is not null, 'change.no_expense_limit', 'kind');
  perform private.check_change_amount(booking, payment, kind, amount);
  perform private.require(kind = 'decrease' or words is not null, 'change.reason_required', 'reason');
  perform private.require(coalesce(length(words), 0) <= private.rule('limits.change.reason'), 'change.reason_too_long', 'reason',
    jsonb_build_object('max', private.rule('limits.change.reason')));
  perform private.check_photos(coalesce(photos, '{}'), 'booking-photos', booking.id, auth.uid(), 'photos');
  perform private.require(kind <> 'expense' or cardinality(photos) > 0, 'change.receipt_required', 'photos');

  insert into public.booking_changes (booking_id, kind, proposed_by, amount, reason, photos, answer_by)
  values (booking.id, propose_change.kind, auth.uid(), propose_change.amount, words, coalesce(propose_change.photos, '{}'),
    now() + make_interval(hours => private.rule('limits.change.hours'))) returning * into made;
  perform private.notify_change(made, booking);
  perform private.schedule_tick(made.answer_by);
  return made.id;
end $$;

-- The other side's answer to a proposal, at the amount that they saw. Returns the state that follows. Harmless to repeat.
create function public.answer_change(change_id uuid, accept boolean, amount numeric default null) returns public.change_state
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
  change public.booking_changes;
begin
  change := private.lock_change(answer_change.change_id);
  select * into booking from public.bookings b where b.id = change.booking_id;
  select * into payment from public.payments p where p.booking_id = change.booking_id;
  perform private.allow(auth.uid() <> change.proposed_by, 'change.own');
  perform private.require(accept is not null, 'change.answer_required', 'accept');
  if accept and change.state in ('accepted', 'done') and change.amount = answer_change.amount
    or not accept and change.state = 'declined'
  then
    return change.state;
  end if;
  perform private.require(change.state = 'proposed' or not accept and change.state = 'accepted', 'change.not_open', 'change_id');
  if not accept then
    update public.booking_changes set state = 'declined', answered_at = now() where id = change.id returning * into change;
    perform private.close_extra_intent(change);
  else
    perform private.require_active_account();
    perform private.require(change.answer_by > now(), 'change.lapsed', 'change_id');
    perform private.check_price_open(payment);
    perform private.require(change.amount = answer_change.amount, 'change.amount_differs', 'amount',
      jsonb_build_object('price', change.amount));
    if change.kind = 'decrease' then
      perform private.reduce_payment(payment, change.amount);
    end if;
    update public.booking_changes set answered_at = now(), answer_by = now() + make_interval(hours => private.rule('limits.change.hours')),
      state = case kind when 'decrease' then 'done' else 'accepted' end::public.change_state,
      done_at = case kind when 'decrease' then now() end
    where id = change.id returning * into change;
    perform private.schedule_tick(change.answer_by);
  end if;
  perform private.notify_change(change, booking);
  return change.state;
end $$;

-- Withdraws the caller's own proposal, or a tip that is not paid. Harmless to repeat.
create function public.withdraw_change(change_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  change public.booking_changes;
begin
  change := private.lock_change(withdraw_change.change_id);
  perform private.allow(auth.uid() = change.proposed_by, 'change.not_own');
  if change.state = 'withdrawn' then
    return;
  end if;
  perform private.require(change.state in ('proposed', 'accepted'), 'change.not_open', 'change_id');
  update public.booking_changes set state = 'withdrawn' where id = change.id returning * into change;
  perform private.close_extra_intent(change);
end $$;

-- Raises how many dollars of expenses the tasker can hand in. A limit that was agreed is never lowered or removed.
create function public.set_expense_limit(booking_id uuid, amount numeric) returns void
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  lowest constant numeric := private.rule('limits.change.min');
  highest constant numeric := private.rule('limits.expenses.max');
begin
  booking := private.lock_own_booking(set_expense_limit.booking_id);
  perform private.require(booking.id is not null, 'booking.not_found', 'booking_id');
  perform private.require_active_account();
  perform private.allow(auth.uid() = booking.task_giver_id, 'change.limit_not_giver');
  perform private.require(booking.status in ('accepted', 'in_progress'), 'change.not_under_way', 'booking_id');
  if booking.expense_limit is not distinct from amount then
    return;
  end if;
  perform private.require(coalesce(amount, 0) >= coalesce(booking.expense_limit, 0), 'change.limit_lowered', 'amount',
    jsonb_build_object('limit', booking.expense_limit));
  perform private.require(amount >= lowest, 'change.limit_too_low', 'amount', jsonb_build_object('min', lowest));
  perform private.require(amount <= highest, 'change.amount_too_high', 'amount', jsonb_build_object('max', highest));
  perform private.require(amount = round(amount, 2), 'change.amount_too_precise', 'amount');
  update public.bookings set expense_limit = amount where id = booking.id;
  perform private.notify_person(booking.task_doer_id, 'expense_limit_set', jsonb_build_object('amount', round(amount, 2),
    'person', private.named(booking.task_giver_id), 'task', private.task_title(booking.id)), private.booking_link(booking.id));
end $$;

-- Ends one change that was not answered or paid in time. An intent that may still charge is closed first
-- (public.overdue_intents). Returns how many.
create function private.expire_change() returns integer
language plpgsql set search_path = '' as $$
declare
  due public.booking_changes;
begin
  select c.* into due from public.booking_changes c left join public.payments p on p.id = c.payment_id
  where c.state in ('proposed', 'accepted') and c.answer_by <= now()
    and (p.escrow_status = 'pending' and p.stripe_payment_intent_id is not null) is not true
  order by c.id limit 1 for no key update of c skip locked;
  if not found then
    return 0;
  end if;
  update public.booking_changes set state = 'lapsed' where id = due.id returning * into due;
  perform private.notify_change(due, b) from public.bookings b where b.id = due.booking_id;
  return 1;
end $$;

-- Notifies the side that did not act of a proposal or its answer, the tasker of a paid change, and who proposed of its end.
create function private.notify_change(change public.booking_changes, booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  by_tasker constant boolean := change.proposed_by = booking.task_doer_id;
  other constant uuid := case when by_tasker then booking.task_giver_id else booking.task_doer_id end;
  event constant text := case change.state
    when 'proposed' then case change.kind when 'increase' then 'increase_proposed' when 'expense' then 'expense_submitted'
      else 'decrease_proposed' end
    when 'done' then case change.kind when 'decrease' then 'decrease_accepted' when 'tip' then 'tip_received' else 'change_paid' end
    when 'declined' then 'change_declined' when 'lapsed' then 'change_lapsed' end;
  reader constant uuid := case when change.state = 'proposed' then other
    when change.state = 'done' and change.kind <> 'decrease' then booking.task_doer_id else change.proposed_by end;
begin
  if event is null or (change.kind = 'tip' and change.state <> 'done') then
    return;
  end if;
  perform private.notify_person(reader, event, jsonb_build_object('change', change.id, 'amount', change.amount,
    'total', (select f.total from private.fees_of(change.kind::text, change.amount) f), 'task', private.task_title(booking.id),
    'person', private.named(case when reader = booking.task_doer_id then booking.task_giver_id else booking.task_doer_id end),
    'at', change.answer_by, 'when', private.day_and_time(change.answer_by)), private.booking_link(booking.id));
end $$;

-- Erases the words and photos of a deleted account's changes, and ends tips that are not paid.
create function private.erase_changes(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.booking_changes c set state = 'lapsed' from public.bookings b
  where b.id = c.booking_id and person in (b.task_giver_id, b.task_doer_id) and c.state in ('proposed', 'accepted');
  update public.booking_changes set reason = null, photos = '{}' where proposed_by = person and (reason is not null or photos <> '{}');
end $$;

create policy "both parties read changes of their price, admins all" on public.booking_changes for select to authenticated
using (private.is_party(booking_id) or (select private.is_admin()));

revoke all on public.booking_changes from service_role;
grant select on public.booking_changes to authenticated, service_role;
grant execute on function
  public.propose_change(uuid, public.change_kind, numeric, text, text[]), public.answer_change(uuid, boolean, numeric),
  public.withdraw_change(uuid), public.set_expense_limit(uuid, numeric)
to authenticated;

-- Lists of bookings subscribe to them.
alter publication supabase_realtime add table public.booking_changes;

-- The marketplace's values (marketplace.config.ts), one syntax for texts, and steps that tables share (1 of 4).
set check_function_bodies = off;

create function private.after_payment_update() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if old.escrow_status <> new.escrow_status then
    perform private.document_payment(new, old);
  end if;
  if (new.payout_status = 'failed' and old.payout_status <> 'failed')
    or (new.refund_status = 'failed' and old.refund_status <> 'failed')
  then
    perform private.notify_failed_transfer(new, old);
  end if;
  if old.escrow_status = 'held' and new.escrow_status = 'released' then
    perform private.settle_payment(new.id, 'release', 'released', new.payout_amount, 0, new.gst * 2);
    perform private.complete_task(new.task_id);
    perform private.notify_release(new);
  end if;
  if old.escrow_status <> new.escrow_status and new.escrow_status in ('released', 'refunded') then
    perform private.recount_parties(new);
    perform private.request_reviews(new.booking_id);
  end if;
  if old.escrow_status = 'held' and new.escrow_status <> 'held' then
    perform private.mark_confirmation_notice_read(new);
  end if;
  return null;
end $$;

create function private.before_audit_entry_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(private.is_erasing(), 'audit_log.append_only');
  return coalesce(new, old);
end $$;

create function private.before_payment_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require_active_account();
  return new;
end $$;

create function private.before_payment_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    new := private.check_release(new, old);
  else
    new := private.stamp_payment(new);
  end if;
  return new;
end $$;

create function private.before_report_insert() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.count_activity('reports_made');
  return new;
end $$;

create or replace function private.cancellation_fee(amount numeric, paid numeric, scheduled timestamptz, at timestamptz)
returns numeric language sql immutable set search_path = '' as $$
  select least(paid, coalesce(
    (select round(amount * percent / 100, 2)
      from jsonb_to_recordset(private.marketplace() #> '{fees,cancellation}') as step ("underHours" numeric, percent numeric)
      where scheduled - at < "underHours" * interval '1 hour' order by "underHours" limit 1),
    round(private.marketplace_number('fees.cancellationFlatCents') / 100, 2)))
$$;

create function private.check_release(payment public.payments, before public.payments) returns public.payments
language plpgsql set search_path = '' as $$
begin
  if payment.escrow_status = before.escrow_status then
    perform private.require(before.escrow_status = 'released', 'payment.unchanged', 'escrow_status');
    return before; -- a second release of the same payment changes nothing
  end if;
  perform private.require(payment.escrow_status = 'released', 'payment.only_release', 'escrow_status');
  perform private.allow(payment.payer_id = auth.uid(), 'payment.release_not_giver');
  perform private.require(before.escrow_status = 'held', case before.escrow_status
    when 'pending' then 'payment.not_held'
    when 'frozen' then private.freeze_reason_code(before)
    else 'payment.already_settled' end, 'escrow_status');
  perform private.require(
    exists (select from public.bookings where id = payment.booking_id and status = 'completed'),
    'payment.work_not_completed', 'escrow_status');
  payment.released_at := now();
  payment.updated_at := now();
  return payment;
end $$;

create function private.count_booking(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  was constant timestamptz := case when before.accepted_at is not null then before.created_at end;
  is_now constant timestamptz := case when booking.accepted_at is not null then booking.created_at end;
begin
  if was is distinct from is_now then
    insert into private.figure_changes (happened_at, kind, amount)
    select c.moment, 'bookings', c.amount from (values (was, -1), (is_now, 1)) c (moment, amount) where c.moment is not null;
  end if;
end $$;

create function private.count_entry(entry public.ledger_entries) returns void
language plpgsql set search_path = '' as $$
begin
  insert into private.figure_changes (happened_at, kind, amount)
  select entry.created_at, f.kind, f.amount from private.figures_of_entry(entry) f;
end $$;

create function private.count_new_card() returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_activity('cards_saved');
  perform private.check_at_once('cards_saved', (select count(*) from public.payment_methods where user_id = auth.uid()));
end $$;

create or replace function private.count_public_figures() returns void
language sql security definer set search_path = '' as $$
  with month as (
    select date_trunc('month', now() at time zone private.time_zone()) as ends
  ), paid as (
    select b.task_doer_id, sum(p.payout_amount) as amount
    from public.payments p join public.bookings b on b.id = p.booking_id, month
    where p.released_at >= (month.ends - interval '1 month') at time zone private.time_zone()
      and p.released_at < month.ends at time zone private.time_zone() and p.payout_status = 'sent'
    group by 1
  ), people as (
    select count(*) as active, count(*) filter (where exists (
      select from public.user_roles r where r.user_id = p.id and r.role = 'task_doer')) as taskers
    from private.profiles p where p.deleted_at is null and p.last_active > now() - interval '30 days'
  ), reviewed as (
    select avg(r.rating) as rating, count(distinct r.reviewer_id) as people
    from public.reviews r where r.visible_from <= now() and r.hidden_at is null
  )
  insert into private.public_figures as f (counted_at, active_users, tasks_completed, active_taskers, monthly_earnings, rating)
  select now(), private.rounded_down(people.active),
    (select private.rounded_down(count(*)) from public.tasks t where t.status = 'completed'),
    private.rounded_down(people.taskers),
    (select case when count(*) >= 10 then private.rounded_down(avg(paid.amount)) end from paid),
    case when reviewed.people >= 10 then floor(reviewed.rating * 10) / 10 end
  from people, reviewed
  on conflict (single) do update set counted_at = excluded.counted_at, active_users = excluded.active_users,
    tasks_completed = excluded.tasks_completed, active_taskers = excluded.active_taskers,
    monthly_earnings = excluded.monthly_earnings, rating = excluded.rating
$$;

create function private.count_sign_up(profile private.profiles, before private.profiles) returns void
language plpgsql set search_path = '' as $$
begin
  insert into private.figure_changes (happened_at, kind, amount)
  select c.moment, 'sign_ups', c.amount from (values (case when before.deleted_at is null then before.created_at end, -1),
    (case when profile.deleted_at is null then profile.created_at end, 1)) c (moment, amount)
  where c.moment is not null;
end $$;

create function private.count_task(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if before.created_at is distinct from task.created_at then
    insert into private.figure_changes (happened_at, kind, amount)
    select c.moment, 'tasks', c.amount from (values (before.created_at, -1), (task.created_at, 1)) c (moment, amount)
    where c.moment is not null;
  end if;
end $$;

create function private.count_verification(verification public.verifications, before public.verifications) returns void
language plpgsql set search_path = '' as $$
begin
  if (before.decided_at, before.terms_accepted_at)
    is not distinct from (verification.decided_at, verification.terms_accepted_at)
  then
    return;
  end if;
  insert into private.figure_changes (happened_at, kind, hours, amount)
  select c.decided_at, 'verifications', c.hours, c.amount
  from (values (before.decided_at, private.hours_to_decide(before), -1),
    (verification.decided_at, private.hours_to_decide(verification), 1)) c (decided_at, hours, amount)
  where c.hours is not null;
end $$;

create function private.currency() returns text language sql immutable set search_path = '' as $$ select 'CAD' $$;

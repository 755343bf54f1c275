-- all changes: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

create function private.after_account_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    perform private.create_profile(new);
  elsif tg_op = 'DELETE' then
    perform private.erase_exports(old.id);
    perform private.erase_photos(old.id);
    perform private.erase_shown_pictures(old.id);
  elsif old.email is distinct from new.email then
    perform private.sync_profile_email(new);
  end if;
  return null;
end $$;

create function private.after_booking_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_booking(new, old);
  if tg_op = 'INSERT' then
    perform private.notify_application(new);
    perform private.schedule_application_expiry();
  elsif tg_op = 'DELETE' then
    perform private.drop_booking_photos(old);
  elsif new.status <> old.status then
    if new.status = 'accepted' then
      perform private.assign_task(new);
      perform private.notify_acceptance(new);
      perform private.decline_waiting_applications(new.task_id);
    elsif new.status = 'rejected' then
      perform private.notify_not_chosen(new);
    elsif new.status = 'in_progress' then
      perform private.notify_start(new);
    elsif new.status = 'completed' then
      perform private.notify_completion(new);
    elsif new.status = 'cancelled' then
      perform private.reopen_task(new);
      perform private.notify_cancellation(new, old);
    elsif new.status = 'pending' then
      perform private.retract_decline_notice(new, old);
    end if;
    if old.status = 'pending' and new.status in ('rejected', 'cancelled') then
      perform private.open_request_to_everyone(new);
    end if;
    if new.status <> 'in_progress' then
      perform private.recount_party(new, old);
    end if;
    if new.status = 'accepted' then
      perform private.schedule_payment_deadline(new);
    elsif new.status = 'completed' then
      perform private.schedule_confirmation(new);
    end if;
    if new.status in ('completed', 'cancelled') then
      perform private.schedule_recount(new);
    elsif new.status = 'in_progress' then
      perform private.schedule_reminder(new);
    end if;
    -- Applications that are declined because another was accepted do not count.
    if old.status in ('pending', 'rejected') and new.status in ('accepted', 'rejected', 'pending') and not new.passed_over then
      perform private.limit_answers(new.id, new.task_giver_id);
    end if;
  end if;
  return null;
end $$;

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

create function private.after_ledger_entry_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_entry(new);
  return null;
end $$;

create function private.after_message_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.notify_message(new);
  perform private.queue_message_email(new);
  perform private.recount_response_rate(new);
  return null;
end $$;

create function private.after_message_update() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if (old.hidden_at is null) <> (new.hidden_at is null) then
    perform private.announce_hidden_message(new);
    if new.hidden_at is not null then
      perform private.forget_hidden_message(new);
    end if;
    if new.photo is not null then
      perform private.queue_file_moves();
    end if;
  end if;
  if old.read_at is null and new.read_at is not null then
    perform private.delete_message_email(new);
    perform private.mark_message_notice_read(new);
  end if;
  return null;
end $$;

create function private.after_payment_method_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.detach_card(old);
  if old.is_default then
    perform private.choose_default_card(old.user_id);
  end if;
  return null;
end $$;

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

create function private.after_payout_account_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'DELETE' then
    perform private.forget_bank(old.user_id);
  elsif new.account_status = 'active' then
    perform private.resume_payouts(new.user_id);
  end if;
  return null;
end $$;

create function private.after_profile_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and new.language is distinct from old.language then
    perform private.copy_language_to_account(new);
  end if;
  if (new.created_at, new.deleted_at) is distinct from (old.created_at, old.deleted_at) then
    perform private.count_sign_up(new, old);
  end if;
  if tg_op = 'UPDATE' then
    if new.avatar_url is distinct from old.avatar_url then
      perform private.change_profile_photo(new, old);
    end if;
    if old.deleted_at is null and new.deleted_at is not null then
      perform private.erase_emails(new.id);
      perform private.erase_push(new.id);
    end if;
    -- A change of the name or of an approval also resets verified_by_admin, and has its own notifications.
    if new.verified_by_admin <> old.verified_by_admin and new.id_verified = old.id_verified
      and new.full_name is not distinct from old.full_name
    then
      perform private.apply_admin_badge(new, old);
    end if;
    if new.deleted_at is null and lower(new.full_name) is distinct from lower(old.full_name) then
      perform private.review_new_name(new, old);
    end if;
    if new.avatar_url is distinct from old.avatar_url and new.is_verified and new.avatar_url is not null then
      perform private.notify_new_photo(new);
    end if;
    if old.deleted_at is null and new.deleted_at is not null then
      perform private.delete_customer(new.id);
      perform private.erase_receipt_names(new.id);
      perform private.withdraw_review_requests(new.id);
    end if;
    if new.avatar_url is not null and (new.hidden_for is distinct from old.hidden_for
      or new.hidden_for = 'report' and new.avatar_url is distinct from old.avatar_url)
    then
      perform private.queue_file_moves();
    end if;
    if (new.is_verified, new.verified_by_admin, new.background_checked, new.insured)
      is distinct from (old.is_verified, old.verified_by_admin, old.background_checked, old.insured)
    then
      perform private.recount_person(new.id);
    end if;
  end if;
  return null;
end $$;

create function private.after_push_subscription_insert() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.count_activity('browsers_subscribed');
  return null;
end $$;

create function private.after_review_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.publish_reviews(new);
  return null;
end $$;

create function private.after_task_address_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.limit_client('addresses_changed');
  return null;
end $$;

create function private.after_task_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_kinds(new, old);
  perform private.count_task(new, old);
  if tg_op = 'INSERT' then
    if new.status = 'asked' then
      perform private.notify_asked_tasker(new);
    end if;
    perform private.record_task_photos(new);
    if new.status = 'open' then
      perform private.schedule_task_expiry(new);
    end if;
  elsif tg_op = 'DELETE' then
    perform private.drop_task_photos(old);
  elsif tg_op = 'UPDATE' then
    if new.photos <> old.photos then
      perform private.drop_task_photos(old);
    end if;
    if new.status in ('open', 'asked') and new.status = old.status and private.is_edited(new, old) then
      perform private.notify_task_changes(new, old);
    end if;
    if old.status in ('open', 'asked') and new.status = 'cancelled' then
      perform private.decline_waiting_applications(new.id);
    end if;
    if old.status = 'asked' and new.status = 'cancelled' and new.hidden_for is null then
      perform private.notify_withdrawn_request(new, old);
    end if;
    if old.hidden_for is distinct from new.hidden_for and new.hidden_for = 'report' then
      perform private.forget_hidden_task(new);
    end if;
    if new.photos <> '{}' and (new.hidden_for is distinct from old.hidden_for
      or (new.hidden_for is not null and new.photos <> old.photos)) then
      perform private.queue_file_moves();
    end if;
    if new.photos <> old.photos then
      perform private.record_task_photos(new);
    end if;
    if new.status = 'open' and (new.status, new.scheduled_date) is distinct from (old.status, old.scheduled_date) then
      perform private.schedule_task_expiry(new);
    end if;
  end if;
  return null;
end $$;

create function private.after_user_role_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.sync_profile_role(coalesce(new.user_id, old.user_id));
  return null;
end $$;

create function private.after_verification_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_verification(new, old);
  perform private.apply_verification(new, old);
  if new.has_insurance then
    perform private.schedule_insurance_end(new);
  end if;
  perform private.notify_verification(new, old);
  if new.verification_status = 'pending' and (tg_op = 'INSERT' or old.verification_status = 'rejected')
    and cardinality(new.skills) > 0
  then
    perform private.share_skills(new);
  end if;
  return null;
end $$;

create or replace function private.amount_lines(which text, booking uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  paid public.payments;
  base numeric;
  parts record;
  kept numeric;
  -- The labels in English, for the version before.
  labels constant jsonb := '{"task": "Task amount", "task_as_decided": "Task amount, as decided", "paid": "You paid",
    "cancellation_fee": "Cancellation fee", "platform_fee": "Platform fee (%s%%)", "payout": "You receive",
    "kept": "Kept for the work, with its fees", "returned_before": "Already returned to your card", "refund": "Goes back to you"}'
    || jsonb_build_object('gst', (private.marketplace() #>> '{texts,tax}') || ' (%s%%)');
  fee constant numeric := private.marketplace_number('fees.platformPercent');
  gst constant numeric := private.marketplace_number('tax.percent');
  lines jsonb;
begin
  select * into paid from public.payments p where p.booking_id = booking;
  if which is null or paid.id is null then
    return '[]';
  elsif which = 'total' then
    lines := jsonb_build_array(jsonb_build_array('task', paid.amount), jsonb_build_array('platform_fee', paid.platform_fee, fee),
      jsonb_build_array('gst', paid.gst, gst), jsonb_build_array('paid', paid.total));
  elsif which = 'payout' then
    base := case when paid.cancellation_fee > 0 then paid.cancellation_fee else paid.amount
      - coalesce((select c.returned_amount from public.complaints c where c.booking_id = booking and c.decision is not null), 0) end;
    select * into parts from private.fees(base);
    if base <= 0 or parts.payout_amount <> paid.payout_amount then
      return '[]';
    end if;
    lines := jsonb_build_array(
      jsonb_build_array(case when paid.cancellation_fee > 0 then 'cancellation_fee' when base < paid.amount
        then 'task_as_decided' else 'task' end, base),
      jsonb_build_array('platform_fee', -parts.platform_fee, fee), jsonb_build_array('gst', -parts.gst, gst),
      jsonb_build_array('payout', parts.payout_amount));
  else
    kept := paid.total - paid.refund_amount - paid.cancellation_fee - least(paid.lost_amount, paid.total);
    if kept < 0 then
      return '[]';
    end if;
    lines := jsonb_build_array(jsonb_build_array('paid', paid.total))
      || case when paid.cancellation_fee > 0 then jsonb_build_array(jsonb_build_array('cancellation_fee', -paid.cancellation_fee)) else '[]' end
      || case when kept > 0 then jsonb_build_array(jsonb_build_array('kept', -kept)) else '[]' end
      || case when paid.lost_amount > 0 then jsonb_build_array(jsonb_build_array('returned_before', -paid.lost_amount)) else '[]' end
      || jsonb_build_array(jsonb_build_array('refund', paid.refund_amount));
  end if;
  return (select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('line', line -> 0, 'percent', line -> 2, 'amount', line -> 1,
    'label', format(labels ->> (line ->> 0), line ->> 2)))) from jsonb_array_elements(lines) line);
end $$;

create function private.announce_hidden_message(message public.messages) returns void
language plpgsql set search_path = '' as $$
begin
  perform realtime.send('{}', 'hidden', 'chat:' || message.booking_id, true);
end $$;

create function private.apply_admin_badge(profile private.profiles, before private.profiles) returns void
language plpgsql set search_path = '' as $$
begin
  if profile.verified_by_admin then
    if not before.id_verified then
      perform private.notify_person(profile.id, 'verification_approved', '{}', '/dashboard');
    end if;
  else
    perform private.review_again(profile.id);
    perform private.notify_person(profile.id, 'badge_removed', '{}', '/profile');
  end if;
end $$;

create or replace function private.apply_dispute(payment uuid, kind text, dispute jsonb, at timestamptz) returns text
language plpgsql security definer set search_path = '' as $$
declare
  disputed constant numeric := (dispute ->> 'amount')::numeric / 100;
  taken numeric;
  returned numeric;
  before public.disputes;
  known public.disputes;
begin
  if dispute ->> 'id' is null or disputed is null or dispute ->> 'status' is null then
    return 'a dispute without an id, an amount or a status';
  end if;
  perform private.lock_booking_and_payment(payment);
  select coalesce(-sum(m.cents) filter (where m.cents < 0), 0) / 100, coalesce(sum(m.cents) filter (where m.cents > 0), 0) / 100
  into taken, returned
  from (select value::text::numeric as cents
    from jsonb_path_query(dispute, '$.balance_transactions[*].amount') movement (value)) m;
  if kind = 'charge.dispute.funds_withdrawn' and taken = 0 then
    taken := disputed;
  elsif kind = 'charge.dispute.funds_reinstated' and returned = 0 then
    returned := disputed;
  end if;

  select * into before from public.disputes d where d.id = dispute ->> 'id';
  insert into public.disputes as d (id, payment_id, amount, status, reason, due_at, withdrawn, reinstated, status_at)
  values (dispute ->> 'id', payment, disputed, dispute ->> 'status', dispute ->> 'reason',
    to_timestamp((dispute #>> '{evidence_details,due_by}')::double precision), taken, returned, at)
  on conflict (id) do update set withdrawn = greatest(d.withdrawn, taken), reinstated = greatest(d.reinstated, returned);
  update public.disputes d set amount = disputed, status = dispute ->> 'status', status_at = at,
    reason = coalesce(dispute ->> 'reason', d.reason),
    due_at = coalesce(to_timestamp((dispute #>> '{evidence_details,due_by}')::double precision), d.due_at)
  where d.id = dispute ->> 'id' and (at, private.status_rank(dispute ->> 'status'), disputed)
    > (d.status_at, private.status_rank(d.status), d.amount);
  select * into strict known from public.disputes d where d.id = dispute ->> 'id';

  perform private.post_total(payment, 'dispute', known.id, known.withdrawn);
  perform private.post_total(payment, 'dispute_won', known.id, -known.reinstated);
  perform private.notify_admins_of_dispute(before, known);
  perform private.update_disputed_payment(payment);
  return case when known.status like 'warning%' then 'an inquiry: ' else 'a chargeback: ' end || known.status;
end $$;

create or replace function private.apply_outside_refund(payment uuid, refund jsonb, at timestamptz) returns text
language plpgsql security definer set search_path = '' as $$
declare
  known public.outside_refunds;
begin
  if refund ->> 'id' is null or refund ->> 'amount' is null or refund ->> 'status' is null then
    return 'a refund without an id, an amount or a status';
  end if;
  perform private.lock_booking_and_payment(payment);
  insert into public.outside_refunds as r (id, payment_id, amount, status, status_at)
  values (refund ->> 'id', payment, (refund ->> 'amount')::numeric / 100, refund ->> 'status', at)
  on conflict (id) do update set status = excluded.status, status_at = at, amount = excluded.amount
  where (at, private.status_rank(excluded.status)) > (r.status_at, private.status_rank(r.status));
  select * into strict known from public.outside_refunds r where r.id = refund ->> 'id';
  perform private.post_total(payment, 'outside_refund', known.id, known.gone);
  perform private.update_disputed_payment(payment);
  return 'a refund that was not asked for here';
end $$;

create or replace function private.apply_payment_succeeded(payment uuid, intent jsonb) returns text
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  paid public.payments;
begin
  select b.* into strict booking from public.bookings b join public.payments p on p.booking_id = b.id
  where p.id = payment for no key update of b;
  select * into strict paid from public.payments where id = payment for no key update;

  if paid.stripe_payment_intent_id is not null and paid.stripe_payment_intent_id <> intent ->> 'id' then
    return 'another payment intent pays this payment: refund this one by hand';
  elsif paid.escrow_status <> 'pending' then
    return null;
  elsif coalesce((intent ->> 'amount_received')::bigint, (intent ->> 'amount')::bigint) is distinct from paid.total * 100
      or lower(intent ->> 'currency') is distinct from lower(paid.currency) then
    return 'the amount charged is not the total of this payment';
  end if;

  update public.payments set escrow_status = 'held', held_at = now(),
    stripe_payment_intent_id = intent ->> 'id', stripe_charge_id = intent ->> 'latest_charge'
  where id = payment;
  perform private.note_failure(payment, 'charge', null);
  perform private.post_ledger(payment, 'charge', intent ->> 'id',
    jsonb_build_object('provider', paid.total, 'escrow', -paid.total));

  if booking.status = 'accepted' then
    perform private.set_actor('payment');
    update public.bookings set status = 'in_progress' where id = booking.id;
    perform private.set_actor(null);
    perform private.notify_person(paid.payer_id, 'payment_held', jsonb_build_object('amount', paid.total,
      'task', (select title from public.tasks where id = paid.task_id)), '/bookings');
  else
    perform private.settle_payment(payment, 'cancellation', 'refunded', 0, paid.total, 0);
  end if;
  perform private.apply_earlier_events(payment, intent ->> 'id');
  perform private.update_disputed_payment(payment); -- a dispute that was reported before the charge itself
  return null;
end $$;

create or replace function private.apply_refund(payment uuid, refund jsonb, at timestamptz) returns text
language plpgsql security definer set search_path = '' as $$
declare
  known public.payments;
  is_news boolean;
begin
  perform private.lock_booking_and_payment(payment);
  select * into strict known from public.payments where id = payment;
  if refund ->> 'id' = any (known.closed_refunds) then
    return null; -- its failure is already known
  elsif known.refund_amount = 0 or (refund ->> 'amount')::bigint <> known.refund_amount * 100
      or exists (select from public.outside_refunds r where r.id = refund ->> 'id')
      or (known.refund_status = 'sent' and known.stripe_refund_id <> refund ->> 'id') then
    return private.apply_outside_refund(payment, refund, at);
  end if;

  is_news := private.record_sent_refund(payment, refund ->> 'id');
  if refund ->> 'status' in ('succeeded', 'pending', 'requires_action') then
    if is_news then
      perform private.notify_refund(known, 'refund_sent', known.refund_amount);
    end if;
    return null;
  end if;
  perform private.post_ledger(payment, 'refund_returned', refund ->> 'id',
    jsonb_build_object('provider', known.refund_amount, 'giver', -known.refund_amount));
  update public.payments set refund_status = 'failed', refunded_amount = 0, refunded_at = null,
    refund_refusals = refund_refusals + 1, closed_refunds = array_append(closed_refunds, refund ->> 'id')
  where id = payment;
  perform private.note_failure(payment, 'refund', 'the refund failed', refund ->> 'failure_reason');
  perform private.notify_refund(known, 'refund_returned', known.refund_amount);
  return 'a refund came back: it must be sent another way';
end $$;

create function private.apply_verification(verification public.verifications, before public.verifications) returns void
language plpgsql set search_path = '' as $$
declare
  approved constant boolean := coalesce(verification.verification_status = 'verified', false);
  withdrawn constant boolean := private.is_withdrawn(verification, before);
begin
  update private.profiles set
    id_verified = approved,
    background_checked = coalesce(approved and verification.background_check_status = 'verified', false),
    insured = coalesce(approved and private.is_insured(verification), false),
    verified_by_admin = verified_by_admin and not withdrawn,
    verified_at = case when not withdrawn then verified_at end,
    verified_by = case when not withdrawn then verified_by end
  where id = coalesce(verification.user_id, before.user_id);
end $$;

create function private.assign_task(booking public.bookings) returns void
language sql set search_path = '' as $$
  update public.tasks set status = 'assigned', updated_at = now() where id = booking.task_id
$$;

create function private.before_account_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.delete_favourites(old.id);
  perform private.end_requests(old.id);
  perform private.erase_person(old.id);
  return old;
end $$;

create function private.before_audit_entry_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(private.is_erasing(), 'audit_log.append_only');
  return coalesce(new, old);
end $$;

create function private.before_booking_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(coalesce(length(new.message), 0) <= private.rule('limits.applicationMessage.max'),
    'booking.message_too_long', 'message');
  new := private.tidy_booking(new);
  perform private.require_active_account();
  perform private.allow(not private.is_client() or new.task_doer_id = auth.uid(), 'booking.not_own');
  perform private.allow(not private.is_client() or private.has_role('task_doer'), 'booking.only_taskers');
  perform private.limit_applications(new.task_id);
  new := private.check_application(new);
  perform private.check_booking_step(new, old);
  new := private.stamp_booking(new);
  return new;
end $$;

create function private.before_booking_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(new.agreed_amount = old.agreed_amount, 'booking.price_fixed', 'agreed_amount');
  if new.status = old.status and not private.is_erasing() then
    perform private.require(new.completion_notes is not distinct from old.completion_notes,
      'booking.notes_not_allowed', 'completion_notes');
    perform private.require(new.cancellation_reason is not distinct from old.cancellation_reason,
      'booking.cancellation_reason_not_allowed', 'cancellation_reason');
  end if;
  if new.status is distinct from old.status then
    if new.status = 'accepted' then
      perform private.require_active_account();
    end if;
    perform private.check_booking_step(new, old);
    if new.status = 'accepted' then
      new := private.check_acceptance(new);
    elsif new.status = 'in_progress' then
      new := private.check_start(new);
    elsif new.status = 'completed' then
      new := private.check_completion(new);
    end if;
  end if;
  new := private.check_completion_photos(new, old);
  if new.status is distinct from old.status then
    if new.status = 'cancelled' then
      new := private.check_cancellation(new, old);
    elsif new.status = 'pending' then
      new := private.check_undone_decline(new, old);
    end if;
    new := private.stamp_booking(new);
  end if;
  return new;
end $$;

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

create function private.before_complaint_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() and new.answer is distinct from old.answer then
    new := private.check_answer(new, old);
  end if;
  new := private.check_answer_photos(new, old);
  return new;
end $$;

create function private.before_data_export_insert() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.count_activity('exports_requested');
  return new;
end $$;

create function private.before_favourite_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(not private.is_client() or new.user_id = auth.uid(), 'favourite.not_own');
  perform private.limit_client('taskers_saved');
  perform private.require(new.tasker_id <> new.user_id and private.is_tasker(new.tasker_id),
    'favourite.not_tasker', 'tasker_id');
  perform private.require((select count(*) from public.favourites where user_id = new.user_id) < 500,
    'favourite.too_many', 'tasker_id');
  return new;
end $$;

create function private.before_file_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' or (new.bucket_id, new.owner_id, new.metadata ->> 'size')
    is distinct from (old.bucket_id, old.owner_id, old.metadata ->> 'size')
  then
    perform private.check_storage_quota(new, old);
  end if;
  return new;
end $$;

create function private.before_ledger_entry_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(false, 'ledger.append_only');
  return null;
end $$;

create function private.before_message_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  new := private.tidy_message(new);
  perform private.require(new.photo is not null or length(new.message) >= 1, 'message.empty', 'message');
  perform private.require(coalesce(length(new.message), 0) <= private.rule('limits.chatMessage.max'),
    'message.too_long', 'message');
  perform private.require_active_account();
  perform private.allow(not private.is_client() or new.sender_id = auth.uid(), 'message.not_own');
  perform private.allow(private.may_chat(new.booking_id, new.sender_id, new.receiver_id), 'message.not_allowed');
  perform private.limit_client('messages_sent');
  perform private.require(new.photo is null or private.has_uploaded_photo(new), 'message.photo_missing', 'photo');
  return new;
end $$;

create function private.before_message_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    new := private.mark_message_read(new, old);
  end if;
  return new;
end $$;

create function private.before_notification_preference_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(new.email or not private.is_required(new.kind), 'notification.required_kind', 'email');
  perform private.require(new.bell or not private.is_required(new.kind), 'notification.required_kind', 'bell');
  new := private.stamp_preference(new);
  return new;
end $$;

create function private.before_notification_update() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.read and new.subject_key is not null then
    new := private.clear_subject_key(new);
  end if;
  return new;
end $$;

create function private.before_payment_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require_active_account();
  return new;
end $$;

create function private.before_payment_method_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    perform private.count_new_card();
  end if;
  perform private.require(new.stripe_payment_method_id ~ '^pm_[A-Za-z0-9_]{1,250}$',
    'payment_method.save_failed', 'stripe_payment_method_id');
  perform private.require(coalesce(new.card_last4 ~ '^[0-9]{4}$', true), 'payment_method.last4_invalid', 'card_last4');
  perform private.require(coalesce(new.card_brand ~ '^[A-Za-z0-9_ -]{1,30}$', true),
    'payment_method.brand_unknown', 'card_brand');
  perform private.require(coalesce(new.card_exp_month between 1 and 12, true)
    and coalesce(new.card_exp_year between 2000 and 2100, true), 'payment_method.expiry_invalid', 'card_exp_month');
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

create function private.before_payout_account_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.require(coalesce(new.bank_last4 ~ '^[0-9]{1,4}$', true), 'payout_account.last4_invalid', 'bank_last4');
  perform private.require(not private.is_client() or new.bank_last4 is not null, 'payout_account.incomplete', 'bank_last4');
  if tg_op = 'INSERT' then
    perform private.require(not private.is_client() or new.account_status = 'pending',
      'payout_account.unconfirmed', 'account_status');
    if private.is_client() then
      new := private.open_payout_account(new);
    end if;
  else
    perform private.require(not private.is_client() or new.account_status in (old.account_status, 'pending'),
      'payout_account.unconfirmed', 'account_status');
    perform private.require(not private.is_client() or old.account_type = 'manual'
      or new.bank_last4 is not distinct from old.bank_last4, 'payout_account.changed_at_provider', 'bank_last4');
    if private.is_client() then
      new := private.change_payout_account(new, old);
    end if;
  end if;
  return new;
end $$;

create function private.before_profile_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() and (new.verified_by_admin, new.verification_notes, new.verified_at, new.verified_by)
    is distinct from (old.verified_by_admin, old.verification_notes, old.verified_at, old.verified_by)
  then
    new := private.check_badge_decision(new, old);
  end if;
  if new.deleted_at is null and new.id = auth.uid() then
    perform private.refuse_suspended_profile(new, old);
  end if;
  if private.is_client() then
    new := private.check_profile_owner(new, old);
  end if;
  if new.full_name is distinct from old.full_name then
    new := private.check_profile_name(new);
    if (old.id_verified or old.verified_by_admin) and lower(new.full_name) is distinct from lower(old.full_name) then
      new := private.remove_badge(new);
    end if;
  end if;
  if new.deleted_at is not null or new.id_verified or new.verified_by_admin then
    new := private.sync_verified_name(new);
  end if;
  if private.has_new_details(new, old) then
    new := private.tidy_profile(new);
    perform private.require(coalesce(length(new.phone), 0) <= private.rule('limits.phone.max'), 'profile.phone_too_long', 'phone');
    perform private.require(coalesce(length(new.city), 0) <= private.rule('limits.city.max'), 'profile.city_too_long', 'city');
    perform private.require(coalesce(length(new.bio), 0) <= private.rule('limits.bio.max'), 'profile.bio_too_long', 'bio');
    if new.avatar_url is distinct from old.avatar_url then
      perform private.require(private.is_avatar_address(new.avatar_url), 'profile.avatar_invalid', 'avatar_url');
      if private.is_client() then
        perform private.check_profile_photo(new);
      end if;
    end if;
    perform private.require(coalesce(new.experience_years, 0) between 0 and private.rule('limits.experienceYears.max'),
      'profile.experience_invalid', 'experience_years');
    perform private.require(coalesce(new.hourly_rate, 0) >= 0, 'profile.hourly_rate_too_low', 'hourly_rate');
    perform private.require(coalesce(new.hourly_rate, 0) <= private.rule('limits.hourlyRate.max'),
      'profile.hourly_rate_too_high', 'hourly_rate');
    perform private.require(new.availability_status is not null, 'profile.availability_invalid', 'availability_status');
    perform private.require(new.language = any (private.languages()), 'profile.language_unknown', 'language');
    if new.skills is distinct from old.skills then
      new := private.check_profile_skills(new);
    end if;
    if new.preferred_categories is distinct from old.preferred_categories then
      new := private.check_preferred_categories(new);
    end if;
    if new.hourly_rate is distinct from old.hourly_rate then
      new := private.round_hourly_rate(new);
    end if;
  end if;
  return new;
end $$;

create function private.before_receipt_delete() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(false, 'receipt.permanent');
  return null;
end $$;

create function private.before_report_insert() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.count_activity('reports_made');
  return new;
end $$;

create function private.before_review_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  new := private.tidy_review(new);
  perform private.require(new.rating between private.rule('limits.reviewStars.min') and private.rule('limits.reviewStars.max'),
    'review.rating_out_of_range', 'rating');
  perform private.require(coalesce(length(new.comment), 0) <= private.rule('limits.reviewComment.max'),
    'review.comment_too_long', 'comment');
  perform private.require_active_account();
  perform private.allow(not private.is_client() or new.reviewer_id = auth.uid(), 'review.not_own');
  new := private.check_reviewed_booking(new);
  return new;
end $$;

create function private.before_task_address_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  new := private.tidy_task_address(new);
  perform private.check_task_address(new);
  return new;
end $$;

create function private.before_task_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' or private.is_edited(new, old) then
    new := private.tidy_task(new);
  end if;
  if private.is_client() then
    new := private.touch_task(new);
  end if;
  if tg_op = 'INSERT' then
    new := private.hold_task(new);
    perform private.require_active_account();
    if private.is_client() then
      perform private.check_task_poster(new);
      perform private.count_new_task(new.asked_tasker_id);
    end if;
    perform private.check_asked_tasker(new);
  elsif tg_op = 'UPDATE' then
    if private.is_client() then
      if new.status = old.status then
        perform private.require_active_giver();
        perform private.limit_task_changes(new.id);
      end if;
      perform private.check_task_is_free(new, old);
      perform private.check_task_step(new, old);
    end if;
    if old.status not in ('open', 'asked') then
      new := private.hold_task(new);
    end if;
  end if;
  if tg_op = 'INSERT' or private.is_edited(new, old) then
    perform private.check_task_title(new, old);
    perform private.check_task_description(new);
    perform private.check_task_category(new);
    perform private.check_task_location(new);
    perform private.check_task_pay(new);
    perform private.check_task_tools(new);
    perform private.check_task_schedule(new, old);
    perform private.check_task_duration(new);
    new := private.check_task_photos(new, old);
    new := private.round_pay(new);
  end if;
  new := private.keep_asked_tasker(new, old);
  return new;
end $$;

create function private.before_verification_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() and tg_op = 'INSERT' then
    perform private.check_submission(new);
    new := private.stamp_submission(new);
  elsif private.is_client() and new.user_id = auth.uid() then
    perform private.check_resubmission(new, old);
    new := private.stamp_submission(new);
  elsif private.is_client() and new.user_id is distinct from auth.uid() then
    perform private.check_verification_admin(new, old);
    if new.verification_status is distinct from old.verification_status then
      new := private.check_verification_decision(new);
    end if;
  end if;
  perform private.require(new.verification_status <> 'verified' or new.id_verified,
    'verification.confirmation_required', 'id_verified');
  if tg_op = 'UPDATE' then
    new := private.stamp_verification(new, old);
  end if;
  perform private.require(new.terms_accepted, 'verification.terms_required', 'terms_accepted');
  perform private.require(new.privacy_accepted, 'verification.privacy_required', 'privacy_accepted');
  new := private.tidy_verification(new);
  perform private.require(private.visible_length(new.legal_name) >= private.rule('limits.name.min'),
    'verification.legal_name_required', 'legal_name');
  perform private.require(length(new.legal_name) <= private.rule('limits.name.max'),
    'verification.legal_name_too_long', 'legal_name');
  perform private.require(new.date_of_birth is not null, 'verification.birth_date_required', 'date_of_birth');
  perform private.require(private.is_of_age(new.date_of_birth), 'verification.too_young', 'date_of_birth');
  perform private.require(new.background_check_consent is not null,
    'verification.background_check_invalid', 'background_check_consent');
  perform private.require(new.has_insurance is not null, 'verification.insurance_invalid', 'has_insurance');
  perform private.require(new.sin_provided is not null, 'verification.sin_invalid', 'sin_provided');
  perform private.require(new.id_type in ('driver_license', 'passport', 'health_card'),
    'verification.id_type_required', 'id_type');
  perform private.require(coalesce(length(new.insurance_provider), 0) <= private.rule('limits.insuranceProvider.max')
    and coalesce(length(new.insurance_policy_number), 0) <= private.rule('limits.insurancePolicyNumber.max'),
    'verification.insurance_details_too_long', 'insurance_provider');
  perform private.require(
    coalesce(greatest(cardinality(new.skills), cardinality(new.certifications)), 0) <= private.rule('limits.verificationSkills.count')
    and coalesce(private.longest(new.skills || new.certifications), 0) <= private.rule('limits.verificationSkills.length'),
    'verification.skills_too_many', 'skills');
  new := private.confirm_age(new);
  return new;
end $$;

create or replace function private.cancellation_fee(amount numeric, paid numeric, scheduled timestamptz, at timestamptz)
returns numeric language sql immutable set search_path = '' as $$
  select least(paid, coalesce(
    (select round(amount * percent / 100, 2)
      from jsonb_to_recordset(private.marketplace() #> '{fees,cancellation}') as step ("underHours" numeric, percent numeric)
      where scheduled - at < "underHours" * interval '1 hour' order by "underHours" limit 1),
    private.marketplace_number('fees.cancellationFlatCents') / 100))
$$;

create function private.change_payout_account(account public.payout_accounts, before public.payout_accounts)
returns public.payout_accounts language plpgsql stable set search_path = '' as $$
begin
  account.stripe_account_id := before.stripe_account_id;
  account.account_type := before.account_type;
  if account.bank_last4 is distinct from before.bank_last4 then
    account.account_status := 'pending';
  end if;
  account.updated_at := now();
  return account;
end $$;

create function private.change_profile_photo(profile private.profiles, before private.profiles) returns void
language plpgsql set search_path = '' as $$
declare
  shown constant text := private.profile_photo(profile.avatar_url);
  previous constant text := private.profile_photo(before.avatar_url);
begin
  if shown is not null then
    insert into private.shown_pictures (bucket_id, name) values ('profile-photos', shown) on conflict do nothing;
  end if;
  perform private.drop_files('profile-photos', array(
    select o.name from storage.objects o
    where o.bucket_id = 'profile-photos' and o.name like profile.id || '%' and o.name is distinct from shown
      and (o.name = previous or o.created_at < now() - interval '1 hour')));
end $$;

create function private.check_acceptance(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
declare
  task public.tasks;
begin
  perform private.require(private.reserve_decision(booking.task_id),
    'task.being_decided', 'status');
  task := private.lock_task(booking.task_id);
  perform private.require(task.status in ('open', 'asked'), 'task.not_open', 'status');
  booking.period := private.task_period(task);
  perform private.require(private.tasker_is_free(booking.task_doer_id, booking.period),
    'booking.tasker_busy', 'status');
  booking.accepted_at := now();
  return booking;
end $$;

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

create function private.check_answer_photos(complaint public.complaints, before public.complaints) returns public.complaints
language plpgsql set search_path = '' as $$
begin
  complaint.photos := coalesce(complaint.photos, '{}');
  complaint.answer_photos := coalesce(complaint.answer_photos, '{}');
  if private.is_client() and complaint.answer_photos <> before.answer_photos then
    if before.answer is not null or complaint.answer is null then
      perform private.fail('photo.not_answering', 'answer_photos');
    end if;
    perform private.check_photos(complaint.answer_photos, 'booking-photos', complaint.booking_id, complaint.tasker_id, 'answer_photos');
  end if;
  return complaint;
end $$;

create function private.check_application(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
declare
  task constant public.tasks := private.lock_task(booking.task_id);
begin
  perform private.require(task.hidden_for is null, 'task.not_open', 'task_id');
  -- To everybody else a task that one tasker is asked to do is not there.
  perform private.require(task.id is not null
    and (task.status <> 'asked' or booking.task_doer_id in (task.asked_tasker_id, task.task_giver_id)), 'task.not_found', 'task_id');
  perform private.allow(task.task_giver_id <> booking.task_doer_id, 'booking.own_task');
  perform private.require(not private.has_other_application(booking.task_id, booking.task_doer_id),
    'booking.already_applied', 'task_id');
  perform private.require(task.status in ('open', 'asked'), 'task.not_open', 'task_id');
  -- A client may say which price its person saw; one that says nothing applies for the price as it stands.
  perform private.require(coalesce(booking.agreed_amount, 'NaN') in ('NaN', task.pay_amount),
    'booking.price_changed', 'agreed_amount', jsonb_build_object('price', round(task.pay_amount, 2)));
  booking.task_giver_id := task.task_giver_id;
  booking.agreed_amount := task.pay_amount;
  return booking;
end $$;

create function private.check_asked_tasker(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if task.asked_tasker_id is not null then
    if task.asked_tasker_id = task.task_giver_id then
      perform private.fail('task.asked_self', 'asked_tasker_id');
    end if;
    if not private.is_tasker(task.asked_tasker_id) then
      perform private.fail('task.asked_not_tasker', 'asked_tasker_id');
    end if;
  end if;
end $$;

create function private.check_badge_decision(profile private.profiles, before private.profiles) returns private.profiles
language plpgsql stable set search_path = '' as $$
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "change the verification of a profile"}');
  perform private.allow(profile.id <> auth.uid(), 'admin.own_case', '{"matter": "on your own verification"}');
  perform private.require(not profile.verified_by_admin or before.verified_by_admin or not exists (
      select from public.verifications v where v.user_id = profile.id and v.verification_status <> 'verified'),
    'profile.id_handed_in', 'verified_by_admin');
  profile.verified_at := case when profile.verified_by_admin then
    case when before.verified_by_admin then before.verified_at else now() end end;
  profile.verified_by := case when profile.verified_by_admin then
    case when before.verified_by_admin then before.verified_by else auth.uid() end end;
  return profile;
end $$;

create function private.check_booking_step(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  if exists (select from private.booking_transitions t
      where t.from_status is not distinct from before.status and t.to_status = booking.status
        and t.actor = private.booking_actor(booking.task_doer_id, booking.task_giver_id)) then
    return;
  end if;
  perform private.require((before.status = 'in_progress' and booking.status = 'cancelled') is not true,
    'booking.cancel_by_function', 'status');
  perform private.require(before.status is not null, 'booking.first_status_invalid', 'status');
  perform private.fail('booking.status_change_invalid', 'status', jsonb_build_object(
    'from', replace(before.status::text, '_', ' '), 'to', replace(booking.status::text, '_', ' ')),
    case when private.is_client() and auth.uid() not in (booking.task_doer_id, booking.task_giver_id)
      then '42501' else 'P0001' end);
end $$;

create function private.check_cancellation(booking public.bookings, before public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  -- The provider is asked first, or the card could be charged for a booking that is no more.
  perform private.require(before.status <> 'accepted' or not private.has_open_intent(booking.id),
    'booking.payment_started', 'payment');
  booking.cancellation_reason := nullif(private.trimmed(booking.cancellation_reason), '');
  perform private.require(coalesce(length(booking.cancellation_reason), 0) <= private.rule('limits.cancellationReason.max'),
    'booking.cancellation_reason_too_long', 'cancellation_reason');
  booking.cancelled_by := coalesce(booking.cancelled_by, auth.uid());
  booking.cancelled_at := now();
  return booking;
end $$;

create function private.check_complaint(complaint public.complaints) returns public.complaints
language plpgsql set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
begin
  -- As the caller sees it: who is no party learns nothing, not even that there is such a booking.
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

create function private.check_complaint_photos(complaint public.complaints) returns public.complaints
language plpgsql set search_path = '' as $$
begin
  complaint.photos := coalesce(complaint.photos, '{}');
  complaint.answer_photos := coalesce(complaint.answer_photos, '{}');
  perform private.check_photos(complaint.photos, 'booking-photos', complaint.booking_id, complaint.giver_id, 'photos');
  return complaint;
end $$;

create function private.check_completion(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  booking.completion_notes := nullif(private.trimmed(booking.completion_notes), '');
  perform private.require(coalesce(length(booking.completion_notes), 0) <= private.rule('limits.completionNotes.max'),
    'booking.notes_too_long', 'completion_notes');
  booking.completed_at := now();
  return booking;
end $$;

create function private.check_completion_photos(booking public.bookings, before public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  booking.completion_photos := coalesce(booking.completion_photos, '{}');
  if private.is_client() and booking.completion_photos <> before.completion_photos then
    if booking.status <> 'completed' or before.status = 'completed' then
      perform private.fail('photo.not_completing', 'completion_photos');
    end if;
    perform private.check_photos(booking.completion_photos, 'booking-photos', booking.id, booking.task_doer_id, 'completion_photos');
  end if;
  return booking;
end $$;

create function private.check_preferred_categories(profile private.profiles) returns private.profiles
language plpgsql stable set search_path = '' as $$
begin
  profile.preferred_categories := private.distinct_words(profile.preferred_categories);
  perform private.require(profile.preferred_categories <@ private.categories(), 'profile.category_unknown', 'preferred_categories');
  return profile;
end $$;

create function private.check_profile_name(profile private.profiles) returns private.profiles
language plpgsql stable set search_path = '' as $$
begin
  profile.full_name := private.written_name(profile.full_name);
  if profile.deleted_at is null then
    perform private.require_name(profile.full_name);
  end if;
  return profile;
end $$;

create function private.check_profile_owner(profile private.profiles, before private.profiles) returns private.profiles
language plpgsql stable set search_path = '' as $$
declare
  admin_columns constant text[] := array['verified_by_admin', 'verification_notes', 'verified_at', 'verified_by',
    'updated_at', 'is_verified', 'verification_level'];
begin
  perform private.allow(profile.id = auth.uid() or to_jsonb(profile) - admin_columns = to_jsonb(before) - admin_columns,
    'profile.not_own');
  profile.updated_at := now();
  if profile.last_active is distinct from before.last_active then
    profile.last_active := now();
  end if;
  return profile;
end $$;

create function private.check_profile_photo(profile private.profiles) returns void
language plpgsql stable set search_path = '' as $$
begin
  if profile.avatar_url ~* '/storage/v1/|[%\\]|/\.\.?/' and private.is_own_profile_photo(profile.id, profile.avatar_url) is not true then
    perform private.fail('photo.not_found', 'avatar_url');
  end if;
end $$;

create function private.check_profile_skills(profile private.profiles) returns private.profiles
language plpgsql stable set search_path = '' as $$
begin
  profile.skills := private.distinct_words(profile.skills);
  perform private.require(cardinality(profile.skills) <= private.rule('limits.skills.count')
    and private.longest(profile.skills) <= private.rule('limits.skills.length'),
    'profile.skills_too_many', 'skills');
  return profile;
end $$;

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
    when 'frozen' then private.frozen_code(before)
    else 'payment.already_settled' end, 'escrow_status');
  perform private.require(
    exists (select from public.bookings where id = payment.booking_id and status = 'completed'),
    'payment.work_not_completed', 'escrow_status');
  payment.released_at := now();
  payment.updated_at := now();
  return payment;
end $$;

create function private.check_resubmission(verification public.verifications, before public.verifications) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.allow(before.verification_status = 'rejected' or not private.is_admin(),
    'admin.own_case', '{"matter": "on your own verification"}');
  perform private.require(before.verification_status = 'rejected',
    'verification.already_submitted', 'user_id');
  perform private.allow(verification.id = before.id and verification.created_at = before.created_at,
    'verification.identity_fixed');
end $$;

create function private.check_reviewed_booking(review public.reviews) returns public.reviews
language plpgsql set search_path = '' as $$
declare
  not_given constant uuid := '00000000-0000-0000-0000-000000000000'; -- the columns' default
  booking constant public.bookings := private.booking_for_review(review.booking_id);
  other constant uuid := case when review.reviewer_id = booking.task_giver_id then booking.task_doer_id
    else booking.task_giver_id end;
  ends constant timestamptz := private.review_ends(review.booking_id, private.confirmation_from(booking));
begin
  perform private.allow(coalesce(review.reviewer_id in (booking.task_giver_id, booking.task_doer_id), false),
    'review.not_party');
  perform private.require(not private.has_left(other),
    'review.person_deleted', 'booking_id');
  perform private.require(booking.status = 'completed', 'review.not_completed', 'booking_id');
  perform private.require(ends < 'infinity', 'review.complaint_open', 'booking_id');
  perform private.require(now() < ends, case
    when exists (select from public.complaints where booking_id = review.booking_id)
      then 'review.too_late_after_decision'
    when private.confirmation_from(booking) > booking.completed_at
      then 'review.too_late_after_date'
    else 'review.too_late_after_completion' end, 'booking_id');
  perform private.require(not exists (select from public.reviews
    where booking_id = review.booking_id and reviewer_id = review.reviewer_id),
    'review.already_written', 'booking_id');
  perform private.require(coalesce(review.reviewee_id, not_given) in (not_given, other),
    'review.reviewee_invalid', 'reviewee_id');
  perform private.require(coalesce(review.task_id, not_given) in (not_given, booking.task_id),
    'review.task_invalid', 'task_id');
  review.task_id := booking.task_id;
  review.reviewee_id := other;
  review.visible_from := ends;
  return review;
end $$;

create function private.check_start(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  perform private.require(exists (select from public.payments p
    where p.booking_id = booking.id and p.escrow_status = 'held'), 'payment.not_held', 'status');
  booking.started_at := now();
  return booking;
end $$;

create function private.check_storage_quota(file storage.objects, before storage.objects) returns void
language plpgsql set search_path = '' as $$
declare
  quota private.storage_quotas;
  size constant numeric := coalesce((file.metadata ->> 'size')::numeric, 0);
  stored record;
begin
  -- The storage service sets the operation; SQL of an operator does not.
  if file.owner_id is null or coalesce(storage.operation(), '') = ''
    or before.bucket_id = 'hidden-' || file.bucket_id
  then
    return;
  end if;
  select * into quota from private.storage_quotas q where q.bucket_id = file.bucket_id;
  if quota.bucket_id is null then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('files of ' || file.owner_id, 0));
  -- Other issuers may use other subjects than ids of profiles.
  if file.owner_id !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' or private.is_new_account(file.owner_id::uuid, quota.new_for) then
    quota.files := least(quota.new_files, quota.files);
    quota.bytes := least(quota.new_bytes, quota.bytes);
  end if;
  select count(*) as files, coalesce(sum(o.size), 0) as bytes,
    count(*) filter (where quota.unused_files is not null and o.created_at > now() - interval '2 days'
      and not private.file_is_used(file.bucket_id, o.name)) as unused into stored
  from (select f.name, f.created_at, (f.metadata ->> 'size')::numeric as size from storage.objects f
    where f.owner_id = file.owner_id and f.bucket_id = file.bucket_id and f.id <> file.id and f.name <> file.name
      and not exists (select from private.dropped_files d where d.bucket_id = f.bucket_id and d.name = f.name)
    limit quota.files) o;
  if stored.files >= quota.files then
    perform private.fail('file.too_many', null, jsonb_build_object('count', stored.files), '42501');
  elsif stored.bytes + size > quota.bytes then
    perform private.fail('file.too_large', null, jsonb_build_object('megabytes', quota.bytes / 1024 / 1024), '42501');
  elsif stored.unused >= quota.unused_files then
    perform private.fail('file.too_many_unused', null, jsonb_build_object('count', stored.unused), '42501');
  end if;
end $$;

create function private.check_submission(verification public.verifications) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.allow(private.has_role('task_doer'), 'verification.only_taskers');
  perform private.require(not exists (select from public.verifications where user_id = verification.user_id),
    'verification.already_submitted', 'user_id');
  perform private.allow(verification.verification_status = 'pending', 'verification.not_pending');
end $$;

create function private.check_task_address(address public.task_addresses) returns void
language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(address.address) >= private.rule('limits.address.min')) is not true then
    perform private.fail('task.address_too_short', 'address');
  end if;
  if length(address.address) > private.rule('limits.address.max') then
    perform private.fail('task.address_too_long', 'address');
  end if;
end $$;

create function private.check_task_category(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if (task.category = any (private.categories())) is not true then
    perform private.fail('task.category_required', 'category');
  end if;
end $$;

create function private.check_task_description(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(task.description) >= private.rule('limits.description.min')) is not true then
    perform private.fail('task.description_too_short', 'description');
  end if;
  if length(task.description) > private.rule('limits.description.max') then
    perform private.fail('task.description_too_long', 'description');
  end if;
end $$;

create function private.check_task_duration(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if task.duration_minutes < private.rule('limits.durationMinutes.min')
    or task.duration_minutes > private.rule('limits.durationMinutes.max')
  then
    perform private.fail('task.duration_out_of_range', 'duration_minutes');
  end if;
end $$;

create function private.check_task_is_free(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if (before.status in ('open', 'asked') and task.status = before.status) is not true and private.is_edited(task, before) then
    perform private.fail(case before.status when 'assigned' then 'task.assigned' when 'completed' then 'task.completed'
      when 'cancelled' then 'task.closed' else 'task.changed_and_closed' end, 'status');
  end if;
end $$;

create function private.check_task_location(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(task.location) >= private.rule('limits.location.min')) is not true then
    perform private.fail('task.location_too_short', 'location');
  end if;
  if length(task.location) > private.rule('limits.location.max') then
    perform private.fail('task.location_too_long', 'location');
  end if;
end $$;

create function private.check_task_pay(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if (task.pay_amount > 0) is not true then
    perform private.fail('task.pay_not_positive', 'pay_amount');
  end if;
  if task.pay_amount < private.marketplace_number('pay.min') then
    perform private.fail('task.pay_too_low', 'pay_amount', jsonb_build_object('min', private.marketplace_number('pay.min')));
  end if;
  if task.pay_amount > private.marketplace_number('pay.max') then
    perform private.fail('task.pay_too_high', 'pay_amount');
  end if;
  -- Sums of JavaScript can be slightly off.
  if abs(task.pay_amount - round(task.pay_amount, 2)) >= 0.000001 then
    perform private.fail('task.pay_too_precise', 'pay_amount');
  end if;
end $$;

create function private.check_task_photos(task public.tasks, before public.tasks) returns public.tasks
language plpgsql set search_path = '' as $$
begin
  task.photos := coalesce(task.photos, '{}');
  if private.is_client() and task.photos <> '{}' and task.photos is distinct from before.photos then
    perform private.check_photos(task.photos, 'task-photos', task.task_giver_id, task.task_giver_id, 'photos');
  end if;
  return task;
end $$;

create function private.check_task_poster(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if (task.task_giver_id = auth.uid()) is not true then
    perform private.fail('task.not_own', null, '{}', '42501');
  end if;
  if (private.has_role('task_giver') or private.is_admin()) is not true then
    perform private.fail('task.only_givers', null, '{}', '42501');
  end if;
  if (task.status = 'open') is not true then
    perform private.fail('task.status_invalid', 'status');
  end if;
end $$;

create function private.check_task_schedule(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if task.scheduled_date <= '2000-01-01' or task.scheduled_date >= '2100-01-01' then
    perform private.fail('task.date_invalid', 'scheduled_date');
  end if;
  -- Clocks may differ a little; a date that passed meanwhile does not stand in the way of another change.
  if private.is_client() and task.scheduled_date <= now() - interval '5 minutes'
    and task.scheduled_date is distinct from before.scheduled_date
  then
    perform private.fail('task.date_past', 'scheduled_date');
  end if;
end $$;

create function private.check_task_step(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if task.status is not distinct from before.status then
    return;
  end if;
  if ((before.status = 'open' and task.status = 'cancelled')
    or (before.status = 'asked' and task.status in ('open', 'cancelled'))
    or (before.status = 'assigned' and task.status = 'completed' and private.task_is_released(before.id))) is not true
  then
    perform private.fail('task.status_change_invalid', 'status', jsonb_build_object('from', before.status, 'to', task.status));
  end if;
  if task.status = 'cancelled' and not private.reserve_decision(before.id) then
    perform private.fail('task.being_decided', 'status');
  end if;
end $$;

create function private.check_task_title(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if (private.visible_length(task.title) >= private.rule('limits.title.min')) is not true then
    perform private.fail('task.title_too_short', 'title');
  end if;
  if length(task.title) > private.rule('limits.title.max') then
    perform private.fail('task.title_too_long', 'title');
  end if;
  if task.title is distinct from before.title then
    if private.has_hidden_characters(task.title) then
      perform private.fail('task.title_hidden_characters', 'title');
    end if;
    if private.has_address(task.title) then
      perform private.fail('task.title_address', 'title');
    end if;
    if private.speaks_officially(task.title, false) then
      perform private.fail('task.title_official', 'title');
    end if;
  end if;
end $$;

create function private.check_task_tools(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if task.tools_provided is null then
    perform private.fail('task.tools_invalid', 'tools_provided');
  end if;
  if length(task.tools_description) > private.rule('limits.toolsDescription.max') then
    perform private.fail('task.tools_description_too_long', 'tools_description');
  end if;
end $$;

create function private.check_undone_decline(booking public.bookings, before public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  perform private.require(not before.passed_over and before.answered_at > now() - interval '10 minutes',
    'booking.undo_expired', 'status');
  perform private.require((private.lock_task(booking.task_id)).status = 'open', 'task.not_open', 'status');
  booking.answered_at := null;
  return booking;
end $$;

create function private.check_verification_admin(verification public.verifications, before public.verifications) returns void
language plpgsql stable set search_path = '' as $$
declare
  decision_columns constant text[] := array['verification_status', 'id_verified', 'background_check_status',
    'refusal_reason', 'decided_at', 'decided_by', 'updated_at'];
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "decide verifications"}');
  perform private.allow(to_jsonb(verification) - decision_columns = to_jsonb(before) - decision_columns,
    'verification.not_own');
end $$;

create function private.check_verification_decision(verification public.verifications) returns public.verifications
language plpgsql stable set search_path = '' as $$
begin
  perform private.require(verification.verification_status <> 'pending',
    'verification.resubmission_not_own', 'verification_status');
  verification.refusal_reason := nullif(private.trimmed(verification.refusal_reason), '');
  perform private.require(coalesce(length(verification.refusal_reason), 0) <= private.rule('limits.decisionReason.max'),
    'verification.reason_too_long', 'refusal_reason');
  perform private.require(verification.verification_status <> 'rejected' or verification.refusal_reason is not null,
    'verification.reason_required', 'refusal_reason');
  perform private.require(verification.verification_status <> 'verified' or private.has_identity_document(verification.user_id),
    'verification.id_missing', 'verification_status');
  if verification.verification_status <> 'rejected' then
    verification.refusal_reason := null;
  end if;
  verification.decided_at := now();
  verification.decided_by := auth.uid();
  return verification;
end $$;

create function private.choose_default_card(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.payment_methods set is_default = true where id = (select id from public.payment_methods
    where user_id = person order by created_at desc, id limit 1);
end $$;

create function private.clear_subject_key(notification public.notifications) returns public.notifications
language plpgsql immutable set search_path = '' as $$
begin
  notification.subject_key := null;
  return notification;
end $$;

create function private.close_lost_payment(payment public.payments) returns void
language plpgsql security definer set search_path = '' as $$
declare
  stage public.booking_status;
  by_bank constant boolean := exists (select from public.disputes d where d.payment_id = payment.id and d.lost > 0);
begin
  select status into strict stage from public.bookings where id = payment.booking_id;
  update public.payments set escrow_status = 'refunded', payout_amount = 0, refunded_amount = total, refunded_at = now(),
    settled_loss = lost_amount where id = payment.id;
  perform private.post_ledger(payment.id, 'dispute_lost', '',
    jsonb_build_object('escrow', payment.total, 'disputes', -payment.total));
  update public.complaints set decision = 'refund', returned_amount = payment.amount, decided_at = now(),
    decision_note = case when by_bank then 'The bank of the card holder took the payment back.'
      else 'The payment was sent back to the card.' end
  where payment_id = payment.id and decision is null;
  perform private.end_unpaid_booking(payment, stage);
  perform private.notify_parties(payment, case when by_bank then 'chargeback_lost' else 'payment_sent_back' end);
end $$;

create function private.complete_task(task uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.tasks set status = 'completed', updated_at = now() where id = task;
end $$;

create function private.confirm_age(verification public.verifications) returns public.verifications
language plpgsql immutable set search_path = '' as $$
begin
  verification.age_verified := true;
  return verification;
end $$;

create function private.copy_language_to_account(profile private.profiles) returns void
language plpgsql set search_path = '' as $$
begin
  update auth.users u
  set raw_user_meta_data = coalesce(u.raw_user_meta_data, '{}') || jsonb_build_object('language', profile.language)
  where u.id = profile.id and u.raw_user_meta_data ->> 'language' is distinct from profile.language;
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

create function private.count_kinds(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
declare
  was text[] := '{}';
  is_now text[] := '{}';
begin
  if (before.id, before.status, before.hidden_for, before.category, before.title, before.description, before.location)
    is not distinct from (task.id, task.status, task.hidden_for, task.category, task.title, task.description, task.location) then
    return;
  end if;
  if before.id is not null then
    was := private.kinds_of(before);
  end if;
  if task.id is not null then
    is_now := private.kinds_of(task);
  end if;
  if was <> is_now then
    insert into private.kind_changes (kind, amount)
    select kind, -1 from unnest(was) kind union all select kind, 1 from unnest(is_now) kind;
  end if;
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

create function private.create_profile(account auth.users) returns void
language plpgsql set search_path = '' as $$
declare
  meta jsonb := coalesce(account.raw_user_meta_data, '{}');
  -- A provider's metadata does not come from the form, whatever its keys are called.
  filled_form boolean := coalesce(account.encrypted_password, '') <> ''
    or (meta ? 'role' and coalesce(account.raw_app_meta_data ->> 'provider', 'email') in ('email', 'phone'));
  person_name text := coalesce(meta ->> 'full_name', meta ->> 'name');
  person_phone text := coalesce(nullif(private.trimmed(meta ->> 'phone'), ''), nullif(account.phone, ''));
  wanted text := meta ->> 'role';
begin
  if filled_form then
    person_name := private.written_name(person_name);
    perform private.require_name(person_name);
    perform private.require(wanted in ('task_giver', 'task_doer'), 'account.role_invalid', 'role');
  else
    person_name := private.provided_name(person_name);
    wanted := 'task_doer';
  end if;
  perform private.require(length(coalesce(account.email, '')) <= private.rule('limits.email.max'), 'account.email_too_long', 'email');
  perform private.require(
    person_phone is null or private.is_phone(person_phone), 'profile.phone_invalid', 'phone');

  insert into private.profiles (id, full_name, email, phone, language) values (account.id, person_name, account.email, person_phone,
    case when meta ->> 'language' = any (private.languages()) then meta ->> 'language' else 'en' end);
  insert into public.user_roles (user_id, role) values (account.id, wanted::public.app_role);
  if not filled_form then
    insert into private.unfinished_accounts values (account.id);
  end if;
end $$;

create function private.currency() returns text language sql immutable set search_path = '' as $$ select 'CAD' $$;

create or replace function private.day_and_time(at timestamptz) returns text language sql stable set search_path = '' as $$
  select to_char(at at time zone private.time_zone(), 'FMDay, FMMonth FMDD, FMHH12:MI a.m.')
$$;

create or replace function private.decline_waiting_applications(task uuid) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.set_actor('choice');
  update public.bookings set status = 'rejected', passed_over = true where task_id = task and status = 'pending';
  perform private.set_actor(null);
end $$;

create function private.delete_customer(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from private.payment_customers where user_id = person;
end $$;

create function private.delete_favourites(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.favourites where person in (user_id, tasker_id);
end $$;

create function private.delete_message_email(message public.messages) returns void
language plpgsql set search_path = '' as $$
begin
  delete from private.email_events
  where key = 'message_received' and person_id = message.receiver_id and booking_id = message.booking_id;
end $$;

create function private.detach_card(card public.payment_methods) returns void
language plpgsql set search_path = '' as $$
declare
  customer constant text := (select stripe_customer_id from private.payment_customers where user_id = card.user_id);
begin
  if customer is not null then
    perform private.enqueue_function('detach-payment-method', jsonb_build_object(
      'payment_method', card.stripe_payment_method_id, 'customer', customer));
  end if;
end $$;

create function private.document_payment(payment public.payments, before public.payments) returns void
language plpgsql set search_path = '' as $$
begin
  if before.escrow_status = 'pending' then
    perform private.issue_receipt(payment, 'receipt');
  end if;
  if payment.escrow_status in ('released', 'refunded') and payment.payout_amount > 0 then
    perform private.issue_receipt(payment, 'statement');
  end if;
end $$;

create function private.drop_booking_photos(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.drop_files('booking-photos', array(
    select name from storage.objects where bucket_id = 'booking-photos' and name like booking.id || '/%'));
end $$;

create function private.drop_task_photos(task public.tasks) returns void
language plpgsql set search_path = '' as $$
declare
  dropped text[];
begin
  if task.photos = '{}' then
    return;
  end if;
  select array_agg(photo) into dropped from unnest(task.photos) photo where not private.photo_is_kept('task-photos', photo);
  perform private.drop_files('task-photos',
    dropped || array(select replace(photo, '.jpg', '.small.jpg') from unnest(dropped) photo));
end $$;

create function private.earlier_syntax(template text) returns text
language sql immutable set search_path = '' as $$
  select regexp_replace(regexp_replace(replace(template, '{{clock}}', private.marketplace() #>> '{texts,clock}'),
    '\{\{(\w+), (?:money|price)\}\}', '${\1}', 'g'), '\{\{(\w+)\}\}', '{\1}', 'g')
$$;

create or replace function private.end_insurance() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due uuid;
begin
  select p.id into due from public.verifications v join public.profiles p on p.id = v.user_id
  where v.has_insurance and v.insurance_expiry_date < (now() at time zone private.time_zone())::date and p.insured
  order by p.id limit 1 for no key update of p skip locked;
  if not found then
    return 0;
  end if;
  update public.profiles set insured = false where id = due;
  return 1;
end $$;

create function private.end_requests(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = person and status = 'asked';
  update public.tasks set status = 'open', updated_at = now() where asked_tasker_id = person and status = 'asked';
end $$;

create function private.end_unpaid_booking(payment public.payments, stage public.booking_status) returns void
language plpgsql security definer set search_path = '' as $$
begin
  update public.tasks set updated_at = now(),
    status = case when stage = 'completed' then 'completed' else 'cancelled' end::public.task_status
  where id = payment.task_id and status = 'assigned';
  if stage = 'in_progress' then
    perform private.set_actor('payment');
    update public.bookings set status = 'cancelled', cancellation_reason = 'The payment was taken back.'
    where id = payment.booking_id;
    perform private.set_actor(null);
  end if;
end $$;

create function private.erase_emails(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from private.email_events where person_id = person;
  delete from private.emails where person_id = person;
  delete from private.unsubscribe_tokens where person_id = person;
  delete from private.mail_events where person_id = person;
  delete from private.suppressed_addresses where id = person;
  delete from public.notification_preferences where user_id = person;
end $$;

create function private.erase_exports(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.data_exports where user_id = person;
end $$;

create or replace function private.erase_name(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  names constant text[] := (select array_remove(array[p.full_name, private.public_name(p.full_name), p.verified_name,
    private.public_name(p.verified_name), (select v.legal_name from public.verifications v where v.user_id = p.id)], null) from private.profiles p where p.id = person);
  nobody constant text := 'Deleted user';
  others constant uuid[] := array(
    select task_giver_id from public.bookings where task_doer_id = person
    union select task_doer_id from public.bookings where task_giver_id = person
    union select asked_tasker_id from public.tasks where task_giver_id = person
    union select task_giver_id from public.tasks where asked_tasker_id = person
    union select user_id from public.user_roles where role = 'admin');
  texts private.notification_texts;
  notice record;
  cleaned jsonb;
begin
  -- A message's words stand in the notification of it, too.
  delete from public.notifications n where n.key = 'message_received' and n.user_id = any (others) and n.params ->> 'booking' in (
    select b.id::text from public.bookings b where person in (b.task_giver_id, b.task_doer_id));
  for notice in select n.id, n.key, n.params from public.notifications n
    where n.user_id = any (others) and n.user_id <> person and exists (
      select from jsonb_each_text(n.params) p where p.value = any (names)
        or (p.key in ('person', 'name', 'before') and n.link = '/profile/' || person))
  loop
    select jsonb_object_agg(p.key, case when p.value #>> '{}' = any (names) or p.key in ('person', 'name', 'before', 'reason')
      then to_jsonb(nobody) else p.value end) into cleaned from jsonb_each(notice.params) p;
    select * into texts from private.notification_texts where key = notice.key;
    update public.notifications set params = cleaned, title = private.filled_text(texts.title, cleaned),
      message = private.filled_text(texts.message, cleaned) where id = notice.id;
  end loop;
  update private.email_events e set params = (select jsonb_object_agg(p.key,
      case when p.value #>> '{}' = any (names) then to_jsonb(nobody) else p.value end) from jsonb_each(e.params) p)
  where e.person_id = any (others) and exists (select from jsonb_each_text(e.params) p where p.value = any (names));
end $$;

create function private.erase_person(person uuid) returns void
language plpgsql set search_path = '' as $$
declare
  booking uuid;
  gone constant text := 'Removed together with the account.';
  obstacle constant text := private.deletion_obstacle(person);
begin
  perform private.require(obstacle is null, obstacle, 'id');

  -- Open work is cancelled first, so that the other parties are notified.
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = person and status = 'open';
  perform private.set_actor('schedule');
  for booking in select id from public.bookings
    where person in (task_doer_id, task_giver_id) and status in ('pending', 'accepted') order by id
  loop
    perform private.set_actor('schedule');
    update public.bookings set status = 'cancelled' where id = booking;
  end loop;
  perform private.set_actor(null);
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = person and status = 'open';

  perform private.erase_name(person);
  perform private.erase_audit(person);
  delete from public.reports where person in (author_id, reporter_id);
  -- Cards first: deleting a card detaches it at the provider.
  delete from public.payment_methods where user_id = person;
  perform private.enqueue_function('erase-account', jsonb_build_object('person', person,
    'account', (select stripe_account_id from public.payout_accounts where user_id = person and account_type <> 'manual')));

  if not exists (select from public.payments p where person in (p.payer_id, p.payee_id)) then
    delete from public.profiles where id = person;
    return;
  end if;
  delete from public.verifications where user_id = person;
  delete from public.user_roles where user_id = person;
  delete from public.suspensions where user_id = person;
  delete from public.notifications where user_id = person;
  delete from public.payment_failures where person_id = person;
  delete from public.payout_accounts where user_id = person;
  delete from private.unsubscribe_tokens where person_id = person;
  delete from public.messages m where m.sender_id = person;
  perform private.erase_task_texts(person);
  perform set_config('private.erasing', 'yes', true);
  update public.bookings set message = null, completion_notes = null
  where task_doer_id = person and (message is not null or completion_notes is not null);
  update public.bookings set cancellation_reason = null where cancelled_by = person and cancellation_reason is not null;
  update public.complaints set reason = gone where giver_id = person;
  update public.complaints set answer = gone where tasker_id = person and answer is not null;
  update public.profiles set deleted_at = now(), full_name = null, email = null, phone = null, city = null, bio = null,
    avatar_url = null, skills = '{}', preferred_categories = '{}', experience_years = null, hourly_rate = null,
    availability_status = 'unavailable', verified_by_admin = false, verification_notes = null, verified_at = null,
    verified_by = null, last_active = null
  where id = person;
  -- Also the log entries of the changes above.
  perform private.erase_audit(person);
end $$;

create function private.erase_photos(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.tasks set photos = '{}' where task_giver_id = person and photos <> '{}';
  update public.bookings set completion_photos = '{}' where task_doer_id = person and completion_photos <> '{}';
  update public.complaints set photos = '{}' where giver_id = person and photos <> '{}';
  update public.complaints set answer_photos = '{}' where tasker_id = person and answer_photos <> '{}';
  perform private.drop_files(o.bucket_id, array_agg(o.name)) from storage.objects o
  where o.owner_id = person::text or o.name like person || '/%' group by o.bucket_id;
end $$;

create function private.erase_push(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.push_subscriptions where user_id = person;
  delete from public.quiet_hours where user_id = person;
end $$;

create function private.erase_receipt_names(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.receipts set person_name = null, card_brand = null, card_last4 = null
  where person_id = person and (person_name is not null or card_last4 is not null);
  update public.receipts r set other_name = null from public.payments p
  where p.id = r.payment_id and person in (p.payer_id, p.payee_id) and r.person_id <> person and r.other_name is not null;
end $$;

create function private.erase_shown_pictures(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from private.shown_pictures where name like person || '%';
end $$;

create or replace function private.erase_task_texts(giver uuid) returns void
language sql set search_path = '' as $$
  delete from public.task_addresses a using public.tasks t where t.id = a.task_id and t.task_giver_id = giver;
  update public.tasks set description = 'Removed together with the account.', location = private.marketplace() #>> '{texts,province}', tools_description = null
  where task_giver_id = giver
$$;

create or replace function private.error_messages() returns jsonb
language sql immutable set search_path = '' as $$
  select $json${
  "account.application_forbidden": "An application may not do this for a person",
  "account.not_authenticated": "Not authenticated",
  "account.email_too_long": "Email too long",
  "account.role_invalid": "role must be task_giver or task_doer",
  "account.already_finished": "This account is finished already",
  "account.not_finished": "Finish your account first",
  "account.not_found": "There is no such account",
  "account.role_missing": "You do not have this role",
  "account.role_required": "A role is required",
  "account.last_admin": "This is the last admin: make somebody else an admin first",
  "account.only_admin": "You are the only administrator. Make somebody else one first.",
  "account.suspended": "Your account is suspended: you cannot post, apply, hire or write until this is lifted",
  "account.suspended_for_tasks": "Your account is suspended: you cannot change a task until this is lifted",
  "account.suspended_for_profile": "Your account is suspended: you cannot change your profile until this is lifted",
  "account.suspended_for_roles": "Your account is suspended: you cannot add a role until this is lifted",
  "account.suspended_for_reports": "Your account is suspended: you cannot report until this is lifted",
  "account.reauthentication_needed": "Please enter your password again to confirm that it is you.",
  "account.second_factor_required": "Enter the code of your second factor, too.",
  "account.second_factor_not_set_up": "Set up two-step verification first",
  "account.second_factor_missing": "Your account has no second factor",
  "account.email_mismatch": "Type your email exactly as it is shown",
  "account.phone_mismatch": "Type your phone number exactly as it is shown",
  "account.complaint_open": "A complaint about one of your bookings is still open. It has to be decided first.",
  "account.money_held": "Money of this account is still on its way. Please finish or cancel your bookings first.",
  "account.payout_waiting": "Money that you earned has not reached you yet. Please check your bank details under Payout first.",
  "account.money_on_its_way": "Money is still being sent to you. Please try again once it has arrived.",
  "profile.name_too_short": "Name must be at least 2 characters",
  "profile.name_too_long": "Name too long",
  "profile.name_check_mark": "Name cannot contain a check mark",
  "profile.name_hidden_characters": "Name cannot contain invisible or control characters",
  "profile.name_address": "Name cannot contain a web or e-mail address",
  "profile.name_official": "Name cannot suggest that it is Meadowlark itself",
  "profile.phone_too_long": "Phone too long",
  "profile.phone_invalid": "Invalid phone number",
  "profile.city_too_long": "City too long",
  "profile.bio_too_long": "Bio too long",
  "profile.avatar_invalid": "Avatar must be a web address",
  "profile.experience_invalid": "Experience must be a whole number of years, at least 0",
  "profile.hourly_rate_too_low": "Hourly rate must be at least 0",
  "profile.hourly_rate_too_high": "Hourly rate too high",
  "profile.availability_invalid": "Availability must be available, busy or unavailable",
  "profile.language_unknown": "Unknown language",
  "profile.not_own": "Only the person can change their own profile",
  "profile.id_handed_in": "They handed in an ID: it is that which is approved or refused",
  "profile.skills_too_many": "Too many skills, or a skill is too long",
  "profile.category_unknown": "Unknown category",
  "session.already_ended": "This device is signed out already",
  "session.missing": "This token belongs to no session",
  "recovery_code.rollback_forbidden": "A recovery code cannot be tried with Prefer: tx=rollback",
  "recovery_code.too_many_attempts": "Too many attempts. Wait five minutes before you try again.",
  "activity.new_account_daily_limit": "A new account can do this {{limit}} times a day. Please try again in {{hours}} h.",
  "activity.daily_limit": "This can be done {{limit}} times a day. Please try again in {{hours}} h.",
  "activity.new_account_hourly_limit": "A new account can do this {{limit}} times an hour. Please try again in {{minutes}} min.",
  "activity.hourly_limit": "This can be done {{limit}} times an hour. Please try again in {{minutes}} min.",
  "activity.too_many_at_once": "You can have {{limit}} of these at the same time. Please close or remove one first.",
  "admin.required": "Only admins can {{action}}",
  "admin.own_case": "Another admin decides {{matter}}",
  "admin.reason_required": "Please give a reason: the person reads it",
  "admin.reason_too_long": "Reason too long",
  "admin.filter_unknown": "Filter must be everyone, task_giver, task_doer, admin or suspended",
  "admin.kind_unknown": "Kind must be payments, payouts or refunds",
  "admin.state_unknown": "There is no such state",
  "admin.chargeback_state_unknown": "State must be to_answer, under_review, won, lost or all",
  "admin.period_unknown": "Period must be week or month",
  "suspension.admin": "An admin cannot be suspended: give them another role first",
  "suspension.already_suspended": "This person is suspended already",
  "suspension.not_suspended": "This person is not suspended",
  "suspension.cannot_become_admin": "A suspended person cannot become an admin: lift the suspension first",
  "notification.required_kind": "Payments, complaints and your account always come to the bell and by e-mail",
  "verification.only_taskers": "Only task doers can be verified",
  "verification.already_submitted": "You have already submitted your verification.",
  "verification.not_pending": "A verification is submitted as pending",
  "verification.identity_fixed": "A record keeps its identity",
  "verification.confirmation_required": "An approval needs your word that the ID shows this person",
  "verification.terms_required": "Terms must be accepted",
  "verification.privacy_required": "Privacy policy must be accepted",
  "verification.legal_name_required": "Full legal name is required",
  "verification.legal_name_too_long": "Name too long",
  "verification.birth_date_required": "Date of birth is required",
  "verification.too_young": "You must be at least 18 years old",
  "verification.background_check_invalid": "Background check consent must be true or false",
  "verification.insurance_invalid": "Insurance must be true or false",
  "verification.sin_invalid": "SIN provided must be true or false",
  "verification.id_type_required": "ID type is required",
  "verification.insurance_details_too_long": "Insurance details too long",
  "verification.skills_too_many": "Too many skills or certifications, or one is too long",
  "verification.not_own": "Only the person can change what they declared",
  "verification.resubmission_not_own": "Only the person can hand in again",
  "verification.reason_too_long": "Reason too long",
  "verification.reason_required": "A refusal needs a reason",
  "verification.id_missing": "An approval needs a picture of the ID, and none was handed in",
  "verification.being_decided": "This verification is being decided right now. Please try again.",
  "task.not_found": "Task not found",
  "task.assigned": "This task is agreed with its tasker and stays as it is",
  "task.completed": "This task is done and stays as it is",
  "task.closed": "This task is closed. You can post it again.",
  "task.changed_and_closed": "A task is changed or closed, not both at once",
  "task.being_decided": "This task is being decided right now. Please try again.",
  "task.status_change_invalid": "A task cannot go from {{from}} to {{to}}",
  "task.not_own": "You can only post tasks of your own",
  "task.only_givers": "Access Denied: Only task givers can post tasks",
  "task.status_invalid": "A new task is open",
  "task.not_open": "This task is no longer open",
  "task.title_too_short": "Title must be at least 5 characters",
  "task.title_too_long": "Title too long",
  "task.title_hidden_characters": "Title cannot contain invisible or control characters",
  "task.title_address": "Title cannot contain a web or e-mail address",
  "task.title_official": "Title cannot suggest that it comes from Meadowlark itself",
  "task.description_too_short": "Description must be at least 20 characters",
  "task.description_too_long": "Description too long",
  "task.category_required": "Category is required",
  "task.location_too_short": "Location must be at least 3 characters",
  "task.location_too_long": "Location too long",
  "task.pay_not_positive": "Pay amount must be positive",
  "task.pay_too_low": "Pay amount must be at least {{min, price}}",
  "task.pay_too_high": "Pay amount too high",
  "task.pay_too_precise": "Pay amount can have two decimals at most",
  "task.tools_invalid": "Tools provided must be true or false",
  "task.tools_description_too_long": "Tools description too long",
  "task.date_invalid": "Scheduled date is not a usable date",
  "task.date_past": "Scheduled date must be in the future",
  "task.duration_out_of_range": "Duration must be between 1 minute and 7 days",
  "task.address_too_short": "Address must be at least 3 characters",
  "task.address_too_long": "Address too long",
  "task.asked_self": "You cannot ask yourself",
  "task.asked_not_tasker": "Only a tasker can be asked",
  "task.no_longer_asked": "You are not asked to do this task any more",
  "task.asked_has_applied": "You have applied to this task. Withdraw your application instead.",
  "booking.not_found": "Booking not found",
  "booking.message_too_long": "Message too long (max 1000 characters)",
  "booking.not_own": "You can only apply for yourself",
  "booking.only_taskers": "Access Denied: Only task doers can apply to tasks",
  "booking.own_task": "You cannot apply to your own task",
  "booking.already_applied": "You have already applied to this task",
  "booking.price_changed": "The price of this task is now {{price, price}}. Please look at it again before you apply.",
  "booking.price_fixed": "The price of a booking stays as it was agreed",
  "booking.notes_not_allowed": "Completion notes are given when the task is marked complete",
  "booking.notes_too_long": "Completion notes too long",
  "booking.cancellation_reason_not_allowed": "A reason is given when the booking is cancelled",
  "booking.cancellation_reason_too_long": "Reason too long",
  "booking.cancel_by_function": "A paid booking is cancelled through handle-cancellation",
  "booking.payment_started": "The payment of this booking was started: it is cancelled through handle-cancellation",
  "booking.first_status_invalid": "An application starts as pending",
  "booking.status_change_invalid": "You cannot change this booking from {{from}} to {{to}}",
  "booking.tasker_busy": "This tasker already has a booking at that time",
  "booking.undo_expired": "A decline can be taken back for 10 minutes",
  "booking.not_cancellable": "This booking can no longer be cancelled",
  "booking.cancellation_failed": "Cancellation Failed",
  "payment.not_found": "Payment not found",
  "payment.not_held": "The payment is not held yet",
  "payment.frozen_by_chargeback": "The payment is frozen until the bank has decided on a chargeback",
  "payment.frozen_by_loss": "A part of the payment was taken back: it is frozen until an administrator has decided",
  "payment.frozen_by_complaint": "The payment is frozen until a complaint is decided",
  "payment.not_frozen": "The payment is not frozen",
  "payment.unchanged": "Nothing to change on this payment",
  "payment.only_release": "A payment can only be released",
  "payment.release_not_giver": "Only the task giver can release the payment",
  "payment.already_settled": "The payment was already settled",
  "payment.work_not_completed": "The payment can be released once the tasker has marked the task complete",
  "payment.not_giver": "Only the task giver can pay for a booking",
  "payment.already_paid": "This booking is already paid",
  "payment.booking_not_accepted": "Only an accepted booking can be paid",
  "payment.intent_id_required": "payment_intent_id is required",
  "payment.other_intent": "This payment has another payment intent",
  "payment.intent_not_ended": "A payment intent that has ended has an id and a status",
  "payment.nothing_to_decide": "Nothing is to be decided about this payment",
  "payment.decision_required": "A decision is required",
  "payment.complaint_open": "Decide the complaint about this booking: it settles the payment, too",
  "payment.not_splittable": "Only done work that is not paid out yet can be split",
  "payment.split_out_of_range": "A split returns more than nothing and less than the task amount",
  "payment.intent_failed": "Failed to create payment intent",
  "payment.processing": "The payment is being processed right now. Please try again in a few minutes.",
  "payment.provider_unavailable": "The payment provider does not answer. Please try again in a few minutes.",
  "payment.provider_not_configured": "Failed to initialize payment system. Please try again later.",
  "payment.publishable_key_missing": "Publishable key not found",
  "ledger.append_only": "The ledger is append-only",
  "payment_method.not_found": "Card not found",
  "payment_method.save_failed": "Failed to create payment method",
  "payment_method.last4_invalid": "Only the last 4 digits of a card are kept",
  "payment_method.brand_unknown": "Unknown card brand",
  "payment_method.expiry_invalid": "Card expiry is not a date",
  "payment_method.customer_invalid": "customer_id must be a customer",
  "payout_account.last4_invalid": "Only the last 4 digits of the account are kept",
  "payout_account.incomplete": "Please fill in all bank account fields",
  "payout_account.unconfirmed": "A payout account becomes active when the payment provider confirms it",
  "payout_account.changed_at_provider": "Bank details are changed with the payment provider",
  "payout_account.only_taskers": "Only taskers are paid out",
  "payout_account.invalid": "account must be a connected account",
  "payout_account.save_failed": "The bank details could not be saved",
  "payout.transfer_id_required": "transfer_id is required",
  "payout.none_due": "This payment has no payout to record",
  "refund.none_due": "This payment has no refund to record",
  "refund.invalid": "A refund has an id, an amount and a status",
  "refund.none_to_send": "This payment has no refund to send",
  "stripe_event.invalid": "A Stripe event has an id, a type and data.object",
  "complaint.not_found": "Complaint not found",
  "complaint.reason_too_short": "Please say what is wrong in at least 10 characters",
  "complaint.reason_too_long": "Reason too long",
  "complaint.only_givers": "Only the task giver can complain",
  "complaint.not_paid": "Only a paid booking can be complained about",
  "complaint.work_not_completed": "A complaint is possible once the task is marked complete",
  "complaint.already_filed": "You have already complained about this booking",
  "complaint.too_late_after_date": "A complaint is possible within 24 hours of the agreed time",
  "complaint.too_late_after_completion": "A complaint is possible within 24 hours of completion",
  "complaint.answer_not_tasker": "Only the tasker can answer a complaint",
  "complaint.already_answered": "This complaint is already answered",
  "complaint.already_decided": "This complaint is already decided",
  "complaint.answer_too_short": "Please say what happened in at least 10 characters",
  "complaint.answer_too_long": "Answer too long",
  "complaint.changed": "This case has changed since you opened it. Please look at it again, then decide",
  "complaint.decision_required": "A decision is required",
  "complaint.awaiting_answer": "The tasker has 48 hours to answer; until then only a release can be decided",
  "complaint.note_too_long": "Note too long",
  "complaint.split_out_of_range": "A split returns more than nothing and less than the task amount",
  "review.rating_out_of_range": "Rating must be between 1 and 5",
  "review.comment_too_long": "Comment too long",
  "review.not_own": "You can only review as yourself",
  "review.not_party": "Only the two parties of a booking can review it",
  "review.person_deleted": "This person has deleted their account, so there is nobody to review any more",
  "review.not_completed": "Only a completed booking can be reviewed",
  "review.complaint_open": "A review can be written once the complaint is decided",
  "review.too_late_after_decision": "A review can be written within 14 days of the decision",
  "review.too_late_after_date": "A review can be written within 14 days of the agreed time",
  "review.too_late_after_completion": "A review can be written within 14 days of completion",
  "review.already_written": "You have already reviewed this booking",
  "review.reviewee_invalid": "You can only review the other party of the booking",
  "review.task_invalid": "The task is not that of the booking",
  "message.empty": "Message cannot be empty",
  "message.too_long": "Message too long (max 1000 characters)",
  "message.not_own": "You can only write as yourself",
  "message.not_allowed": "Messages can be sent between the two parties once a booking is accepted",
  "message.photo_missing": "The photo of a message must be uploaded first",
  "email.failure_reason_invalid": "reason must be server, later or refused",
  "email.subscribed_required": "subscribed must be true or false",
  "email.unsubscribe_link_invalid": "This link is not valid any more. Sign in to choose which e-mails you get.",
  "email.unsubscribe_failed": "You could not be unsubscribed. Please try again in a moment.",
  "mail_event.id_invalid": "event_id must have 1 to 500 characters",
  "mail_event.type_invalid": "type must be bounced or complained",
  "mail_event.cause_invalid": "cause must be address, temporary or message",
  "mail_event.address_invalid": "address must be an e-mail address",
  "push.key_invalid": "p256dh must be a public key of P-256 in base64url: 65 bytes, the first of them 4",
  "push.secret_invalid": "auth_secret must be 16 bytes in base64url",
  "push.failure_reason_invalid": "reason must be gone, later or refused",
  "push.endpoint_not_https": "endpoint must be the address of a push service: it begins with https://",
  "push.endpoint_too_long": "endpoint must be the address of a push service: at most 1000 characters",
  "push.endpoint_not_ascii": "endpoint must be the address of a push service: without spaces and letters beyond ASCII",
  "push.endpoint_port_invalid": "endpoint must be the address of a push service: at port 443",
  "push.endpoint_host_invalid": "endpoint must be the address of a push service: its host has a public name",
  "receipt.permanent": "Receipts and statements are kept",
  "photo.list_invalid": "Photos are a list of names",
  "photo.too_many": "At most {{max}} photos",
  "photo.duplicate": "Each photo can be added once",
  "photo.not_found": "A photo is not there any more. Please remove it and add it again.",
  "photo.not_completing": "Photos are added when the task is marked complete",
  "photo.not_answering": "Photos are added with the answer",
  "file.too_many": "You have stored {{count}} files here, as many as your account can. Please remove some first.",
  "file.too_large": "Your files here would take more than {{megabytes}} MB, as much as your account can store. Please remove some first.",
  "file.too_many_unused": "You have added {{count}} photos that are not used yet. Please use some of them, or try again tomorrow.",
  "search.sort_unknown": "Sort must be newest, pay or soonest",
  "search.position_incomplete": "The last tasker's rating, number of reviews and id are given together",
  "search.availability_invalid": "Availability must be available, busy or unavailable",
  "favourite.not_own": "You can only save taskers for yourself",
  "favourite.not_tasker": "Only a tasker can be saved",
  "favourite.too_many": "You can save at most 500 taskers. Remove one first.",
  "report.not_authenticated": "Please sign in to report something",
  "report.kind_invalid": "What is reported is a task, a message, a profile or a review",
  "report.reason_too_short": "Please say what is wrong in at least 10 characters",
  "report.reason_too_long": "Reason too long (max 1000 characters)",
  "report.subject_gone": "This is no longer there",
  "report.own": "This is your own",
  "report.not_found": "Report not found",
  "report.decision_required": "A decision is required",
  "report.already_hidden": "This is hidden already",
  "report.already_dismissed": "This is dismissed already",
  "report.already_reported": "You have already reported this",
  "report.daily_limit": "You have reported 10 things within a day. Please try again tomorrow.",
  "audit_log.append_only": "The audit log is append-only",
  "data_export.daily_limit": "You can request your data once a day. Please try again tomorrow.",
  "data_export.failed": "The export could not be put together",
  "service.database_unavailable": "The database cannot be reached just now; try again in a moment"
}$json$::jsonb
$$;

create or replace function private.events_of_email(email uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_agg(jsonb_build_object('key', e.key, 'kind', t.kind, 'required', k.required, 'title', private.earlier_syntax(t.title),
      'message', private.earlier_syntax(t.message), 'subject', private.earlier_syntax(s.subject), 'button', t.button,
      'texts', jsonb_build_object('title', t.title, 'message', t.message, 'subject', s.subject, 'button', t.button),
      'params', e.params, 'link', e.link, 'amounts', e.amounts,
      'receipt', (select jsonb_build_object('kind', r.kind, 'number', r.number, 'link', '/receipt/' || r.id)
        from public.receipts r join public.payments p on p.id = r.payment_id
        where p.booking_id = e.booking_id and r.person_id = e.person_id and r.kind
          = case t.amounts when 'payout' then 'statement' when 'total' then 'receipt' when 'refund' then 'receipt' end::public.receipt_kind),
      'messages', case when e.key = 'message_received' then private.unread_messages(e.person_id, e.booking_id) end)
    order by t.kind <> 'payments', t.kind <> 'complaints', e.id)
  from private.email_events e join private.notification_texts t on t.key = e.key
  join private.notification_kinds k on k.kind = t.kind
  cross join lateral (
    select coalesce(t.subject, case when e.params ? 'task' then t.title || ': "{{task}}"' else t.title end) as subject) s
  where e.email_id = email
$$;

create or replace function private.fail(
  code text, field text default null, params jsonb default '{}', status text default 'P0001'
) returns void
language plpgsql stable set search_path = '' as $$
declare
  text_of_code text := private.filled_text(private.error_messages() ->> code, params);
  facts constant text := jsonb_build_object('code', code, 'params', params);
begin
  if text_of_code is null then
    raise exception using errcode = 'XX000', message = format('There is no error %s', code);
  end if;
  -- RAISE refuses null as a hint.
  if field is null then
    raise exception using errcode = status, message = text_of_code, detail = facts;
  end if;
  raise exception using errcode = status, message = text_of_code, detail = facts, hint = field;
end $$;

create or replace function private.fees(amount numeric)
returns table (platform_fee numeric, gst numeric, total numeric, payout_amount numeric)
language sql immutable set search_path = '' as $$
  select fee, tax, amount + fee + tax, amount - fee - tax
  from (select round(amount * private.marketplace_number('fees.platformPercent') / 100, 2) as fee,
    round(amount * private.marketplace_number('tax.percent') / 100, 2) as tax) as parts
$$;

create function private.filled_text(template text, params jsonb) returns text
language sql immutable set search_path = '' as $$
  select string_agg(part[1] || case when part[3] is null then '' else '$' end
    || coalesce(params ->> part[2], private.marketplace() #>> array['texts', part[2]], ''), '' order by nth)
  from regexp_matches(template, '(.*?)(?:\{\{(\w+)(, (?:money|price))?\}\}|$)', 'g') with ordinality as parts (part, nth)
$$;

create function private.forget_bank(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.payouts set bank_last4 = null where user_id = person;
end $$;

create function private.forget_hidden_message(message public.messages) returns void
language plpgsql set search_path = '' as $$
declare
  words constant text := coalesce(nullif(left(message.message, 120), ''), 'Photo');
begin
  perform private.refill_notification(n.id, '{"text": "Removed message"}') from public.notifications n
  where n.user_id = message.receiver_id and n.key = 'message_received' and n.params ->> 'booking' = message.booking_id::text
    and n.params ->> 'text' = words;
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and s.user_id = message.receiver_id and m.key = 'message_received'
    and m.params ->> 'booking' = message.booking_id::text and m.params ->> 'text' = words;
end $$;

create function private.forget_hidden_task(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.refill_notification(n.id, '{"task": "Removed task"}') from public.notifications n
  where n.params ? 'task' and (n.link = '/task/' || task.id or n.params ->> 'task' = task.title)
    and private.was_offered(n.user_id, n.link, n.params, task);
  delete from private.email_events e
  where e.params ? 'task' and private.was_offered(e.person_id, e.link, e.params, task);
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and m.params ? 'task' and private.was_offered(s.user_id, m.link, m.params, task);
end $$;

create or replace function private.found_tasks(
  query text, category text, wanted integer, location text, min_pay numeric, max_pay numeric, sort text, skipped integer,
  first_day date, last_day date
) returns uuid[] language plpgsql stable security definer set search_path = '' as $$
declare
  place constant text := nullif(private.trimmed(location), '');
  patterns text[] := (select coalesce(array_agg(private.contains_pattern(w)), '{}') from unnest(private.search_words(query)) w);
  ordered constant text := case sort when 'newest' then 'created_at desc, id'
    when 'pay' then 'pay_amount desc, created_at desc, id' when 'soonest' then 'scheduled_date, created_at desc, id' end;
  kind record;
  narrowed text;
  named text;
  indexed boolean;
  horizon integer;
  found_ids uuid[];
begin
  perform private.require(ordered is not null, 'search.sort_unknown', 'sort');
  select * into kind from private.category_condition(category);
  -- Days are those of the marketplace's clock. A task that suits at any time has none.
  narrowed := concat_ws(' and ', 'true', kind.exact,
    'pay_amount >= ' || quote_literal(min_pay), 'pay_amount <= ' || quote_literal(max_pay),
    'scheduled_date >= ' || quote_literal(first_day::timestamp at time zone private.time_zone()),
    'scheduled_date < ' || quote_literal((last_day + 1)::timestamp at time zone private.time_zone()));
  if place is not null then
    patterns := patterns || private.contains_pattern(place);
  end if;
  select concat_ws(' and ', string_agg('words ilike ' || quote_literal(p), ' and '),
    'location ilike ' || quote_literal(private.contains_pattern(place)), kind.named),
    coalesce(bool_or(p ~ '[[:alnum:]]{3}'), false) or kind.named is not null
    into named, indexed from unnest(patterns) p;

  if named = '' then
    execute format('select array_agg(id) from (select id from private.open_tasks where %s order by %s offset %s limit %s) t',
      narrowed, ordered, skipped, wanted) into found_ids;
  else
    -- What is common is found among the first tasks in that order; what is not found there is rare, and an index has it.
    foreach horizon in array case when indexed then array[2000, 10000] else array[20000] end loop
      execute format('select array_agg(id) from (select id from (select * from private.open_tasks where %1$s order by %2$s
        limit %3$s) first where %4$s order by %2$s offset %5$s limit %6$s) t', narrowed, ordered, horizon, named, skipped, wanted)
        into found_ids;
      -- Five times as far only where that is likely to do: the index is quick about what is rarer.
      exit when coalesce(cardinality(found_ids), 0) >= wanted or coalesce(cardinality(found_ids), 0) * 4 < wanted;
    end loop;
    if indexed and coalesce(cardinality(found_ids), 0) < wanted then
      execute format('with named as materialized (
          select id, pay_amount, scheduled_date, created_at from private.open_tasks where %1$s and %2$s)
        select array_agg(id) from (select id from named order by %3$s offset %4$s limit %5$s) t',
        narrowed, named, ordered, skipped, wanted) into found_ids;
    end if;
  end if;
  return coalesce(found_ids, '{}');
end $$;

create function private.freeze_payment(payment uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.payments set escrow_status = 'frozen' where id = payment and escrow_status = 'held';
end $$;

create or replace function private.gather_emails(max_people integer) returns void
language plpgsql security definer set search_path = '' as $$
declare
  person uuid;
  events bigint[];
  email uuid;
begin
  -- An e-mail after a week is news no more; it could not be sent because there was no mail server.
  delete from private.email_events where email_id is null and due_at < now() - interval '7 days';
  delete from private.emails where status <> 'waiting' and created_at < now() - interval '30 days';
  for person in select e.person_id from private.email_events e where e.email_id is null and e.due_at <= now()
    group by e.person_id order by min(e.due_at) limit max_people
  loop
    -- Who gathers the same person's events at this moment has them locked.
    select array_agg(w.id) into events from (
      select e.id from private.email_events e where e.person_id = person and e.email_id is null
        and (e.key <> 'message_received' or e.due_at <= now()) order by e.id for update skip locked) w;
    delete from private.email_events e using private.notification_texts t
    where e.id = any (events) and t.key = e.key and (private.email_address(person) is null
      or not private.wants_email(person, t.kind) or private.is_outdated(e));
    if exists (select from private.email_events e where e.id = any (events)) then
      insert into private.emails (person_id) values (person) returning id into email;
      update private.email_events set email_id = email where id = any (events);
    end if;
  end loop;
end $$;

create or replace function private.give_up_effect(effect_id bigint, reason text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  effect jsonb;
  due public.payments;
begin
  perform pgmq.archive('effects', effect_id);
  insert into private.failed_effects (id, error, given_up_at) values (effect_id, left(reason, 1000), now())
  on conflict (id) do update set error = excluded.error, failed_at = now(), given_up_at = now();
  select a.message into effect from pgmq.a_effects a where a.msg_id = effect_id;
  if effect ->> 'function' not in ('refund-payment', 'release-payout') then
    return;
  end if;
  select p.* into due from public.payments p where p.id = (effect #>> '{body,payment_id}')::uuid and p.open_disputes = 0;
  if effect ->> 'function' = 'refund-payment' and due.refund_status in ('queued', 'failed') then
    perform private.notify_refund(due, 'refund_given_up', due.refund_amount);
  elsif effect ->> 'function' = 'release-payout' and due.payout_status in ('queued', 'failed') then
    update public.payment_failures f set given_up = true where f.payment_id = due.id and f.step = 'payout';
    perform private.notify_person(due.payee_id, 'payout_given_up', jsonb_build_object('amount', due.payout_amount,
      'task', (select title from public.tasks where id = due.task_id),
      'reason', private.reason_of_given_up_payout((select f.code from public.payment_failures f
        where f.payment_id = due.id and f.step = 'payout'))), '/profile?tab=payout');
  end if;
end $$;

create function private.has_new_details(profile private.profiles, before private.profiles) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return (profile.phone, profile.city, profile.bio, profile.avatar_url, profile.experience_years, profile.hourly_rate,
      profile.availability_status, profile.language, profile.skills, profile.preferred_categories)
    is distinct from (before.phone, before.city, before.bio, before.avatar_url, before.experience_years, before.hourly_rate,
      before.availability_status, before.language, before.skills, before.preferred_categories);
end $$;

create function private.has_uploaded_photo(message public.messages) returns boolean
language sql stable set search_path = '' as $$
  select message.photo = message.booking_id || '/' || message.id || '.jpg'
    and exists (select from storage.objects where bucket_id = 'chat-photos' and name = message.photo
      and owner_id = message.sender_id::text)
$$;

create function private.hold_reviews(booking uuid) returns void
language plpgsql set search_path = '' as $$
declare
  ends constant timestamptz := private.review_ends(booking, null);
begin
  update public.reviews set visible_from = ends where booking_id = booking and not announced;
  if found and ends < 'infinity' then
    perform private.schedule_tick(ends);
  end if;
end $$;

create function private.hold_task(task public.tasks) returns public.tasks
language plpgsql set search_path = '' as $$
begin
  if task.status in ('open', 'asked') and task.hidden_for is null and private.tasks_are_on_hold(task.task_giver_id) then
    task.hidden_for := 'suspension';
  end if;
  return task;
end $$;

create function private.is_avatar_address(address text) returns boolean
language sql stable set search_path = '' as $$
  select coalesce(address ~* '^(https?://|/)[^\s]+$' and length(address) <= private.rule('limits.avatarAddress.max'), true)
$$;

create function private.is_edited(task public.tasks, before public.tasks) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  before.status := task.status;
  before.asked_tasker_id := task.asked_tasker_id;
  before.asked_until := task.asked_until;
  before.hidden_for := task.hidden_for;
  before.updated_at := task.updated_at;
  return task is distinct from before;
end $$;

create function private.is_erasing() returns boolean
language sql stable return coalesce(current_setting('private.erasing', true), '') = 'yes';

create or replace function private.is_insured(verification public.verifications) returns boolean
language sql stable set search_path = '' as $$
  select verification.has_insurance
    and coalesce(verification.insurance_expiry_date >= (now() at time zone private.time_zone())::date, true)
$$;

create function private.is_of_age(born date) returns boolean
language sql stable set search_path = '' as $$
  select born > date '1900-01-01'
    and born <= (now() at time zone private.time_zone())::date - make_interval(years => private.rule('limits.minimumAge'))
$$;

create function private.is_outdated(event private.email_events) returns boolean
language sql stable security definer set search_path = '' as $$
  select coalesce(case
    when event.key in ('application_received', 'application_received_unverified') then b.status <> 'pending'
    when event.key = 'pay_reminder' then b.status <> 'accepted'
    when event.key = 'task_started' then b.status <> 'in_progress'
    when event.key = 'work_reminder' then b.status not in ('accepted', 'in_progress')
    when event.key in ('task_marked_complete', 'task_marked_complete_early', 'confirm_reminder') then p.escrow_status <> 'held'
    when event.key = 'payout_waiting' then p.payout_status <> 'waiting'
    when event.key = 'payout_failed' then p.payout_status = 'sent'
    when event.key = 'complaint_opened' then c.answered_at is not null or c.decided_at is not null
    when event.key = 'complaint_to_decide' then exists (select from public.complaints decided
      where decided.id = substring(event.link from '/complaints/([0-9a-f-]{36})')::uuid and decided.decided_at is not null)
    when event.key = 'review_asked' then exists (
      select from public.reviews r where r.booking_id = b.id and r.reviewer_id = event.person_id)
    when event.key = 'task_asked' then not exists (select from public.tasks t
      where t.id = substring(event.link from '/task/([0-9a-f-]{36})')::uuid and t.status = 'asked')
    when event.key = 'verification_submitted' then not exists (
      select from public.verifications v where v.user_id = event.person_id and v.verification_status = 'pending')
    when event.key = 'verification_waiting' then not exists (select from public.verifications v
      where v.verification_status = 'pending'
        and event.params ->> 'person' in (private.full_name(v.user_id), private.person_name(v.user_id)))
    when event.key = 'message_received' then private.unread_messages(event.person_id, event.booking_id) is null
  end, false)
  from (select) as one
    left join public.bookings b on b.id = event.booking_id
    left join public.payments p on p.booking_id = b.id
    left join public.complaints c on c.booking_id = b.id
$$;

create function private.is_withdrawn(verification public.verifications, before public.verifications) returns boolean
language sql immutable set search_path = '' as $$
  select coalesce(before.verification_status = 'verified' and verification.verification_status = 'rejected', false)
$$;

create or replace function private.issue_receipt(payment public.payments, kind public.receipt_kind, at timestamptz default now()) returns void
language plpgsql security definer set search_path = '' as $$
declare
  to_giver constant boolean := kind = 'receipt';
  person constant uuid := case when to_giver then payment.payer_id else payment.payee_id end;
  other constant uuid := case when to_giver then payment.payee_id else payment.payer_id end;
  basis public.receipt_basis := 'task';
  counted numeric := payment.amount;
  parts record;
  card private.charged_cards;
begin
  if not to_giver then
    select b.basis, b.amount into basis, counted from private.basis_of_payout(payment) b;
  end if;
  -- The giver's parts are those that were charged, whatever the fee policy says today.
  select case when to_giver then payment.platform_fee else f.platform_fee end as platform_fee,
    case when to_giver then payment.gst else f.gst end as gst
  into parts from (select 1) one left join lateral private.fees(counted) f on counted is not null;
  if to_giver then
    delete from private.charged_cards c where c.payment_id = payment.id returning * into card;
  end if;
  insert into public.receipts (kind, payment_id, person_id, issued_at, issuer, task_title, person_name, other_name, basis, amount,
    platform_fee, gst, platform_fee_percent, gst_percent, total, currency, card_brand, card_last4)
  values (issue_receipt.kind, payment.id, person, at, private.issuer_of_receipts(),
    (select t.title from public.tasks t where t.id = payment.task_id),
    (select p.full_name from private.profiles p where p.id = person),
    (select p.full_name from private.profiles p where p.id = other), basis, counted, parts.platform_fee, parts.gst,
    private.marketplace_number('fees.platformPercent'), private.marketplace_number('tax.percent'),
    case when to_giver then payment.total else payment.payout_amount end, payment.currency,
    card.brand, card.last4)
  on conflict on constraint receipts_payment_id_kind_key do nothing;
end $$;

create function private.issuer_of_receipts() returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('name', coalesce(nullif(i.name, 'Meadowlark'), o.value ->> 'name'),
    'address', coalesce(i.address, o.value ->> 'address'), 'gst_number', coalesce(i.gst_number, o.value ->> 'taxNumber'))
  from (select private.marketplace() -> 'operator' as value) o left join private.issuer i on true
$$;

create function private.keep_asked_tasker(task public.tasks, before public.tasks) returns public.tasks
language plpgsql set search_path = '' as $$
begin
  if before.id is null then
    if task.asked_tasker_id is not null then
      task.status := 'asked';
      task.asked_until := least(now() + interval '24 hours', now() + (task.scheduled_date - now()) / 2);
    end if;
  elsif task.status <> 'asked' then
    task.asked_tasker_id := null;
    task.asked_until := null;
  elsif task.scheduled_date is distinct from before.scheduled_date then
    task.asked_until := least(task.asked_until, now() + (task.scheduled_date - now()) / 2);
  end if;
  return task;
end $$;

create function private.limit_answers(booking uuid, giver uuid) returns void
language plpgsql set search_path = '' as $$
begin
  if auth.uid() = giver then
    perform private.count_activity('applications_answered');
    perform private.count_activity('same_application_answered', booking);
  end if;
end $$;

create function private.limit_applications(task uuid) returns void
language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    perform private.count_activity('applications_sent');
    perform private.count_activity('same_task_applied_to', task);
  end if;
end $$;

create function private.limit_client(action text) returns void language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    perform private.count_activity(action);
  end if;
end $$;

create function private.limit_payout_account_changes() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.limit_client('payout_account_changes');
  return null;
end $$;

create or replace function private.limit_profile() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.is_client() and new.id = auth.uid() and to_jsonb(new) - '{last_active,updated_at}'::text[]
    <> to_jsonb(old) - '{last_active,updated_at}'::text[]
  then
    perform private.count_activity('profile_changes');
  end if;
  return null;
end $$;

create function private.limit_settings_changes() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.limit_client('settings_changes');
  return null;
end $$;

create function private.limit_submissions() returns trigger language plpgsql set search_path = '' as $$
begin
  if new.user_id = auth.uid() then
    perform private.limit_client('verifications_submitted');
  end if;
  return null;
end $$;

create function private.limit_task_changes(task uuid) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.count_activity('tasks_changed');
  perform private.count_activity('same_task_changed', task);
end $$;

create function private.lock_booking_and_payment(payment uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform from public.bookings b join public.payments p on p.booking_id = b.id where p.id = payment for no key update of b;
  perform from public.payments where id = payment for no key update;
end $$;

create function private.mark_confirmation_notice_read(payment public.payments) returns void
language plpgsql set search_path = '' as $$
begin
  update public.notifications set read = true
  where user_id = payment.payer_id and not read and link like private.booking_link(payment.booking_id) || '%'
    and key in ('task_marked_complete', 'task_marked_complete_early', 'confirm_reminder');
end $$;

create function private.mark_message_notice_read(message public.messages) returns void
language plpgsql set search_path = '' as $$
begin
  update public.notifications set read = true
  where user_id = message.receiver_id and not read and key = 'message_received'
    and params ->> 'booking' = message.booking_id::text;
end $$;

create function private.mark_message_read(message public.messages, before public.messages) returns public.messages
language plpgsql stable set search_path = '' as $$
begin
  message.read_at := case when message.status = 'read' or message.read_at is not null
    then coalesce(before.read_at, now()) else before.read_at end;
  message.status := case when message.read_at is null then before.status else 'read' end;
  return message;
end $$;

create function private.marketplace() returns jsonb language sql immutable set search_path = '' as $$ select jsonb '{
  "fees": {"platformPercent":15,"cancellation":[{"underHours":1,"percent":50},{"underHours":24,"percent":25}],"cancellationFlatCents":500},
  "tax": {"percent":5},
  "pay": {"min":25,"max":100000},
  "operator": {"name":"Meadowlark","address":null,"taxNumber":null},
  "texts": {"currency":"Canadian dollars","tax":"GST","clock":"Saskatchewan time","province":"Saskatchewan"}
}' $$;

create function private.marketplace_number(path text) returns numeric
language plpgsql immutable set search_path = '' as $$
declare
  value constant numeric := private.marketplace() #>> string_to_array(path, '.');
begin
  if value is null then
    raise exception 'The marketplace has no number %', path;
  end if;
  return value;
end $$;

create function private.notify_acceptance(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(booking.task_doer_id, 'application_accepted', jsonb_build_object(
    'person', private.person_name(booking.task_giver_id), 'task', private.title_of_task(booking.task_id)), '/bookings');
end $$;

create function private.notify_answer(complaint public.complaints) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(complaint.giver_id, 'complaint_answered', jsonb_build_object(
    'person', private.person_name(complaint.tasker_id), 'task', private.task_title(complaint.booking_id)),
    private.booking_link(complaint.booking_id));
end $$;

create function private.notify_application(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(booking.task_giver_id, case
      when (select is_verified from public.profiles where id = booking.task_doer_id) then 'application_received'
      else 'application_received_unverified' end,
    jsonb_build_object('person', private.person_name(booking.task_doer_id), 'task', private.title_of_task(booking.task_id)),
    '/bookings');
end $$;

create function private.notify_asked_tasker(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(task.asked_tasker_id, 'task_asked', jsonb_build_object(
    'person', private.person_name(task.task_giver_id), 'task', task.title), '/task/' || task.id);
  perform private.schedule_tick(task.asked_until);
end $$;

create function private.notify_cancellation(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  news jsonb := jsonb_build_object('task', private.title_of_task(booking.task_id));
  by_schedule boolean := current_setting('meadowlark.actor', true) = 'schedule';
  other uuid;
begin
  if before.status = 'pending' and by_schedule then
    perform private.notify_person(booking.task_doer_id, 'application_expired', news, '/bookings');
  elsif before.status = 'pending' then
    perform private.notify_person(booking.task_giver_id, 'application_withdrawn',
      news || jsonb_build_object('person', private.person_name(booking.task_doer_id)), '/bookings');
  elsif before.status = 'accepted' then
    foreach other in array array[booking.task_giver_id, booking.task_doer_id] loop
      if by_schedule then
        perform private.notify_person(other, 'booking_expired', news, '/bookings');
      elsif other is distinct from booking.cancelled_by then
        perform private.notify_person(other, 'booking_cancelled',
          news || jsonb_build_object('person', private.person_name(booking.cancelled_by)), '/bookings');
      end if;
    end loop;
  end if;
end $$;

create function private.notify_complaint(complaint public.complaints) returns void
language plpgsql set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('task', private.task_title(complaint.booking_id));
begin
  perform private.notify_person(complaint.tasker_id, 'complaint_opened',
    news || jsonb_build_object('person', private.person_name(complaint.giver_id)), private.booking_link(complaint.booking_id));
  perform private.notify_admins('complaint_to_decide',
    news || jsonb_build_object('person', private.full_name(complaint.giver_id)), '/admin/complaints/' || complaint.id);
end $$;

create function private.notify_completion(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  starts constant timestamptz := (select scheduled_date from public.tasks where id = booking.task_id);
  news constant jsonb := jsonb_build_object(
    'person', private.person_name(booking.task_doer_id), 'task', private.title_of_task(booking.task_id));
begin
  if exists (select from public.payments where booking_id = booking.id and escrow_status = 'frozen') then
    perform private.notify_person(booking.task_giver_id, 'marked_complete_on_hold', news, '/bookings');
  elsif starts > now() then
    perform private.notify_person(booking.task_giver_id, 'task_marked_complete_early',
      news || jsonb_build_object('at', starts, 'when', private.day_and_time(starts)), '/bookings');
  else
    perform private.notify_person(booking.task_giver_id, 'task_marked_complete', news, '/bookings');
  end if;
end $$;

create function private.notify_failed_transfer(payment public.payments, before public.payments) returns void
language plpgsql set search_path = '' as $$
declare
  payout constant boolean := payment.payout_status = 'failed' and before.payout_status <> 'failed';
begin
  perform private.notify_admins('transfer_failed', jsonb_build_object('transfer', case when payout then 'payout' else 'refund' end,
    'amount', case when payout then payment.payout_amount else payment.refund_amount end,
    'task', (select title from public.tasks where id = payment.task_id)),
    format('/admin/money?tab=%s&search=%s', case when payout then 'payouts' else 'refunds' end, payment.id));
end $$;

create function private.notify_message(message public.messages) returns void
language plpgsql set search_path = '' as $$
begin
  if exists (select from public.messages m where m.receiver_id = message.receiver_id and m.booking_id = message.booking_id
      and m.read_at > now() - interval '2 minutes')
    or exists (select from public.notifications n where n.user_id = message.receiver_id and not n.read
      and n.key = 'message_received' and n.params ->> 'booking' = message.booking_id::text)
  then
    return;
  end if;
  perform private.notify_person(message.receiver_id, 'message_received', jsonb_build_object(
    'person', private.person_name(message.sender_id), 'text', coalesce(nullif(left(message.message, 120), ''), 'Photo'),
    'booking', message.booking_id), private.booking_link(message.booking_id));
end $$;

create function private.notify_new_photo(profile private.profiles) returns void
language plpgsql set search_path = '' as $$
declare
  params constant jsonb := jsonb_build_object('person', private.full_name(profile.id), 'id', profile.id);
begin
  if not exists (select from public.notifications n join public.user_roles r on r.user_id = n.user_id and r.role = 'admin'
      where n.key = 'verified_photo_changed' and not n.read and n.params ->> 'id' = profile.id::text) then
    perform private.notify_admins('verified_photo_changed', params, '/profile/' || profile.id);
  end if;
end $$;

create function private.notify_not_chosen(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  news jsonb := jsonb_build_object('task', private.title_of_task(booking.task_id));
  gone boolean := booking.passed_over and exists (
    select from public.tasks where id = booking.task_id and status = 'cancelled');
  overdue boolean := exists (
    select from public.tasks where id = booking.task_id and scheduled_date <= now() - interval '24 hours');
begin
  if gone and overdue then
    perform private.notify_person(booking.task_doer_id, 'application_expired', news, '/bookings');
  elsif gone then
    perform private.notify_person(booking.task_doer_id, 'task_withdrawn', news, '/bookings');
  else
    perform private.notify_person(booking.task_doer_id, 'application_declined', news, '/bookings');
  end if;
end $$;

create function private.notify_parties(payment public.payments, event_key text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('task', (select title from public.tasks where id = payment.task_id));
begin
  perform private.notify_person(payment.payer_id, event_key, news, private.booking_link(payment.booking_id));
  perform private.notify_person(payment.payee_id, event_key, news, private.booking_link(payment.booking_id));
end $$;

create or replace function private.notify_person(person uuid, event_key text, event_params jsonb, event_link text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  texts private.notification_texts;
  place text := event_link;
  event_subject_key text;
  unread public.notifications;
begin
  select * into strict texts from private.notification_texts where key = event_key;
  event_subject_key := private.event_subject_key(person, texts.topic, event_params, event_link);
  if event_subject_key is not null then
    select * into unread from public.notifications n where n.user_id = person and n.subject_key = event_subject_key and not n.read for update;
    event_params := private.merged_changes(unread.params, event_params);
  end if;
  if texts.part is not null then
    place := coalesce(private.booking_link(private.booking_of_event(person, event_params, event_link)) || '&part=' || texts.part, event_link);
  elsif event_link = '/bookings' and exists (select from private.profiles p where p.id = person and cardinality(p.roles) > 1) then
    place := coalesce(private.booking_link(private.booking_of_event(person, event_params, event_link)), event_link);
  end if;
  insert into public.notifications as n (user_id, title, message, link, key, params, subject_key, delivered_keys)
  select id, private.filled_text(texts.title, event_params), private.filled_text(texts.message, event_params), place, event_key,
    event_params, event_subject_key, array[event_key]
  from private.profiles where id = person and deleted_at is null and private.wants_bell(person, texts.kind)
  on conflict (user_id, subject_key) where subject_key is not null and not read do update set title = excluded.title,
    message = excluded.message, link = excluded.link, key = excluded.key, params = excluded.params, created_at = now(),
    delivered_keys = case when excluded.key = any (n.delivered_keys) then n.delivered_keys else n.delivered_keys || excluded.delivered_keys end;
  perform private.queue_push(person, event_key, event_params, place, event_subject_key, coalesce(event_key = any (unread.delivered_keys), false));
  if texts.by_email then
    perform private.queue_email(person, event_key, event_params, place, event_subject_key, coalesce(event_key = any (unread.delivered_keys), false));
  end if;
end $$;

create function private.notify_refund(refunded public.payments, event_key text, amount numeric, reason text default null) returns void
language plpgsql security definer set search_path = '' as $$
begin
  delete from private.email_events e where e.person_id = refunded.payer_id and e.booking_id = refunded.booking_id
    and e.email_id is null and e.key in ('refund_sent', 'refund_failed', 'refund_returned', 'refund_given_up');
  perform private.notify_person(refunded.payer_id, event_key, jsonb_strip_nulls(jsonb_build_object('amount', amount,
    'task', (select title from public.tasks where id = refunded.task_id), 'reason', reason)), private.booking_link(refunded.booking_id));
end $$;

create function private.notify_release(payment public.payments) returns void
language plpgsql set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('person', private.person_name(payment.payer_id), 'amount', payment.payout_amount,
    'task', (select title from public.tasks where id = payment.task_id));
begin
  if auth.uid() is null then -- nobody confirmed, the time was over
    perform private.notify_person(payment.payee_id, 'payment_released_by_time', news, '/bookings');
    perform private.notify_person(payment.payer_id, 'confirmed_by_time', news, '/bookings');
  else
    perform private.notify_person(payment.payee_id, 'payment_released', news, '/bookings');
  end if;
end $$;

create function private.notify_start(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(booking.task_doer_id, 'task_started',
    jsonb_build_object('task', private.title_of_task(booking.task_id)), '/bookings');
end $$;

create function private.notify_task_changes(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
declare
  news constant jsonb := jsonb_build_object('person', private.person_name(task.task_giver_id), 'task', task.title);
  applicant record;
  facts jsonb;
begin
  facts := private.facts_of_changes(before, task, task.pay_amount);
  if facts = '[]' then
    return;
  end if;
  for applicant in select task_doer_id, agreed_amount from public.bookings
    where task_id = task.id and status = 'pending' order by id
  loop
    facts := private.facts_of_changes(before, task, applicant.agreed_amount);
    perform private.notify_person(applicant.task_doer_id, 'task_changed', news
      || jsonb_build_object('changes', private.words_of_changes(facts), 'changed', facts), '/task/' || task.id);
  end loop;
  if task.status = 'asked' and task.hidden_for is null and not exists (select from public.bookings
    where task_id = task.id and task_doer_id = task.asked_tasker_id and status = 'pending')
  then
    facts := private.facts_of_changes(before, task, task.pay_amount);
    perform private.notify_person(task.asked_tasker_id, 'asked_task_changed', news
      || jsonb_build_object('changes', private.words_of_changes(facts), 'changed', facts), '/task/' || task.id);
  end if;
  perform private.schedule_tick(task.asked_until);
end $$;

create function private.notify_verification(verification public.verifications, before public.verifications) returns void
language plpgsql set search_path = '' as $$
declare
  person constant uuid := verification.user_id;
begin
  if verification.verification_status = 'pending' and coalesce(before.verification_status not in ('pending', 'verified'), true) then
    perform private.notify_person(person, 'verification_submitted', '{}', '/dashboard');
    perform private.notify_admins('verification_waiting', jsonb_build_object('person', private.full_name(person)),
      '/admin/verify-users?tab=waiting');
  elsif before.verification_status <> verification.verification_status then
    if verification.verification_status = 'verified' then
      perform private.notify_person(person, 'verification_approved', '{}', '/dashboard');
    elsif private.is_withdrawn(verification, before) then
      perform private.notify_person(person, 'verification_withdrawn',
        jsonb_build_object('reason', verification.refusal_reason), '/verification');
    elsif verification.verification_status = 'rejected' then
      perform private.notify_person(person, 'verification_refused',
        jsonb_build_object('reason', verification.refusal_reason), '/verification');
    end if;
  end if;
end $$;

create function private.notify_withdrawn_request(task public.tasks, before public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  if not exists (select from public.bookings where task_id = task.id and task_doer_id = before.asked_tasker_id) then
    perform private.notify_person(before.asked_tasker_id, 'request_withdrawn', jsonb_build_object(
      'person', private.person_name(task.task_giver_id), 'task', task.title, 'task_id', task.id), '/dashboard');
  end if;
end $$;

create function private.open_payout_account(account public.payout_accounts) returns public.payout_accounts
language plpgsql stable set search_path = '' as $$
begin
  account.stripe_account_id := 'manual_' || replace(auth.uid()::text, '-', '');
  account.account_type := 'manual';
  account.provider_updated_at := null;
  account.updated_at := now();
  return account;
end $$;

create function private.open_request_to_everyone(booking public.bookings) returns void
language sql set search_path = '' as $$
  update public.tasks set status = 'open', updated_at = now()
  where id = booking.task_id and status = 'asked' and asked_tasker_id = booking.task_doer_id
$$;

create or replace function private.period_start(period text, moment timestamptz) returns date
language sql immutable set search_path = '' as $$
  select date_trunc(period, moment at time zone private.time_zone())::date
$$;

create function private.post_total(payment uuid, kind text, object text, total numeric) returns void
language plpgsql security definer set search_path = '' as $$
declare
  booked numeric;
begin
  select coalesce(-sum(e.amount), 0) into booked from public.ledger_entries e
  where e.payment_id = payment and e.kind = post_total.kind and e.account = 'provider'
    and split_part(e.reference, ':', 1) = object;
  if total <> booked then
    perform private.post_ledger(payment, kind, object || ':' || (total * 100)::bigint,
      jsonb_build_object('provider', booked - total, 'disputes', total - booked));
  end if;
end $$;

create function private.publish_reviews(review public.reviews) returns void
language plpgsql set search_path = '' as $$
begin
  if (select count(*) from public.reviews where booking_id = review.booking_id) = 2 then
    update public.reviews set visible_from = now() where booking_id = review.booking_id;
    perform private.announce_reviews(review.booking_id);
  else
    perform private.schedule_tick(review.visible_from);
  end if;
end $$;

create or replace function private.push_time(person uuid, at timestamptz) returns timestamptz
language plpgsql stable security definer set search_path = '' as $$
declare
  quiet public.quiet_hours;
  here constant timestamp := at at time zone private.time_zone();
  during boolean;
begin
  select * into quiet from public.quiet_hours q where q.user_id = person;
  during := case when quiet.starts < quiet.ends then here::time >= quiet.starts and here::time < quiet.ends
    else here::time >= quiet.starts or here::time < quiet.ends end;
  if during is not true then
    return at;
  end if;
  return (here::date + quiet.ends + case when here::time < quiet.ends then interval '0' else interval '1 day' end)
    at time zone private.time_zone();
end $$;

create function private.queue_file_moves() returns void
language plpgsql set search_path = '' as $$
begin
  perform private.enqueue_function('run-scheduled', '{}', 'remove-files');
end $$;

create function private.queue_message_email(message public.messages) returns void
language plpgsql set search_path = '' as $$
begin
  if not exists (select from private.email_events e where e.key = 'message_received' and e.person_id = message.receiver_id
      and e.booking_id = message.booking_id)
  then
    perform private.queue_email(message.receiver_id, 'message_received', jsonb_build_object(
      'person', private.person_name(message.sender_id), 'booking', message.booking_id,
      'task', (select t.title from public.tasks t join public.bookings b on b.task_id = t.id where b.id = message.booking_id)),
      private.booking_link(message.booking_id));
  end if;
end $$;

create or replace function private.reason_of_return(code text) returns text
language sql immutable set search_path = '' as $$
  select case
    when code = 'account_closed' then 'The bank account has been closed.'
    when code in ('account_frozen', 'bank_account_restricted', 'bank_account_unusable')
      then 'The bank takes no deposits for this account at the moment.'
    when code in ('bank_ownership_changed', 'incorrect_account_holder_name')
      then 'The account does not belong to the name that the bank was given.'
    when code in ('invalid_account_number', 'incorrect_account_type', 'no_account')
      then 'No account with these numbers was found, or it takes no deposits.'
    when code = 'invalid_currency' then 'The account does not take ' || (private.marketplace() #>> '{texts,currency}') || '.'
    else 'The bank did not take it.' end
$$;

create or replace function private.rebuild_figures() returns void
language plpgsql security definer set search_path = '' as $$
begin
  lock table public.tasks, public.bookings, private.profiles, public.verifications, public.ledger_entries in share mode;
  perform pg_advisory_xact_lock(hashtextextended('private.figures', 0));
  delete from private.figures;
  delete from private.figure_changes;
  insert into private.figures (period, starts_on, kind, hours, amount)
  select p.period, private.period_start(p.period, c.happened_at), c.kind, c.hours, sum(c.amount) from (
    select t.created_at as happened_at, 'tasks' as kind, 0 as hours, 1 as amount from public.tasks t
    union all
    select b.created_at, 'bookings', 0, 1 from public.bookings b where b.accepted_at is not null
    union all
    select p.created_at, 'sign_ups', 0, 1 from private.profiles p where p.deleted_at is null
    union all
    select v.decided_at, 'verifications', private.hours_to_decide(v), 1 from public.verifications v
    where private.hours_to_decide(v) is not null
    union all
    select e.created_at, f.kind, 0, f.amount from public.ledger_entries e, private.figures_of_entry(e) f
  ) c, (values ('week'), ('month')) p (period)
  group by 1, 2, 3, 4;
  perform private.update_medians(array(select distinct f.starts_on from private.figures f where f.kind = 'verifications'));
  delete from private.kind_counts;
  delete from private.kind_changes;
  insert into private.kind_counts (kind, open_tasks)
  select kind, count(*) from public.tasks t, unnest(private.kinds_of(t)) kind group by 1;
end $$;

create or replace function private.record_of(person uuid) returns table (
  rating numeric, total_reviews integer, completed_tasks integer, response_rate integer, on_time_rate integer,
  trust_score integer
) language sql volatile security definer set search_path = '' as $$
  with shown as (
    select coalesce(round(avg(r.rating), 2), 0) as rating, count(*)::int as total
    from public.reviews r where r.reviewee_id = person and r.visible_from <= clock_timestamp() and r.hidden_at is null
  ), jobs as (
    select count(*) filter (where p.payee_id = person)::int as done, count(*)::int as paid
    from public.payments p join public.bookings b on b.id = p.booking_id and b.status = 'completed'
    where (p.payee_id = person or p.payer_id = person)
      and p.escrow_status in ('released', 'refunded') and p.payout_amount > 0
  ), asked as (
    select b.created_at as at, b.answered_at as answered
    from public.bookings b where b.task_giver_id = person and b.status <> 'pending'
      and (b.answered_at is not null or b.cancelled_by is distinct from b.task_doer_id)
    union all
    select question.at, answer.at
    from public.bookings b
    cross join lateral (select min(m.created_at) as at from public.messages m
      where m.booking_id = b.id and m.receiver_id = person) question
    cross join lateral (select min(m.created_at) as at from public.messages m
      where m.booking_id = b.id and m.sender_id = person and m.created_at >= question.at) answer
    where b.task_doer_id = person and question.at < coalesce(b.completed_at, b.cancelled_at, 'infinity')
      and (answer.at is not null
        or b.status in ('completed', 'cancelled') and question.at + interval '24 hours' <= clock_timestamp())
  ), answers as (
    select coalesce(round(100.0 * count(*) filter (where answered <= at + interval '24 hours') / nullif(count(*), 0)),
      100)::int as rate from asked
  ), due as (
    select b.status = 'completed' and b.completed_at <= case
        when t.duration_minutes is not null
          then t.scheduled_date + make_interval(mins => t.duration_minutes) + interval '2 hours'
        else (date_trunc('day', t.scheduled_date at time zone private.time_zone()) + interval '1 day') at time zone private.time_zone()
      end as on_time
    from public.bookings b join public.tasks t on t.id = b.task_id
    where b.task_doer_id = person and (
      (b.status = 'completed' and t.scheduled_date is not null)
      or (b.status = 'cancelled' and b.accepted_at is not null and b.cancelled_by = person))
  ), punctual as (
    select coalesce(round(100.0 * count(*) filter (where on_time) / nullif(count(*), 0)), 100)::int as rate from due
  )
  select shown.rating, shown.total, jobs.done, answers.rate, punctual.rate,
    least(100, greatest(0, round(50
      + case when p.is_verified then 15 else 0 end
      + case when p.background_checked then 5 else 0 end
      + case when p.insured then 5 else 0 end
      + case when shown.total > 0 then (shown.rating - 3) * 10 * least(shown.total, 5) / 5.0 else 0 end
      + least(10, jobs.paid)
      - (100 - punctual.rate) / 5.0
      - (100 - answers.rate) / 10.0)))::int
  from shown, jobs, answers, punctual, public.profiles p where p.id = person
$$;

create function private.record_task_photos(task public.tasks) returns void
language sql set search_path = '' as $$
  insert into private.shown_pictures (bucket_id, name)
  select 'task-photos', photo from unnest(task.photos || private.small_photos(task.photos)) photo on conflict do nothing
$$;

create function private.recount_parties(payment public.payments) returns void
language plpgsql set search_path = '' as $$
begin
  if exists (select from public.bookings where id = payment.booking_id and status = 'completed') then
    perform private.recount_person(least(payment.payer_id, payment.payee_id));
    perform private.recount_person(greatest(payment.payer_id, payment.payee_id));
  end if;
end $$;

create function private.recount_party(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.recount_person(case when before.status = 'pending' then booking.task_giver_id else booking.task_doer_id end);
end $$;

create or replace function private.recount_person(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform from private.profiles where id = person for no key update;
  update private.profiles p set rating = r.rating, total_reviews = r.total_reviews,
    completed_tasks = r.completed_tasks, response_rate = r.response_rate, on_time_rate = r.on_time_rate,
    trust_score = r.trust_score
  from private.record_of(person) r
  where p.id = person
    and (p.rating, p.total_reviews, p.completed_tasks, p.response_rate, p.on_time_rate, p.trust_score)
      is distinct from (r.rating, r.total_reviews, r.completed_tasks, r.response_rate, r.on_time_rate, r.trust_score);
end $$;

create function private.recount_response_rate(message public.messages) returns void
language plpgsql set search_path = '' as $$
declare
  tasker uuid;
  asked timestamptz;
begin
  select task_doer_id into strict tasker from public.bookings where id = message.booking_id for no key update;
  select min(created_at) into asked from public.messages where booking_id = message.booking_id and receiver_id = tasker;
  if asked is not null and (message.created_at = asked or not exists (select from public.messages m
      where m.booking_id = message.booking_id and m.sender_id = message.sender_id and m.id <> message.id
        and m.created_at >= asked)) then
    perform private.recount_person(tasker);
  end if;
end $$;

create or replace function private.refill_notification(notification uuid, changed jsonb) returns void
language plpgsql security definer set search_path = '' as $$
declare
  refilled public.notifications;
  texts private.notification_texts;
begin
  select * into refilled from public.notifications where id = notification;
  select * into texts from private.notification_texts where key = refilled.key;
  if texts.key is null then -- a text that a later version has no more
    delete from public.notifications where id = notification;
    return;
  end if;
  refilled.params := refilled.params || changed;
  update public.notifications set params = refilled.params, title = private.filled_text(texts.title, refilled.params),
    message = private.filled_text(texts.message, refilled.params) where id = notification;
end $$;

create function private.refuse_audit_truncate() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(false, 'audit_log.append_only');
  return null;
end $$;

create function private.refuse_suspended_profile(profile private.profiles, before private.profiles) returns void
language plpgsql stable set search_path = '' as $$
begin
  if private.is_suspended(profile.id) and exists (
    select from unnest(private.public_profile_columns()) field
    where to_jsonb(profile) -> field is distinct from to_jsonb(before) -> field)
  then
    perform private.fail('account.suspended_for_profile', null, '{}', '42501');
  end if;
end $$;

create function private.remove_badge(profile private.profiles) returns private.profiles
language plpgsql immutable set search_path = '' as $$
begin
  profile.id_verified := false;
  profile.background_checked := false;
  profile.insured := false;
  profile.verified_by_admin := false;
  profile.verified_at := null;
  profile.verified_by := null;
  return profile;
end $$;

create function private.reopen_task(booking public.bookings) returns void
language sql set search_path = '' as $$
  update public.tasks set status = 'open', updated_at = now() where id = booking.task_id and status = 'assigned'
$$;

create function private.request_reviews(booking uuid) returns void
language plpgsql set search_path = '' as $$
begin
  insert into private.review_requests (booking_id)
  select id from public.bookings where id = booking and status = 'completed'
  on conflict do nothing;
  if found then
    perform private.schedule_tick(now() + interval '1 hour');
  end if;
end $$;

create function private.require_active_account() returns void language plpgsql stable set search_path = '' as $$
begin
  if private.is_suspended((select auth.uid())) then
    perform private.fail('account.suspended', null, '{}', '42501');
  end if;
end $$;

create function private.require_active_giver() returns void language plpgsql stable set search_path = '' as $$
begin
  if private.is_suspended((select auth.uid())) then
    perform private.fail('account.suspended_for_tasks', null, '{}', '42501');
  end if;
end $$;

create function private.resume_payouts(person uuid) returns void
language plpgsql set search_path = '' as $$
declare
  payment record;
begin
  for payment in select id, payout_status from public.payments
    where payee_id = person and payout_status in ('waiting', 'failed') order by id for no key update
  loop
    if payment.payout_status = 'waiting' then
      perform private.queue_payout(payment.id);
    else
      perform private.enqueue_function('release-payout', jsonb_build_object('payment_id', payment.id), 'payout-' || payment.id);
    end if;
  end loop;
end $$;

create function private.retract_decline_notice(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  task_title constant text := private.title_of_task(booking.task_id);
  decline constant text := concat_ws(' ', 'answer', booking.task_id, booking.task_doer_id);
  delivered_keys constant text[] := (select n.delivered_keys from public.notifications n
    where n.user_id = booking.task_doer_id and n.subject_key = decline and not n.read);
  mailed constant boolean := exists (select from private.email_events e
    where e.person_id = booking.task_doer_id and e.subject_key = decline and e.email_id is not null);
begin
  if mailed or cardinality(delivered_keys) > 1 or (delivered_keys is null and exists (select from public.notifications n
      where n.user_id = booking.task_doer_id and n.key = 'application_declined' and n.params ->> 'task' = task_title
        and n.created_at >= before.answered_at))
  then
    perform private.notify_person(booking.task_doer_id, 'decline_undone', jsonb_build_object('task', task_title),
      private.booking_link(booking.id));
    return;
  end if;
  delete from private.email_events e
  where e.person_id = booking.task_doer_id and e.subject_key = decline and e.email_id is null;
  delete from public.notifications n where n.user_id = booking.task_doer_id and n.subject_key = decline and not n.read;
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and s.user_id = booking.task_doer_id and m.subject_key = decline and m.taken_until is null;
end $$;

create function private.review_new_name(profile private.profiles, before private.profiles) returns void
language plpgsql set search_path = '' as $$
declare
  names constant jsonb := jsonb_build_object('before', coalesce(before.full_name, ''), 'name', profile.full_name);
  queue text := '/admin/verify-users';
begin
  if private.review_again(profile.id) then
    queue := queue || '?tab=waiting';
  end if;
  if not before.is_verified then
    update public.verifications set updated_at = now() where user_id = profile.id and verification_status = 'pending';
    return;
  end if;
  perform private.notify_admins('verified_name_changed', names, queue);
  perform private.notify_person(profile.id, 'name_under_review', names, '/profile');
end $$;

create function private.round_hourly_rate(profile private.profiles) returns private.profiles
language plpgsql immutable set search_path = '' as $$
begin
  profile.hourly_rate := round(profile.hourly_rate, 2);
  return profile;
end $$;

create function private.round_pay(task public.tasks) returns public.tasks
language plpgsql set search_path = '' as $$
begin
  task.pay_amount := round(task.pay_amount, 2);
  return task;
end $$;

create or replace function private.rules() returns json language sql immutable set search_path = '' as $$ select json '{
  "recommendation": {"preferredCategory": 10, "skill": 5},
  "categories": ["Snow Removal", "Cleaning", "Moving", "Delivery", "Handyman", "Gardening", "Pet Care", "Other"],
  "languages": ["en", "es", "fr", "de", "hi", "zh", "ru", "ar", "pt", "id"],
  "phonePattern": "^\\+?[1-9][0-9]{1,14}$",
  "limits": {
    "name": {"min": 2, "max": 100},
    "email": {"max": 255},
    "password": {"min": 8},
    "phone": {"max": 50},
    "city": {"max": 100},
    "bio": {"max": 2000},
    "avatarAddress": {"max": 2000},
    "photoFile": {"max": 20971520, "side": 512},
    "photos": {"count": 5},
    "skills": {"count": 50, "length": 60},
    "experienceYears": {"max": 80},
    "hourlyRate": {"max": 100000},
    "title": {"min": 5, "max": 200},
    "description": {"min": 20, "max": 5000},
    "location": {"min": 3, "max": 200},
    "address": {"min": 3, "max": 300},
    "toolsDescription": {"max": 1000},
    "durationMinutes": {"min": 1, "max": 10080},
    "applicationMessage": {"max": 1000},
    "chatMessage": {"max": 1000},
    "completionNotes": {"max": 2000},
    "cancellationReason": {"max": 1000},
    "reviewStars": {"min": 1, "max": 5},
    "reviewComment": {"max": 2000},
    "reviewDays": 14,
    "complaint": {"min": 10, "max": 2000, "hours": 24, "answerHours": 48},
    "decisionReason": {"max": 2000},
    "releaseAfterDays": 7,
    "minimumAge": 18,
    "identityDocument": {"max": 10485760, "count": 4},
    "insuranceProvider": {"max": 200},
    "insurancePolicyNumber": {"max": 100},
    "verificationSkills": {"count": 50, "length": 100},
    "taxInformationAbove": 500,
    "bankAccount": {"institution": 3, "transit": 5, "account": {"max": 12}}
  }
}' $$;

create function private.schedule_application_expiry() returns void
language plpgsql set search_path = '' as $$
begin
  perform private.schedule_tick(now() + interval '30 days');
end $$;

create function private.schedule_confirmation(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  days integer;
begin
  foreach days in array array[1, 3, 6, private.rule('limits.releaseAfterDays')] loop
    perform private.schedule_tick(private.confirmation_from(booking) + make_interval(days => days));
  end loop;
end $$;

create function private.schedule_insurance_end(verification public.verifications) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.schedule_tick((verification.insurance_expiry_date + 1)::timestamp at time zone private.time_zone());
end $$;

create function private.schedule_payment_deadline(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  starts constant timestamptz := (select scheduled_date from public.tasks where id = booking.task_id);
  pay_by constant timestamptz := private.pay_by(now(), starts);
begin
  perform private.schedule_tick(private.pay_reminder_at(now(), pay_by));
  perform private.schedule_tick(pay_by);
  perform private.schedule_tick(starts + interval '24 hours');
end $$;

create function private.schedule_recount(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  due timestamptz;
begin
  select min(created_at) + interval '24 hours' into due from public.messages
  where booking_id = booking.id and receiver_id = booking.task_doer_id;
  if due > now() then
    insert into private.pending_recounts (booking_id, due_at) values (booking.id, due) on conflict do nothing;
    perform private.schedule_tick(due);
  end if;
end $$;

create function private.schedule_reminder(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  at constant timestamptz := (select scheduled_date - interval '24 hours' from public.tasks where id = booking.task_id);
begin
  if at > now() then
    perform private.schedule_tick(at);
  end if;
end $$;

create function private.schedule_task_expiry(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.schedule_tick(task.scheduled_date + interval '24 hours');
end $$;

create function private.share_skills(verification public.verifications) returns void
language plpgsql set search_path = '' as $$
begin
  update private.profiles p set skills = p.skills || array(
    select entered.skill from unnest(verification.skills) with ordinality entered (skill, place)
    where lower(entered.skill) not in (select lower(held) from unnest(p.skills) held) order by entered.place)
  where p.id = verification.user_id and exists (select from unnest(verification.skills) entered
    where lower(entered) not in (select lower(held) from unnest(p.skills) held));
end $$;

create function private.stamp_booking(booking public.bookings) returns public.bookings
language plpgsql set search_path = '' as $$
begin
  booking.updated_at := now();
  if booking.status in ('accepted', 'rejected') then
    booking.answered_at := now();
  end if;
  if booking.status <> 'completed' then
    booking.completion_notes := null;
  end if;
  if booking.status <> 'cancelled' then
    booking.cancellation_reason := null;
  end if;
  return booking;
end $$;

create function private.stamp_payment(payment public.payments) returns public.payments
language plpgsql stable set search_path = '' as $$
begin
  payment.updated_at := now();
  return payment;
end $$;

create function private.stamp_preference(preference public.notification_preferences) returns public.notification_preferences
language plpgsql stable set search_path = '' as $$
begin
  preference.updated_at := now();
  return preference;
end $$;

create function private.stamp_submission(verification public.verifications) returns public.verifications
language plpgsql stable set search_path = '' as $$
begin
  verification.updated_at := now();
  verification.verification_status := 'pending';
  verification.id_verified := false;
  verification.background_check_status := 'pending';
  verification.refusal_reason := null;
  verification.decided_at := null;
  verification.decided_by := null;
  verification.terms_accepted_at := now();
  verification.privacy_accepted_at := now();
  return verification;
end $$;

create function private.stamp_verification(verification public.verifications, before public.verifications)
returns public.verifications
language plpgsql stable set search_path = '' as $$
begin
  if private.is_client() then
    verification.updated_at := now();
  end if;
  if verification.verification_status <> 'verified' and before.verification_status = 'verified' then
    verification.id_verified := false;
  end if;
  return verification;
end $$;

create or replace function private.sum_figures() returns void
language plpgsql security definer set search_path = '' as $$
declare
  decided date[];
begin
  perform pg_advisory_xact_lock(hashtextextended('private.figures', 0));
  with taken as (delete from private.figure_changes returning *), summed as (
    insert into private.figures as f (period, starts_on, kind, hours, amount)
    select p.period, private.period_start(p.period, t.happened_at), t.kind, t.hours, sum(t.amount)
    from taken t, (values ('week'), ('month')) p (period)
    group by 1, 2, 3, 4 having sum(t.amount) <> 0
    on conflict (period, starts_on, kind, hours) do update set amount = f.amount + excluded.amount
  )
  -- Also where the changes add up to nothing: the median before may have been taken with one of them.
  select array_agg(distinct private.period_start(p.period, t.happened_at)) into decided
  from taken t, (values ('week'), ('month')) p (period) where t.kind = 'verifications';
  perform private.update_medians(decided);

  with taken as (delete from private.kind_changes returning *)
  insert into private.kind_counts as s (kind, open_tasks)
  select t.kind, sum(t.amount) from taken t group by 1 having sum(t.amount) <> 0
  on conflict (kind) do update set open_tasks = s.open_tasks + excluded.open_tasks;
end $$;

create function private.sync_profile_email(account auth.users) returns void
language plpgsql set search_path = '' as $$
begin
  update private.profiles set email = account.email where id = account.id;
end $$;

create function private.sync_profile_role(person uuid) returns void
language plpgsql set search_path = '' as $$
declare
  held constant public.app_role[] := array(select r.role from public.user_roles r where r.user_id = person
    order by array_position(array['admin', 'task_doer', 'task_giver']::public.app_role[], r.role));
begin
  update private.profiles set role = held[1], roles = held where id = person;
end $$;

create function private.sync_verified_name(profile private.profiles) returns private.profiles
language plpgsql immutable set search_path = '' as $$
begin
  profile.verified_name := case when profile.deleted_at is null then profile.full_name end;
  return profile;
end $$;

create function private.task_title(booking uuid) returns text
language sql stable set search_path = '' as $$
  select t.title from public.tasks t join public.bookings b on b.task_id = t.id where b.id = booking
$$;

create function private.tasks_are_on_hold(giver uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  perform pg_advisory_xact_lock_shared(private.suspension_lock(giver));
  return exists (select from public.suspensions where user_id = giver and lifted_at is null);
end $$;

create function private.tidy_booking(booking public.bookings) returns public.bookings
language plpgsql immutable set search_path = '' as $$
begin
  booking.message := nullif(private.trimmed(booking.message), '');
  return booking;
end $$;

create function private.tidy_complaint(complaint public.complaints) returns public.complaints
language plpgsql immutable set search_path = '' as $$
begin
  complaint.reason := private.trimmed(complaint.reason);
  return complaint;
end $$;

create function private.tidy_message(message public.messages) returns public.messages
language plpgsql immutable set search_path = '' as $$
begin
  message.message := private.trimmed(message.message);
  return message;
end $$;

create function private.tidy_profile(profile private.profiles) returns private.profiles
language plpgsql immutable set search_path = '' as $$
begin
  profile.phone := nullif(private.trimmed(profile.phone), '');
  profile.city := nullif(private.trimmed(profile.city), '');
  profile.bio := nullif(private.trimmed(profile.bio), '');
  profile.avatar_url := nullif(private.trimmed(profile.avatar_url), '');
  return profile;
end $$;

create function private.tidy_review(review public.reviews) returns public.reviews
language plpgsql immutable set search_path = '' as $$
begin
  review.comment := nullif(private.trimmed(review.comment), '');
  return review;
end $$;

create function private.tidy_task(task public.tasks) returns public.tasks
language plpgsql immutable set search_path = '' as $$
begin
  task.title := private.trimmed(task.title);
  task.description := private.trimmed(task.description);
  task.location := private.trimmed(task.location);
  task.tools_description := nullif(private.trimmed(task.tools_description), '');
  return task;
end $$;

create function private.tidy_task_address(address public.task_addresses) returns public.task_addresses
language plpgsql set search_path = '' as $$
begin
  address.address := private.trimmed(address.address);
  return address;
end $$;

create function private.tidy_verification(verification public.verifications) returns public.verifications
language plpgsql immutable set search_path = '' as $$
begin
  verification.legal_name := private.trimmed(verification.legal_name);
  verification.insurance_provider :=
    case when verification.has_insurance then nullif(private.trimmed(verification.insurance_provider), '') end;
  verification.insurance_policy_number :=
    case when verification.has_insurance then nullif(private.trimmed(verification.insurance_policy_number), '') end;
  verification.insurance_expiry_date := case when verification.has_insurance then verification.insurance_expiry_date end;
  verification.skills := private.distinct_words(verification.skills);
  verification.certifications := private.distinct_words(verification.certifications);
  return verification;
end $$;

create function private.time_zone() returns text language sql immutable set search_path = '' as $$ select 'America/Regina' $$;

create function private.title_of_task(task uuid) returns text
language sql stable set search_path = '' as $$
  select title from public.tasks where id = task
$$;

create function private.touch_task(task public.tasks) returns public.tasks
language plpgsql stable set search_path = '' as $$
begin
  task.updated_at := now();
  return task;
end $$;

create function private.update_disputed_payment(payment uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  before public.payments;
  known public.payments;
  complained boolean;
begin
  select * into strict before from public.payments where id = payment for no key update;
  update public.payments set
    open_disputes = (select count(*) from public.disputes d where d.payment_id = payment and d.open),
    lost_amount = (select coalesce(sum(d.lost), 0) from public.disputes d where d.payment_id = payment)
      + (select coalesce(sum(r.gone), 0) from public.outside_refunds r where r.payment_id = payment)
  where id = payment returning * into known;
  if known.escrow_status in ('released', 'refunded') then
    perform private.update_settled_payment(before, known);
    return;
  elsif known.escrow_status = 'pending' then
    return; -- the dispute was reported before its charge; the charge asks again
  end if;

  complained := exists (select from public.complaints c where c.payment_id = payment and c.decision is null);
  if known.open_disputes > 0 then
    update public.payments set escrow_status = 'frozen' where id = payment and escrow_status = 'held';
    if before.open_disputes = 0 or known.escrow_status = 'held' then
      perform private.notify_parties(known, 'chargeback_opened');
    end if;
  elsif known.lost_amount >= known.total then
    perform private.close_lost_payment(known);
  elsif known.unsettled_loss > 0 then
    update public.payments set escrow_status = 'frozen' where id = payment and escrow_status = 'held';
    if before.open_disputes > 0 or before.unsettled_loss <> known.unsettled_loss or known.escrow_status = 'held' then
      perform private.notify_parties(known, 'payment_lost_in_part');
      perform private.notify_admins_of_loss(known);
    end if;
  elsif known.escrow_status = 'frozen' then
    update public.payments set escrow_status = 'held' where id = payment and not complained;
    if before.open_disputes > 0 or before.unsettled_loss > 0 then
      perform private.notify_parties(known, 'chargeback_won');
      perform private.schedule_tick(now()); -- a giver who was silent all the while
    end if;
  end if;
end $$;

create function private.update_medians(days date[]) returns void
language sql set search_path = '' as $$
  delete from private.figures f where f.kind = 'verification_hours' and f.starts_on = any (days);
  insert into private.figures (period, starts_on, kind, amount)
  select k.period, k.starts_on, 'verification_hours', k.median from (
    select p.period, p.starts_on, private.median_hours(p.period, p.starts_on) as median
    from (select distinct f.period, f.starts_on from private.figures f where f.kind = 'verifications' and f.starts_on = any (days)) p
  ) k where k.median is not null
$$;

create function private.update_settled_payment(before public.payments, known public.payments) returns void
language plpgsql security definer set search_path = '' as $$
declare
  spared numeric := 0;
begin
  if known.lost_amount < least(before.lost_amount, known.settled_loss) then
    perform private.notify_admins('money_came_back', jsonb_build_object(
      'amount', least(before.lost_amount, known.settled_loss) - known.lost_amount,
      'task', (select title from public.tasks where id = known.task_id)), '/admin/verify-users?tab=complaints');
  end if;
  if known.open_disputes > 0 then
    return;
  end if;
  if known.refund_status in ('queued', 'failed') then
    spared := least(known.unsettled_loss, known.refund_amount);
    if spared > 0 then
      perform private.post_ledger(known.id, 'refund_spared', known.lost_amount::text,
        jsonb_build_object('giver', spared, 'disputes', -spared));
      update public.payments set refund_amount = refund_amount - spared, refund_refusals = refund_refusals + 1,
        refund_status = case when refund_amount = spared then 'none' else refund_status end, settled_loss = settled_loss + spared where id = known.id;
      perform private.notify_refund(known, 'refund_spared', spared);
    end if;
    perform private.enqueue_function('refund-payment', jsonb_build_object('payment_id', known.id), 'refund-' || known.id);
  end if;
  if known.payout_status in ('queued', 'failed') and known.unsettled_loss = spared then
    perform private.enqueue_function('release-payout', jsonb_build_object('payment_id', known.id), 'payout-' || known.id);
  elsif known.payout_status in ('sent', 'reversed', 'none') then
    update public.payments set settled_loss = greatest(settled_loss, lost_amount) where id = known.id;
  elsif known.unsettled_loss > spared and before.unsettled_loss <> known.unsettled_loss then
    perform private.notify_admins_of_loss(known);
  end if;
end $$;

create function private.withdraw_review_requests(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.notifications n using public.bookings b
  where n.key = 'review_asked' and person in (b.task_giver_id, b.task_doer_id)
    and n.user_id in (b.task_giver_id, b.task_doer_id) and n.link like private.booking_link(b.id) || '%';
  delete from private.email_events e using public.bookings b
  where e.key = 'review_asked' and e.email_id is null and person in (b.task_giver_id, b.task_doer_id) 
    and e.person_id in (b.task_giver_id, b.task_doer_id) and e.link like private.booking_link(b.id) || '%';
end $$;

create or replace function private.words_of_changes(facts jsonb) returns text
language sql stable set search_path = '' as $$
  select string_agg(case fact ->> 'what'
      when 'price' then format('the price is now $%s', to_char((fact ->> 'amount')::numeric, 'FM999999990.00'))
        || coalesce((select format(', your application stays at $%s', to_char((stays ->> 'amount')::numeric, 'FM999999990.00'))
          from jsonb_array_elements(facts) stays where stays ->> 'what' = 'stays'), '')
      when 'time' then 'the time is now ' || private.day_and_time((fact ->> 'at')::timestamptz) || ', ' || (private.marketplace() #>> '{texts,clock}')
      when 'anytime' then 'any time suits now'
      when 'place' then 'the place is now ' || (fact ->> 'place')
      else (select words from private.task_changes() where what = fact ->> 'what') end, '; ' order by nth)
  from jsonb_array_elements(facts) with ordinality as each (fact, nth)
$$;

create or replace function public.admin_figures(period text default 'week', periods integer default 12)
returns table (starts_on date, tasks bigint, bookings bigint, sign_ups bigint, held numeric, released numeric, fees numeric,
  verification_hours numeric)
language plpgsql stable security definer set search_path = '' as $$
declare
  step constant interval := case admin_figures.period when 'week' then interval '1 week' when 'month' then interval '1 month' end;
  running date;
  first date;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "see the figures"}');
  perform private.require(step is not null, 'admin.period_unknown', 'period');
  running := private.period_start(admin_figures.period, now());
  first := running - (least(greatest(coalesce(periods, 12), 1), 60) - 1) * step;
  return query
  with slots as (
    select s::date as day from generate_series(first::timestamp, running, step) s
  ), changed as (
    select private.period_start(admin_figures.period, c.happened_at) as day, c.kind, sum(c.amount) as amount
    from private.figure_changes c where c.happened_at >= first::timestamp at time zone private.time_zone() group by 1, 2
  ), sums as (
    select k.day, sum(k.amount) filter (where k.kind = 'tasks') as tasks, sum(k.amount) filter (where k.kind = 'bookings') as bookings,
      sum(k.amount) filter (where k.kind = 'sign_ups') as sign_ups, sum(k.amount) filter (where k.kind = 'held') as held,
      sum(k.amount) filter (where k.kind = 'released') as released, sum(k.amount) filter (where k.kind = 'fees') as fees,
      sum(k.amount) filter (where k.kind = 'verification_hours') as hours, coalesce(bool_or(k.kind = 'verifications'), false) as decided
    from (
      select s.day, f.kind, f.amount from slots s join private.figures f on f.period = admin_figures.period and f.starts_on = s.day
        and f.kind in ('tasks', 'bookings', 'sign_ups', 'held', 'released', 'fees', 'verification_hours')
      union all
      select c.day, c.kind, c.amount from changed c
    ) k group by 1
  )
  select slots.day, coalesce(s.tasks, 0)::bigint, coalesce(s.bookings, 0)::bigint, coalesce(s.sign_ups, 0)::bigint,
    coalesce(s.held, 0), coalesce(s.released, 0), coalesce(s.fees, 0),
    case when s.decided then private.median_hours(admin_figures.period, slots.day) else s.hours end
  from slots left join sums s on s.day = slots.day order by 1;
end $$;

create or replace function public.begin_push(max_messages integer) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  taken jsonb;
begin
  -- A push after a day is news no more; a browser whose session has ended is nobody's.
  delete from private.push_messages where due_at < now() - interval '1 day';
  delete from public.push_subscriptions s using private.push_messages m
  where m.subscription_id = s.id and m.due_at <= now()
    and s.session_id is not null and not exists (select from auth.sessions a where a.id = s.session_id);
  with due as (
    select id from private.push_messages where due_at <= now() and (taken_until is null or taken_until <= now())
    order by due_at limit least(greatest(max_messages, 0), 100) for update skip locked
  ), begun as (
    update private.push_messages m set attempts = m.attempts + 1, taken_until = now() + interval '10 minutes'
    from due where m.id = due.id returning m.*
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', b.id, 'endpoint', s.endpoint, 'p256dh', s.p256dh,
      'auth_secret', s.auth_secret, 'key', b.key, 'kind', t.kind, 'title', private.earlier_syntax(t.title),
      'message', private.earlier_syntax(t.message), 'texts', jsonb_build_object('title', t.title, 'message', t.message), 'params', b.params,
      'link', b.link, 'language', (select p.language from private.profiles p where p.id = s.user_id)) order by b.due_at), '[]') into taken
  from begun b join public.push_subscriptions s on s.id = b.subscription_id
  join private.notification_texts t on t.key = b.key;
  if taken <> '[]' then
    -- Whoever took them may die; one such job is enough, and a later one takes its place.
    perform private.enqueue_function('send-push', '{}', 'send-push-taken', now() + interval '10 minutes');
  end if;
  return taken;
end $$;

create or replace function public.decide_loss(
  payment_id uuid, decision public.loss_decision, returned_amount numeric default null
) returns jsonb language plpgsql security definer set search_path = '' as $$
declare
  payment public.payments;
  stage public.booking_status;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "decide about a payment"}');
  perform private.lock_booking_and_payment(decide_loss.payment_id);
  select * into payment from public.payments p where p.id = decide_loss.payment_id;
  perform private.require(payment.id is not null, 'payment.not_found', 'payment_id');
  perform private.allow(auth.uid() not in (payment.payer_id, payment.payee_id),
    'admin.own_case', '{"matter": "about the payment of your own booking"}');
  perform private.require(decide_loss.decision is not null, 'payment.decision_required', 'decision');
  perform private.require(payment.open_disputes = 0, private.frozen_code(payment), 'payment_id');
  perform private.require(payment.unsettled_loss > 0 and payment.escrow_status <> 'pending',
    'payment.nothing_to_decide', 'payment_id');
  perform private.require(not exists (select from public.complaints c where c.payment_id = payment.id and c.decision is null),
    'payment.complaint_open', 'payment_id');
  select status into strict stage from public.bookings where id = payment.booking_id;
  perform private.require(decide_loss.decision <> 'split' or (stage = 'completed' and payment.escrow_status = 'frozen'),
    'payment.not_splittable', 'decision');
  perform private.require(decide_loss.decision <> 'split' or (returned_amount > 0 and returned_amount < payment.amount),
    'payment.split_out_of_range', 'returned_amount');

  if payment.escrow_status <> 'frozen' then
    if decide_loss.decision = 'refund' then -- the payout that was not sent stays here
      perform private.post_ledger(payment.id, 'payout_kept', payment.lost_amount::text,
        jsonb_build_object('tasker', payment.payout_amount, 'disputes', -payment.payout_amount));
      update public.payments set payout_amount = 0, payout_status = 'none' where id = payment.id;
      perform private.recount_person(least(payment.payer_id, payment.payee_id)); -- one job less that was paid
      perform private.recount_person(greatest(payment.payer_id, payment.payee_id));
    end if;
    update public.payments set settled_loss = lost_amount where id = payment.id;
    perform private.update_disputed_payment(payment.id);
  elsif decide_loss.decision = 'carry_on' then
    update public.payments set escrow_status = 'held', settled_loss = lost_amount where id = payment.id;
    perform private.schedule_tick(now());
  else
    perform private.settle_decision(payment,
      case decide_loss.decision when 'refund' then payment.amount else round(decide_loss.returned_amount, 2) end, 'refunded');
    perform private.end_unpaid_booking(payment, stage);
  end if;
  perform private.notify_parties(payment, 'loss_decided');
  select * into strict payment from public.payments p where p.id = decide_loss.payment_id;
  return jsonb_build_object(
    'payout_cents', case when payment.payout_status in ('queued', 'waiting', 'failed') then (payment.payout_amount * 100)::bigint else 0 end,
    'refund_cents', case when payment.refund_status in ('queued', 'failed') then (payment.refund_amount * 100)::bigint else 0 end);
end $$;

create or replace function public.fail_refund(payment_id uuid, message text, idempotency_key text, code text default null) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  select * into due from public.payments p where p.id = fail_refund.payment_id for no key update;
  if due.refund_status is null or due.refund_status not in ('queued', 'failed')
      or fail_refund.idempotency_key is distinct from private.next_key('refund', due.id, due.refund_refusals) then
    return;
  end if;
  update public.payments set refund_status = 'failed', refund_refusals = refund_refusals + 1 where id = due.id;
  perform private.note_failure(due.id, 'refund', coalesce(fail_refund.message, ''), fail_refund.code);
  if due.refund_status = 'queued' then
    perform private.notify_refund(due, 'refund_failed', due.refund_amount, private.reason_of_refused_refund(fail_refund.code));
  end if;
end $$;

create or replace function public.finish_refund(payment_id uuid, refund_id text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
begin
  if private.record_sent_refund(finish_refund.payment_id, finish_refund.refund_id) then
    select * into strict due from public.payments p where p.id = finish_refund.payment_id;
    perform private.notify_refund(due, 'refund_sent', due.refund_amount);
  end if;
end $$;

create or replace function public.my_earnings_by_month() returns table (month date, amount numeric, payouts integer)
language sql stable security invoker set search_path = '' as $$
  select date_trunc('month', r.issued_at at time zone private.time_zone())::date, sum(p.payout_amount), count(*)::integer
  from public.receipts r join public.payments p on p.id = r.payment_id
  where r.person_id = (select auth.uid()) and r.kind = 'statement' and p.payout_amount > 0
  group by 1 order by 1
$$;

create or replace function public.retry_refund(payment_id uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  due public.payments;
  job constant text := 'refund-' || retry_refund.payment_id;
begin
  perform private.allow(private.is_admin(), 'admin.required', '{"action": "send a refund again"}');
  perform private.lock_booking_and_payment(retry_refund.payment_id);
  select * into due from public.payments p where p.id = retry_refund.payment_id;
  perform private.require(due.id is not null, 'payment.not_found', 'payment_id');
  perform private.allow(auth.uid() <> due.payer_id, 'admin.own_case', '{"matter": "about your own refund"}');
  perform private.require(due.open_disputes = 0, private.frozen_code(due), 'payment_id');
  perform private.require(due.refund_status in ('queued', 'failed'), 'refund.none_to_send', 'payment_id');
  if due.refund_status = 'queued' and exists (select from pgmq.q_effects q where q.message ->> 'key' = job) then
    return;
  end if;
  update public.payments set refund_status = 'queued' where id = due.id and refund_status = 'failed';
  -- Its tries begin anew: those that wait, or were given up, are no more.
  with over as (
    delete from pgmq.q_effects q where q.message ->> 'key' = job returning q.msg_id
  ), given_up as (
    delete from pgmq.a_effects a using private.failed_effects f
    where f.id = a.msg_id and f.given_up_at is not null and a.message ->> 'key' = job returning a.msg_id)
  delete from private.failed_effects f where f.id in (select msg_id from over union all select msg_id from given_up);
  perform private.enqueue_function('refund-payment', jsonb_build_object('payment_id', due.id), job);
end $$;

alter table public.payments alter column currency set default private.currency();

alter table public.payments drop constraint payments_currency_check;
alter table public.payments add constraint payments_currency_check CHECK ((currency = private.currency()));

drop trigger create_profile on auth.users;

drop trigger end_favourites on auth.users;

drop trigger end_requests on auth.users;

drop trigger erase_exports on auth.users;

drop trigger erase_person on auth.users;

drop trigger erase_photos on auth.users;

drop trigger erase_shown_pictures on auth.users;

drop trigger sync_profile_email on auth.users;

drop trigger "10_language" on private.profiles;

drop trigger "20_badge_decision" on private.profiles;

drop trigger "21_account" on private.profiles;

drop trigger "21_owner" on private.profiles;

drop trigger "40_name" on private.profiles;

drop trigger "41_badge_of_name" on private.profiles;

drop trigger "42_verified_name" on private.profiles;

drop trigger "43_tidy" on private.profiles;

drop trigger "44_phone" on private.profiles;

drop trigger "45_city" on private.profiles;

drop trigger "46_bio" on private.profiles;

drop trigger "47_avatar" on private.profiles;

drop trigger "47_photo_file" on private.profiles;

drop trigger "48_experience" on private.profiles;

drop trigger "49_rate_min" on private.profiles;

drop trigger "50_rate_max" on private.profiles;

drop trigger "51_availability" on private.profiles;

drop trigger "52_language" on private.profiles;

drop trigger "53_skills" on private.profiles;

drop trigger "54_preferred_categories" on private.profiles;

drop trigger "80_language_to_account" on private.profiles;

drop trigger "90_count_sign_up" on private.profiles;

drop trigger "90_rate_cents" on private.profiles;

drop trigger change_photo on private.profiles;

drop trigger erase_emails on private.profiles;

drop trigger erase_push on private.profiles;

drop trigger follow_admin_verification on private.profiles;

drop trigger follow_name on private.profiles;

drop trigger follow_photo on private.profiles;

drop trigger forget_customer on private.profiles;

drop trigger forget_names on private.profiles;

drop trigger forget_review_requests on private.profiles;

drop trigger move_hidden_files on private.profiles;

drop trigger recount_after_verification on private.profiles;

drop trigger write_audit_of_hiding on private.profiles;

drop trigger "20_append_only" on public.audit_log;

drop trigger "20_append_only_as_a_whole" on public.audit_log;

drop trigger "11_message" on public.bookings;

drop trigger "12_tidy" on public.bookings;

drop trigger "19_account" on public.bookings;

drop trigger "20_own" on public.bookings;

drop trigger "21_doers" on public.bookings;

drop trigger "28_limit" on public.bookings;

drop trigger "29_shown" on public.bookings;

drop trigger "30_application" on public.bookings;

drop trigger "31_price_agreed" on public.bookings;

drop trigger "32_notes_on_completion" on public.bookings;

drop trigger "33_reason_on_cancellation" on public.bookings;

drop trigger "39_account" on public.bookings;

drop trigger "40_first_step" on public.bookings;

drop trigger "40_step" on public.bookings;

drop trigger "50_accepted" on public.bookings;

drop trigger "51_in_progress" on public.bookings;

drop trigger "52_completed" on public.bookings;

drop trigger "52_photos" on public.bookings;

drop trigger "53_cancelled" on public.bookings;

drop trigger "54_undone_decline" on public.bookings;

drop trigger "90_count_booking" on public.bookings;

drop trigger "90_first_stamp" on public.bookings;

drop trigger "90_stamp" on public.bookings;

drop trigger drop_photos on public.bookings;

drop trigger follow_application on public.bookings;

drop trigger follow_booking on public.bookings;

drop trigger follow_undone_decline on public.bookings;

drop trigger open_after_application on public.bookings;

drop trigger recount_after_booking on public.bookings;

drop trigger schedule_for_application on public.bookings;

drop trigger schedule_for_booking on public.bookings;

drop trigger schedule_recount on public.bookings;

drop trigger schedule_reminder on public.bookings;

drop trigger within_limit on public.bookings;

drop trigger "10_tidy" on public.complaints;

drop trigger "11_reason_min" on public.complaints;

drop trigger "12_reason_max" on public.complaints;

drop trigger "30_booking" on public.complaints;

drop trigger "31_answer" on public.complaints;

drop trigger "40_photos" on public.complaints;

drop trigger follow_answer on public.complaints;

drop trigger follow_complaint on public.complaints;

drop trigger hold_reviews on public.complaints;

drop trigger "27_limit" on public.data_exports;

drop trigger "20_own" on public.favourites;

drop trigger "29_limit" on public.favourites;

drop trigger "30_tasker" on public.favourites;

drop trigger "31_count" on public.favourites;

drop trigger "20_append_only" on public.ledger_entries;

drop trigger "20_append_only_as_a_whole" on public.ledger_entries;

drop trigger "90_count_entry" on public.ledger_entries;

drop trigger "10_tidy" on public.messages;

drop trigger "11_message" on public.messages;

drop trigger "20_account" on public.messages;

drop trigger "20_parties" on public.messages;

drop trigger "21_limit" on public.messages;

drop trigger "30_photo" on public.messages;

drop trigger "90_read" on public.messages;

drop trigger announce_hidden_message on public.messages;

drop trigger announce_message on public.messages;

drop trigger forget_hidden_message on public.messages;

drop trigger move_hidden_files on public.messages;

drop trigger queue_message_email on public.messages;

drop trigger recount_after_message on public.messages;

drop trigger settle_message_email on public.messages;

drop trigger settle_message_notice on public.messages;

drop trigger "40_required" on public.notification_preferences;

drop trigger "90_settle" on public.notifications;

drop trigger "27_limit" on public.payment_methods;

drop trigger "40_token" on public.payment_methods;

drop trigger "41_last4" on public.payment_methods;

drop trigger "42_brand" on public.payment_methods;

drop trigger "43_expiry" on public.payment_methods;

drop trigger follow_card_removal on public.payment_methods;

drop trigger "20_account" on public.payments;

drop trigger "30_release" on public.payments;

drop trigger "90_stamp" on public.payments;

drop trigger document_payment on public.payments;

drop trigger follow_failed_transfer on public.payments;

drop trigger follow_release on public.payments;

drop trigger recount_after_payment on public.payments;

drop trigger request_reviews on public.payments;

drop trigger settle_confirmation_notice on public.payments;

drop trigger "10_last4" on public.payout_accounts;

drop trigger "11_complete" on public.payout_accounts;

drop trigger "30_pending" on public.payout_accounts;

drop trigger "31_confirmed" on public.payout_accounts;

drop trigger "32_by_provider" on public.payout_accounts;

drop trigger "90_manual" on public.payout_accounts;

drop trigger "90_pending_again" on public.payout_accounts;

drop trigger forget_bank on public.payout_accounts;

drop trigger resume_payouts on public.payout_accounts;

drop trigger within_limit on public.push_subscriptions;

drop trigger "20_kept" on public.receipts;

drop trigger "20_kept_as_a_whole" on public.receipts;

drop trigger "27_limit" on public.reports;

drop trigger "10_tidy" on public.reviews;

drop trigger "11_rating" on public.reviews;

drop trigger "12_comment" on public.reviews;

drop trigger "20_account" on public.reviews;

drop trigger "20_own" on public.reviews;

drop trigger "30_booking" on public.reviews;

drop trigger follow_review on public.reviews;

drop trigger "10_tidy" on public.task_addresses;

drop trigger "40_address" on public.task_addresses;

drop trigger within_limit on public.task_addresses;

drop trigger "10_tidy" on public.tasks;

drop trigger "19_hold" on public.tasks;

drop trigger "20_account" on public.tasks;

drop trigger "20_account_edit" on public.tasks;

drop trigger "20_poster" on public.tasks;

drop trigger "27_limit" on public.tasks;

drop trigger "31_agreed" on public.tasks;

drop trigger "32_step" on public.tasks;

drop trigger "33_asked" on public.tasks;

drop trigger "33_hold" on public.tasks;

drop trigger "40_title" on public.tasks;

drop trigger "42_description" on public.tasks;

drop trigger "44_category" on public.tasks;

drop trigger "45_location" on public.tasks;

drop trigger "50_pay" on public.tasks;

drop trigger "60_tools" on public.tasks;

drop trigger "70_schedule" on public.tasks;

drop trigger "72_duration" on public.tasks;

drop trigger "80_photos" on public.tasks;

drop trigger "90_count_kinds" on public.tasks;

drop trigger "90_count_task" on public.tasks;

drop trigger "90_pay_cents" on public.tasks;

drop trigger "91_asked" on public.tasks;

drop trigger drop_photos on public.tasks;

drop trigger follow_asked_task on public.tasks;

drop trigger follow_changed_task on public.tasks;

drop trigger follow_task on public.tasks;

drop trigger follow_withdrawn_request on public.tasks;

drop trigger forget_hidden_task on public.tasks;

drop trigger move_hidden_files on public.tasks;

drop trigger record_photos on public.tasks;

drop trigger schedule_for_task on public.tasks;

drop trigger sync_profile_role on public.user_roles;

drop trigger "20_submission" on public.verifications;

drop trigger "21_resubmission" on public.verifications;

drop trigger "22_admin" on public.verifications;

drop trigger "30_resubmitted" on public.verifications;

drop trigger "30_submitted" on public.verifications;

drop trigger "31_decision" on public.verifications;

drop trigger "32_approval" on public.verifications;

drop trigger "33_stamp" on public.verifications;

drop trigger "40_terms" on public.verifications;

drop trigger "41_privacy" on public.verifications;

drop trigger "42_tidy" on public.verifications;

drop trigger "43_legal_name_min" on public.verifications;

drop trigger "44_legal_name_max" on public.verifications;

drop trigger "45_birth" on public.verifications;

drop trigger "46_age" on public.verifications;

drop trigger "47_background_check" on public.verifications;

drop trigger "48_insurance" on public.verifications;

drop trigger "49_sin" on public.verifications;

drop trigger "50_id_type" on public.verifications;

drop trigger "51_insurance_details" on public.verifications;

drop trigger "52_skills" on public.verifications;

drop trigger "90_age" on public.verifications;

drop trigger "90_count_verification" on public.verifications;

drop trigger apply_verification on public.verifications;

drop trigger share_skills_of_new on public.verifications;

drop trigger share_skills_of_resubmitted on public.verifications;

drop trigger within_limit_again on public.verifications;

drop trigger check_storage_quota on storage.objects;

drop trigger check_storage_quota_again on storage.objects;

create trigger after_account_change after insert or update of email or delete on auth.users
for each row execute function private.after_account_change();

create trigger before_account_delete before delete on auth.users
for each row execute function private.before_account_delete();

create trigger after_profile_change after insert or update or delete on private.profiles
for each row execute function private.after_profile_change();

create trigger before_profile_update before update on private.profiles
for each row execute function private.before_profile_update();

drop trigger write_audit on private.profiles;
create trigger write_audit after update on private.profiles for each row
when ((new.verified_by_admin, new.verification_notes, new.verified_at, new.verified_by, new.hidden_for)
  is distinct from (old.verified_by_admin, old.verification_notes, old.verified_at, old.verified_by, old.hidden_for))
execute function private.write_audit('verified_by_admin', 'verification_notes', 'verified_at', 'verified_by', 'hidden_for');

create trigger before_audit_entry_change before update or delete on public.audit_log
for each row execute function private.before_audit_entry_change();

create trigger before_audit_log_truncate before truncate on public.audit_log
for each statement execute function private.refuse_audit_truncate();

create trigger after_booking_change after insert or update or delete on public.bookings
for each row execute function private.after_booking_change();

create trigger before_booking_insert before insert on public.bookings
for each row execute function private.before_booking_insert();

create trigger before_booking_update before update on public.bookings
for each row execute function private.before_booking_update();

create trigger after_complaint_change after insert or update on public.complaints
for each row execute function private.after_complaint_change();

create trigger before_complaint_insert before insert on public.complaints
for each row execute function private.before_complaint_insert();

create trigger before_complaint_update before update on public.complaints
for each row execute function private.before_complaint_update();

create trigger before_data_export_insert before insert on public.data_exports
for each row execute function private.before_data_export_insert();

create trigger before_favourite_insert before insert on public.favourites
for each row execute function private.before_favourite_insert();

create trigger after_ledger_entry_insert after insert on public.ledger_entries
for each row execute function private.after_ledger_entry_insert();

create trigger before_ledger_entry_change before update or delete on public.ledger_entries
for each row execute function private.before_ledger_entry_change();

create trigger before_ledger_truncate before truncate on public.ledger_entries
for each statement execute function private.before_ledger_entry_change();

create trigger after_message_insert after insert on public.messages
for each row execute function private.after_message_insert();

create trigger after_message_update after update on public.messages
for each row execute function private.after_message_update();

create trigger before_message_insert before insert on public.messages
for each row execute function private.before_message_insert();

create trigger before_message_update before update on public.messages
for each row execute function private.before_message_update();

create trigger before_notification_preference_change before insert or update on public.notification_preferences
for each row execute function private.before_notification_preference_change();

drop trigger within_limit on public.notification_preferences;
create trigger within_limit after insert or update on public.notification_preferences
for each row execute function private.limit_settings_changes();

create trigger before_notification_update before update on public.notifications
for each row execute function private.before_notification_update();

create trigger after_payment_method_delete after delete on public.payment_methods
for each row execute function private.after_payment_method_delete();

create trigger before_payment_method_change before insert or update on public.payment_methods
for each row execute function private.before_payment_method_change();

create trigger after_payment_update after update on public.payments
for each row execute function private.after_payment_update();

create trigger before_payment_insert before insert on public.payments
for each row execute function private.before_payment_insert();

create trigger before_payment_update before update on public.payments
for each row execute function private.before_payment_update();

create trigger after_payout_account_change after insert or update of account_status or delete on public.payout_accounts
for each row execute function private.after_payout_account_change();

create trigger before_payout_account_change before insert or update on public.payout_accounts
for each row execute function private.before_payout_account_change();

drop trigger within_limit on public.payout_accounts;
create trigger within_limit after insert or update on public.payout_accounts
for each row execute function private.limit_payout_account_changes();

create trigger after_push_subscription_insert after insert on public.push_subscriptions
for each row execute function private.after_push_subscription_insert();

drop trigger within_limit on public.quiet_hours;
create trigger within_limit after insert or update on public.quiet_hours
for each row execute function private.limit_settings_changes();

create trigger before_receipt_delete before delete on public.receipts
for each row execute function private.before_receipt_delete();

create trigger before_receipts_truncate before truncate on public.receipts
for each statement execute function private.before_receipt_delete();

create trigger before_report_insert before insert on public.reports
for each row execute function private.before_report_insert();

create trigger after_review_change after insert on public.reviews
for each row execute function private.after_review_change();

create trigger before_review_change before insert on public.reviews
for each row execute function private.before_review_change();

create trigger after_task_address_change after insert or update on public.task_addresses
for each row execute function private.after_task_address_change();

create trigger before_task_address_change before insert or update on public.task_addresses
for each row execute function private.before_task_address_change();

create trigger after_task_change after insert or update or delete on public.tasks
for each row execute function private.after_task_change();

create trigger before_task_change before insert or update on public.tasks
for each row execute function private.before_task_change();

create trigger after_user_role_change after insert or update of user_id, role or delete on public.user_roles
for each row execute function private.after_user_role_change();

create trigger after_verification_change after insert or update or delete on public.verifications
for each row execute function private.after_verification_change();

create trigger before_verification_change before insert or update on public.verifications
for each row execute function private.before_verification_change();

drop trigger within_limit on public.verifications;
create trigger within_limit after insert or update on public.verifications
for each row execute function private.limit_submissions();

create trigger before_file_change before insert or update of bucket_id, owner_id, metadata on storage.objects
for each row execute function private.before_file_change();

drop policy "who has left changes no profile" on private.profiles;

drop policy "who has left saves nobody" on public.favourites;

drop policy "who has left writes no message" on public.messages;

drop policy "who has left chooses nothing" on public.notification_preferences;

drop policy "who has left adds no card" on public.payment_methods;

drop policy "who has left adds no payout account" on public.payout_accounts;

drop policy "who has left has no hours" on public.quiet_hours;

drop policy "who has left reviews nobody" on public.reviews;

drop policy "who has left adds no address" on public.task_addresses;

drop policy "people hear of their own account" on realtime.messages;

drop policy "both parties put up photos of the work" on storage.objects;

drop policy "givers put up photos of their tasks" on storage.objects;

drop policy "givers take down what no task of theirs shows" on storage.objects;

drop policy "people hand in their own documents" on storage.objects;

drop policy "people put up their own photos" on storage.objects;

drop policy "people take down their own photos, admins any" on storage.objects;

drop policy "people take down their photos of the work until they are handed" on storage.objects;

drop policy "people withdraw their own documents, admins any" on storage.objects;

drop policy "suspended people put up nothing public" on storage.objects;

drop policy "what was dropped is nobody's" on storage.objects;

drop policy "who has left puts up no file" on storage.objects;

create policy "deleted accounts cannot change profiles" on private.profiles as restrictive for update to authenticated
using ((select private.has_account()));

create policy "deleted accounts cannot save taskers" on public.favourites as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "deleted accounts cannot write messages" on public.messages as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "deleted accounts cannot set preferences" on public.notification_preferences as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "deleted accounts cannot add cards" on public.payment_methods as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "deleted accounts cannot add payout accounts" on public.payout_accounts as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "deleted accounts cannot set quiet hours" on public.quiet_hours as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "deleted accounts cannot write reviews" on public.reviews as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "deleted accounts cannot add addresses" on public.task_addresses as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "people receive broadcasts about their own account" on realtime.messages for select to authenticated
using (extension = 'broadcast' and (select realtime.topic()) = 'account:' || (select auth.uid()));

create policy "both parties upload photos of the work" on storage.objects for insert to authenticated
with check (bucket_id = 'booking-photos' and private.may_show_work(private.photo_folder(name))
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url' and private.has_room_for_photo(bucket_id));

create policy "deleted accounts cannot upload files" on storage.objects as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "dropped files are not accessible" on storage.objects as restrictive for all to authenticated
using (not private.is_dropped(bucket_id, name));

create policy "givers remove photos that none of their tasks shows" on storage.objects for delete to authenticated
using (bucket_id = 'task-photos' and private.photo_folder(name) = (select auth.uid())
  and not private.photo_is_kept(bucket_id, name));

create policy "givers upload photos of their tasks" on storage.objects for insert to authenticated
with check (bucket_id = 'task-photos' and private.photo_folder(name) = (select auth.uid())
  and ((select private.has_role('task_giver')) or (select private.is_admin()))
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url' and private.has_room_for_photo(bucket_id));

create policy "people remove their own documents, admins any" on storage.objects for delete to authenticated
using (bucket_id = 'identity-documents' and ((select private.is_admin())
  or ((storage.foldername(name))[1] = (select auth.uid())::text and not (select private.has_submitted_verification()))));

create policy "people remove their own photos, admins any" on storage.objects for delete to authenticated
using (bucket_id = 'profile-photos'
  and (left(name, 36) = (select auth.uid())::text or (select private.is_admin())));

create policy "people remove their photos of the work until they submit them" on storage.objects for delete to authenticated
using (bucket_id = 'booking-photos' and owner_id = (select auth.uid())::text
  and private.is_party(private.photo_folder(name)) and not private.photo_is_kept(bucket_id, name));

create policy "people upload their own documents" on storage.objects for insert to authenticated
with check (bucket_id = 'identity-documents' and (storage.foldername(name))[1] = (select auth.uid())::text
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url');

create policy "people upload their own photos" on storage.objects for insert to authenticated
with check (bucket_id = 'profile-photos' and left(name, 36) = (select auth.uid())::text
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url');

create policy "suspended people upload nothing public" on storage.objects as restrictive for insert to authenticated
with check (private.may_upload(bucket_id));

drop function private.announce_hidden_message();

drop function private.announce_message();

drop function private.apply_verification();

drop function private.book_total(uuid,text,text,numeric);

drop function private.carry_language_to_account();

drop function private.change_payout_account();

drop function private.change_profile_photo();

drop function private.check_acceptance();

drop function private.check_answer();

drop function private.check_application();

drop function private.check_asked_tasker();

drop function private.check_badge_decision();

drop function private.check_booking_step();

drop function private.check_cancellation();

drop function private.check_complaint();

drop function private.check_complaint_photos();

drop function private.check_completion();

drop function private.check_completion_photos();

drop function private.check_favourites_count();

drop function private.check_message_parties();

drop function private.check_message_photo();

drop function private.check_message_text();

drop function private.check_preference();

drop function private.check_preferred_categories();

drop function private.check_profile_name();

drop function private.check_profile_owner();

drop function private.check_profile_photo();

drop function private.check_profile_skills();

drop function private.check_release();

drop function private.check_resubmission();

drop function private.check_reviewed_booking();

drop function private.check_start();

drop function private.check_storage_quota();

drop function private.check_submission();

drop function private.check_task_address();

drop function private.check_task_category();

drop function private.check_task_description();

drop function private.check_task_duration();

drop function private.check_task_is_free();

drop function private.check_task_is_shown();

drop function private.check_task_location();

drop function private.check_task_pay();

drop function private.check_task_photos();

drop function private.check_task_poster();

drop function private.check_task_schedule();

drop function private.check_task_step();

drop function private.check_task_title();

drop function private.check_task_tools();

drop function private.check_undone_decline();

drop function private.check_verification_admin();

drop function private.check_verification_decision();

drop function private.count_booking();

drop function private.count_entry();

drop function private.count_kinds();

drop function private.count_sign_up();

drop function private.count_task();

drop function private.count_verification();

drop function private.create_profile();

drop function private.document_payment();

drop function private.drop_booking_photos();

drop function private.drop_task_photos();

drop function private.end_booking_of(public.payments,public.booking_status);

drop function private.end_requests();

drop function private.erase_emails();

drop function private.erase_exports();

drop function private.erase_person();

drop function private.erase_photos();

drop function private.erase_push();

drop function private.erase_shown_pictures();

drop function private.follow_admin_verification();

drop function private.follow_asked_task();

drop function private.follow_booking();

drop function private.follow_card_removal();

drop function private.follow_changed_task();

drop function private.follow_complaint();

drop function private.follow_disputes(uuid);

drop function private.follow_disputes_after_settlement(public.payments,public.payments);

drop function private.follow_failed_transfer();

drop function private.follow_name();

drop function private.follow_photo();

drop function private.follow_release();

drop function private.follow_review();

drop function private.follow_task();

drop function private.follow_undone_decline();

drop function private.follow_withdrawn_request();

drop function private.forbid();

drop function private.forget_bank();

drop function private.forget_customer();

drop function private.forget_favourites();

drop function private.forget_hidden_message();

drop function private.forget_hidden_task();

drop function private.forget_names();

drop function private.forget_review_requests();

drop function private.hold_reviews();

drop function private.hold_task();

drop function private.is_over(private.email_events);

drop function private.keep_asked_tasker();

drop function private.keep_medians(date[]);

drop function private.limit_activity();

drop function private.limit_answers();

drop function private.limit_applications();

drop function private.limit_caller();

drop function private.limit_cards();

drop function private.limit_tasks();

drop function private.lock_money(uuid);

drop function private.lose_payment(public.payments);

drop function private.mark_read();

drop function private.move_hidden_files();

drop function private.note_age();

drop function private.notify_both(public.payments,text);

drop function private.notify_completion(public.bookings,text,text);

drop function private.notify_not_chosen(public.bookings,text);

drop function private.notify_of_cancellation(public.booking_status,public.bookings,text,boolean);

drop function private.open_after_application();

drop function private.open_payout_account();

drop function private.queue_message_email();

drop function private.record_task_photos();

drop function private.recount_after_booking();

drop function private.recount_after_message();

drop function private.recount_after_payment();

drop function private.recount_after_verification();

drop function private.refuse_suspended();

drop function private.refuse_suspended_edit();

drop function private.refuse_suspended_profile();

drop function private.reject();

drop function private.request_reviews();

drop function private.resume_payouts();

drop function private.round_hourly_rate();

drop function private.round_pay();

drop function private.schedule_for_application();

drop function private.schedule_for_booking();

drop function private.schedule_for_task();

drop function private.schedule_recount();

drop function private.schedule_reminder();

drop function private.settle_confirmation_notice();

drop function private.settle_message_email();

drop function private.settle_message_notice();

drop function private.settle_notification();

drop function private.share_skills();

drop function private.stamp_booking();

drop function private.stamp_payment();

drop function private.stamp_submission();

drop function private.stamp_verification();

drop function private.sync_profile_email();

drop function private.sync_profile_role();

drop function private.sync_verified_name();

drop function private.take_badge_back();

drop function private.take_language_of_account();

drop function private.tell_of_refund(public.payments,text,numeric,text);

drop function private.tidy_booking();

drop function private.tidy_complaint();

drop function private.tidy_message();

drop function private.tidy_profile();

drop function private.tidy_review();

drop function private.tidy_task();

drop function private.tidy_task_address();

drop function private.tidy_verification();

grant execute on function private.change_payout_account(public.payout_accounts,public.payout_accounts) to authenticated;
grant execute on function private.change_payout_account(public.payout_accounts,public.payout_accounts) to service_role;
grant execute on function private.check_acceptance(public.bookings) to authenticated;
grant execute on function private.check_acceptance(public.bookings) to service_role;
grant execute on function private.check_answer(public.complaints,public.complaints) to authenticated;
grant execute on function private.check_answer(public.complaints,public.complaints) to service_role;
grant execute on function private.check_answer_photos(public.complaints,public.complaints) to authenticated;
grant execute on function private.check_answer_photos(public.complaints,public.complaints) to service_role;
grant execute on function private.check_application(public.bookings) to authenticated;
grant execute on function private.check_application(public.bookings) to service_role;
grant execute on function private.check_asked_tasker(public.tasks) to authenticated;
grant execute on function private.check_asked_tasker(public.tasks) to service_role;
grant execute on function private.check_badge_decision(private.profiles,private.profiles) to authenticated;
grant execute on function private.check_badge_decision(private.profiles,private.profiles) to service_role;
grant execute on function private.check_booking_step(public.bookings,public.bookings) to authenticated;
grant execute on function private.check_booking_step(public.bookings,public.bookings) to service_role;
grant execute on function private.check_cancellation(public.bookings,public.bookings) to authenticated;
grant execute on function private.check_cancellation(public.bookings,public.bookings) to service_role;
grant execute on function private.check_complaint(public.complaints) to authenticated;
grant execute on function private.check_complaint(public.complaints) to service_role;
grant execute on function private.check_complaint_photos(public.complaints) to authenticated;
grant execute on function private.check_complaint_photos(public.complaints) to service_role;
grant execute on function private.check_completion(public.bookings) to authenticated;
grant execute on function private.check_completion(public.bookings) to service_role;
grant execute on function private.check_completion_photos(public.bookings,public.bookings) to authenticated;
grant execute on function private.check_completion_photos(public.bookings,public.bookings) to service_role;
grant execute on function private.check_preferred_categories(private.profiles) to authenticated;
grant execute on function private.check_preferred_categories(private.profiles) to service_role;
grant execute on function private.check_profile_name(private.profiles) to authenticated;
grant execute on function private.check_profile_name(private.profiles) to service_role;
grant execute on function private.check_profile_owner(private.profiles,private.profiles) to authenticated;
grant execute on function private.check_profile_owner(private.profiles,private.profiles) to service_role;
grant execute on function private.check_profile_photo(private.profiles) to authenticated;
grant execute on function private.check_profile_photo(private.profiles) to service_role;
grant execute on function private.check_profile_skills(private.profiles) to authenticated;
grant execute on function private.check_profile_skills(private.profiles) to service_role;
grant execute on function private.check_release(public.payments,public.payments) to authenticated;
grant execute on function private.check_release(public.payments,public.payments) to service_role;
grant execute on function private.check_resubmission(public.verifications,public.verifications) to authenticated;
grant execute on function private.check_resubmission(public.verifications,public.verifications) to service_role;
grant execute on function private.check_reviewed_booking(public.reviews) to authenticated;
grant execute on function private.check_reviewed_booking(public.reviews) to service_role;
grant execute on function private.check_start(public.bookings) to authenticated;
grant execute on function private.check_start(public.bookings) to service_role;
grant execute on function private.check_submission(public.verifications) to authenticated;
grant execute on function private.check_submission(public.verifications) to service_role;
grant execute on function private.check_task_address(public.task_addresses) to authenticated;
grant execute on function private.check_task_address(public.task_addresses) to service_role;
grant execute on function private.check_task_category(public.tasks) to authenticated;
grant execute on function private.check_task_category(public.tasks) to service_role;
grant execute on function private.check_task_description(public.tasks) to authenticated;
grant execute on function private.check_task_description(public.tasks) to service_role;
grant execute on function private.check_task_duration(public.tasks) to authenticated;
grant execute on function private.check_task_duration(public.tasks) to service_role;
grant execute on function private.check_task_is_free(public.tasks,public.tasks) to authenticated;
grant execute on function private.check_task_is_free(public.tasks,public.tasks) to service_role;
grant execute on function private.check_task_location(public.tasks) to authenticated;
grant execute on function private.check_task_location(public.tasks) to service_role;
grant execute on function private.check_task_pay(public.tasks) to authenticated;
grant execute on function private.check_task_pay(public.tasks) to service_role;
grant execute on function private.check_task_photos(public.tasks,public.tasks) to authenticated;
grant execute on function private.check_task_photos(public.tasks,public.tasks) to service_role;
grant execute on function private.check_task_poster(public.tasks) to authenticated;
grant execute on function private.check_task_poster(public.tasks) to service_role;
grant execute on function private.check_task_schedule(public.tasks,public.tasks) to authenticated;
grant execute on function private.check_task_schedule(public.tasks,public.tasks) to service_role;
grant execute on function private.check_task_step(public.tasks,public.tasks) to authenticated;
grant execute on function private.check_task_step(public.tasks,public.tasks) to service_role;
grant execute on function private.check_task_title(public.tasks,public.tasks) to authenticated;
grant execute on function private.check_task_title(public.tasks,public.tasks) to service_role;
grant execute on function private.check_task_tools(public.tasks) to authenticated;
grant execute on function private.check_task_tools(public.tasks) to service_role;
grant execute on function private.check_undone_decline(public.bookings,public.bookings) to authenticated;
grant execute on function private.check_undone_decline(public.bookings,public.bookings) to service_role;
grant execute on function private.check_verification_admin(public.verifications,public.verifications) to authenticated;
grant execute on function private.check_verification_admin(public.verifications,public.verifications) to service_role;
grant execute on function private.check_verification_decision(public.verifications) to authenticated;
grant execute on function private.check_verification_decision(public.verifications) to service_role;
grant execute on function private.clear_subject_key(public.notifications) to authenticated;
grant execute on function private.clear_subject_key(public.notifications) to service_role;
grant execute on function private.confirm_age(public.verifications) to authenticated;
grant execute on function private.confirm_age(public.verifications) to service_role;
grant execute on function private.count_new_card() to authenticated;
grant execute on function private.count_new_card() to service_role;
grant execute on function private.currency() to anon;
grant execute on function private.currency() to authenticated;
grant execute on function private.currency() to service_role;
grant execute on function private.filled_text(text,jsonb) to anon;
grant execute on function private.filled_text(text,jsonb) to authenticated;
grant execute on function private.filled_text(text,jsonb) to service_role;
grant execute on function private.has_new_details(private.profiles,private.profiles) to authenticated;
grant execute on function private.has_new_details(private.profiles,private.profiles) to service_role;
grant execute on function private.has_uploaded_photo(public.messages) to authenticated;
grant execute on function private.has_uploaded_photo(public.messages) to service_role;
grant execute on function private.hold_task(public.tasks) to authenticated;
grant execute on function private.hold_task(public.tasks) to service_role;
grant execute on function private.is_avatar_address(text) to authenticated;
grant execute on function private.is_avatar_address(text) to service_role;
grant execute on function private.is_edited(public.tasks,public.tasks) to authenticated;
grant execute on function private.is_edited(public.tasks,public.tasks) to service_role;
grant execute on function private.is_erasing() to anon;
grant execute on function private.is_erasing() to authenticated;
grant execute on function private.is_erasing() to service_role;
grant execute on function private.is_of_age(date) to authenticated;
grant execute on function private.is_of_age(date) to service_role;
grant execute on function private.keep_asked_tasker(public.tasks,public.tasks) to authenticated;
grant execute on function private.keep_asked_tasker(public.tasks,public.tasks) to service_role;
grant execute on function private.limit_applications(uuid) to authenticated;
grant execute on function private.limit_applications(uuid) to service_role;
grant execute on function private.limit_client(text) to authenticated;
grant execute on function private.limit_client(text) to service_role;
grant execute on function private.limit_task_changes(uuid) to authenticated;
grant execute on function private.limit_task_changes(uuid) to service_role;
grant execute on function private.mark_message_read(public.messages,public.messages) to authenticated;
grant execute on function private.mark_message_read(public.messages,public.messages) to service_role;
grant execute on function private.marketplace() to anon;
grant execute on function private.marketplace() to authenticated;
grant execute on function private.marketplace() to service_role;
grant execute on function private.marketplace_number(text) to anon;
grant execute on function private.marketplace_number(text) to authenticated;
grant execute on function private.marketplace_number(text) to service_role;
grant execute on function private.open_payout_account(public.payout_accounts) to authenticated;
grant execute on function private.open_payout_account(public.payout_accounts) to service_role;
grant execute on function private.refuse_suspended_profile(private.profiles,private.profiles) to authenticated;
grant execute on function private.refuse_suspended_profile(private.profiles,private.profiles) to service_role;
grant execute on function private.remove_badge(private.profiles) to authenticated;
grant execute on function private.remove_badge(private.profiles) to service_role;
grant execute on function private.require_active_account() to authenticated;
grant execute on function private.require_active_account() to service_role;
grant execute on function private.require_active_giver() to authenticated;
grant execute on function private.require_active_giver() to service_role;
grant execute on function private.round_hourly_rate(private.profiles) to authenticated;
grant execute on function private.round_hourly_rate(private.profiles) to service_role;
grant execute on function private.round_pay(public.tasks) to authenticated;
grant execute on function private.round_pay(public.tasks) to service_role;
grant execute on function private.stamp_booking(public.bookings) to authenticated;
grant execute on function private.stamp_booking(public.bookings) to service_role;
grant execute on function private.stamp_payment(public.payments) to authenticated;
grant execute on function private.stamp_payment(public.payments) to service_role;
grant execute on function private.stamp_preference(public.notification_preferences) to authenticated;
grant execute on function private.stamp_preference(public.notification_preferences) to service_role;
grant execute on function private.stamp_submission(public.verifications) to authenticated;
grant execute on function private.stamp_submission(public.verifications) to service_role;
grant execute on function private.stamp_verification(public.verifications,public.verifications) to authenticated;
grant execute on function private.stamp_verification(public.verifications,public.verifications) to service_role;
grant execute on function private.sync_verified_name(private.profiles) to authenticated;
grant execute on function private.sync_verified_name(private.profiles) to service_role;
grant execute on function private.tasks_are_on_hold(uuid) to authenticated;
grant execute on function private.tasks_are_on_hold(uuid) to service_role;
grant execute on function private.tidy_booking(public.bookings) to authenticated;
grant execute on function private.tidy_booking(public.bookings) to service_role;
grant execute on function private.tidy_complaint(public.complaints) to authenticated;
grant execute on function private.tidy_complaint(public.complaints) to service_role;
grant execute on function private.tidy_message(public.messages) to authenticated;
grant execute on function private.tidy_message(public.messages) to service_role;
grant execute on function private.tidy_profile(private.profiles) to authenticated;
grant execute on function private.tidy_profile(private.profiles) to service_role;
grant execute on function private.tidy_review(public.reviews) to authenticated;
grant execute on function private.tidy_review(public.reviews) to service_role;
grant execute on function private.tidy_task(public.tasks) to authenticated;
grant execute on function private.tidy_task(public.tasks) to service_role;
grant execute on function private.tidy_task_address(public.task_addresses) to authenticated;
grant execute on function private.tidy_task_address(public.task_addresses) to service_role;
grant execute on function private.tidy_verification(public.verifications) to authenticated;
grant execute on function private.tidy_verification(public.verifications) to service_role;
grant execute on function private.time_zone() to anon;
grant execute on function private.time_zone() to authenticated;
grant execute on function private.time_zone() to service_role;
grant execute on function private.touch_task(public.tasks) to authenticated;
grant execute on function private.touch_task(public.tasks) to service_role;

comment on column private.email_events.params is 'Values for the {{parameters}} of the texts; amounts are dollars';
comment on column private.figures.starts_on is 'First day of the week (Monday) or month by the marketplace''s clock';
comment on column private.issuer.gst_number is 'Registration number of the sales tax, as the Canada Revenue Agency assigns it: nine digits, RT, four digits; left out while it is null';
comment on column private.notification_texts.title is 'With {{parameters}}, like message, subject and button';
comment on column private.profiles.email is 'The account''s address, copied by private.sync_profile_email; null for accounts without one';
comment on column private.profiles.hourly_rate is 'Dollars an hour, rounded to cents; null if not given';
comment on column private.push_messages.params is 'Values for the {{parameters}} of the texts; amounts are dollars';
comment on column public.bookings.task_giver_id is 'The task''s giver, copied from the task so that policies need no join';
comment on column public.ledger_entries.amount is 'Dollars; debits are positive';
comment on column public.notifications.params is 'Values for the {{parameters}} of the texts; amounts are dollars';
comment on column public.payments.currency is 'In capitals, such as CAD; the marketplace has one';
comment on column public.payments.gst is 'Dollars of sales tax that the giver pays on top of amount, from private.fees';
comment on column public.quiet_hours.ends is 'By the marketplace''s clock; before starts if the hours span midnight';
comment on column public.quiet_hours.starts is 'By the marketplace''s clock';
comment on column public.reviews.reviewee_id is 'The other party of the booking, set from the booking';
comment on column public.reviews.task_id is 'The booking''s task, set from the booking';
comment on column public.tasks.pay_amount is 'Dollars before fees, rounded to cents';
comment on column public.verifications.age_verified is 'Always true, because younger people are refused';
comment on column public.verifications.date_of_birth is 'At least 18 years ago by the marketplace''s calendar';
comment on function private.rules() is 'The limits and lists of the product''s rules, as shared/rules.ts has them';
comment on table private.issuer is 'The company that receipts and statements name, if an installation differs from marketplace.config.ts; one row';
comment on table private.public_figures is 'Figures of the marketing pages, shown when marketplace.config.ts says counted; one row, counted once a day';

-- FILL IN: rows of private.notification_texts differ

-- functions of agreements 1: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

create or replace function private.after_booking_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_booking(new, old);
  if tg_op = 'INSERT' then
    if new.status = 'pending' then
      perform private.notify_application(new);
      perform private.schedule_application_expiry();
    end if;
  elsif tg_op = 'DELETE' then
    perform private.drop_booking_photos(old);
  elsif new.status <> old.status then
    if new.status = 'accepted' then
      perform private.assign_task(new);
      perform private.begin_series(new);
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
      perform private.lapse_time_proposals(new.id);
      perform private.lapse_no_show(new.id);
      perform private.schedule_recount(new);
    elsif new.status = 'in_progress' then
      perform private.schedule_reminder(new);
    end if;
    if old.status = 'accepted' then
      perform private.settle_payment_reminder(new);
    end if;
    -- Applications that are declined because another was accepted do not count.
    if old.status in ('pending', 'rejected') and new.status in ('accepted', 'rejected', 'pending') and not new.passed_over then
      perform private.limit_answers(new.id, new.task_giver_id);
    end if;
  elsif new.counter_state is distinct from old.counter_state then
    perform private.notify_counter(new);
  else
    perform private.notify_visit(new, old);
  end if;
  return null;
end $$;

create or replace function private.cancel_booking_for(caller uuid, booking_id uuid, reason text, list_again boolean) returns jsonb
language plpgsql set search_path = '' as $$
declare
  booking public.bookings;
  payment public.payments;
  task public.tasks;
  fee numeric(12, 2) := 0;
  extra_fees numeric(12, 2) := 0;
  extras record;
  refund numeric := 0;
  split record;
  facts jsonb;
  outcome text;
  answer text;
  listing text;
begin
  perform from public.bookings b where b.id = cancel_booking_for.booking_id for no key update;
  booking := private.cancellable_booking(cancel_booking_for.booking_id, caller);
  select * into strict task from public.tasks where id = booking.task_id;
  listing := private.listing_after(booking, not list_again and caller = booking.task_giver_id);

  if booking.status <> 'in_progress' then
    perform private.set_actor(case when caller = booking.task_giver_id then 'giver' else 'tasker' end::private.booking_actor);
    if booking.status = 'pending' and caller = booking.task_giver_id then
      update public.bookings set status = 'rejected' where id = booking.id;
      outcome := 'declined';
    else
      update public.bookings set status = 'cancelled', cancellation_reason = reason where id = booking.id;
      outcome := case when booking.status = 'pending' then 'withdrawn' else 'not_paid' end;
    end if;
    perform private.set_actor(null);
  else
    select * into strict payment from public.payments p where p.booking_id = booking.id for no key update;
    perform private.require(payment.escrow_status = 'held', private.freeze_reason_code(payment), 'booking_id');
    if caller = booking.task_giver_id then
      fee := private.cancellation_fee(payment.amount - payment.reduction, payment.total, task.scheduled_date, now());
      extra_fees := private.charge_extras(payment.id, task.scheduled_date);
    end if;
    refund := greatest(payment.total - fee - payment.lost_amount, 0);
    select * into split from private.fees(fee);
    perform private.set_actor('cancellation');
    update public.bookings set status = 'cancelled', cancelled_by = caller, cancellation_reason = reason where id = booking.id;
    perform private.set_actor(null);
    update public.payments set cancellation_fee = fee where id = payment.id;
    perform private.settle_payment(payment.id, 'cancellation', 'refunded', split.payout_amount, payment.total - fee, split.gst);
    perform private.settle_extras(payment.id);
    select * into strict extras from private.extra_sums(payment.id);
    fee := fee + extra_fees;
    refund := refund + extras.refund;

    facts := extras.facts || jsonb_build_object('person', private.named(caller), 'task', task.title, 'fee', fee, 'refund', refund,
      'listing', private.coded(listing));
    if caller = booking.task_giver_id then
      perform private.notify_person(booking.task_giver_id, 'own_booking_cancelled', facts, '/bookings');
      perform private.notify_person(booking.task_doer_id, 'booking_cancelled_share', extras.facts || jsonb_build_object(
        'person', private.named(caller), 'task', task.title, 'share', split.payout_amount + extras.payout), '/bookings');
    else
      perform private.notify_person(booking.task_giver_id, 'booking_cancelled_refund', facts, '/bookings');
    end if;
    outcome := case when fee > 0 then 'fee' else 'full_refund' end;
  end if;
  if listing = 'closed' then
    update public.tasks set status = 'cancelled', updated_at = now() where id = booking.task_id and status = 'open';
  end if;
  answer := case outcome
    when 'declined' then 'Application declined.'
    when 'withdrawn' then 'Application withdrawn.'
    when 'not_paid' then 'No fee applies, because nothing was paid.'
    when 'fee' then format('A cancellation fee of $%s applies; $%s will be refunded within 5 to 10 business days.',
      to_char(fee, 'FM999999990.00'), to_char(refund, 'FM999999990.00'))
    else format('The full payment of $%s will be refunded within 5 to 10 business days.', to_char(refund, 'FM999999990.00')) end;
  return jsonb_build_object('outcome', outcome, 'message', answer, 'fee_cents', (fee * 100)::bigint, 'refund_cents', (refund * 100)::bigint,
    'listing', listing);
end $$;

create or replace function private.erase_person(person uuid) returns void
language plpgsql set search_path = '' as $$
declare
  booking uuid;
  gone constant text := 'Removed together with the account.';
  obstacle constant text := private.deletion_obstacle(person);
begin
  perform private.require(obstacle is null, obstacle, 'id');

  perform private.stop_series_of(person);
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
  perform private.erase_saved_searches(person);
  perform private.erase_questions(person);
  delete from public.application_texts where user_id = person;
  perform private.erase_points(person);
  perform private.erase_hours(person);
  perform private.erase_calendars(person);
  perform private.erase_changes(person);
  perform private.erase_task_texts(person);
  perform set_config('private.erasing', 'yes', true);
  update public.bookings set message = null, completion_notes = null, offer_reason = null
  where task_doer_id = person and (message is not null or completion_notes is not null or offer_reason is not null);
  update public.bookings set counter_message = null where task_giver_id = person and counter_message is not null;
  update public.no_shows set words = gone where reported_by = person;
  update public.no_shows set answer = gone where reported_by <> person and person in (task_giver_id, task_doer_id) and answer is not null;
  update public.time_proposals set message = null where proposed_by = person and message is not null;
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

create or replace function private.erase_photos(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.tasks set photos = '{}' where task_giver_id = person and photos <> '{}';
  update public.bookings set completion_photos = '{}' where task_doer_id = person and completion_photos <> '{}';
  update public.snow_reports r set photos = '{}' from public.task_series s where s.id = r.series_id and s.tasker_id = person and r.photos <> '{}';
  update public.complaints set photos = '{}' where giver_id = person and photos <> '{}';
  update public.booking_changes set photos = '{}' where proposed_by = person and photos <> '{}';
  update public.complaints set answer_photos = '{}' where tasker_id = person and answer_photos <> '{}';
  perform private.drop_files(o.bucket_id, array_agg(o.name)) from storage.objects o
  where o.owner_id = person::text or o.name like person || '/%' group by o.bucket_id;
end $$;

create or replace function private.files_to_export(person uuid) returns table (bucket_id text, name text, size bigint)
language sql stable security definer set search_path = '' as $$
  select o.bucket_id, o.name, coalesce((o.metadata ->> 'size')::bigint, 0) from storage.objects o
  where o.bucket_id in ('profile-photos', 'identity-documents', 'task-photos', 'chat-photos', 'booking-photos', 'hidden-profile-photos', 'hidden-task-photos', 'hidden-chat-photos')
    and (o.owner_id = person::text or left(o.name, 36) = person::text) and not private.is_dropped_file(o.bucket_id, o.name)
  union
  select o.bucket_id, o.name, coalesce((o.metadata ->> 'size')::bigint, 0)
  from (
    select 'chat-photos' as bucket, m.photo from public.messages m where m.receiver_id = person and m.hidden_at is null
    union all
    select 'booking-photos', unnest(b.completion_photos) from public.bookings b where person in (b.task_giver_id, b.task_doer_id)
    union all
    select 'booking-photos', unnest(c.photos) from public.booking_changes c join public.bookings b on b.id = c.booking_id
    where person in (b.task_giver_id, b.task_doer_id)
    union all
    select 'booking-photos', unnest(r.photos) from public.snow_reports r join public.task_series s on s.id = r.series_id
      where person in (s.giver_id, s.tasker_id)
    union all
    select 'booking-photos', unnest(c.photos || c.answer_photos) from public.complaints c where person in (c.giver_id, c.tasker_id)
  ) shown join storage.objects o on o.bucket_id = shown.bucket and o.name = shown.photo
  where not private.is_dropped_file(o.bucket_id, o.name)
$$;

create or replace function private.may_upload_work_photo(booking uuid) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from public.bookings where id = booking
    and ((select auth.uid()) in (task_doer_id, task_giver_id) and status in ('in_progress', 'completed')
      or task_doer_id = (select auth.uid()) and status = 'accepted' and visit_number = 0));
end $$;

create or replace function private.move_booking(accepted public.time_proposals) returns void
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

create or replace function private.payment_of_booking(booking public.bookings) returns jsonb
language plpgsql set search_path = '' as $$
declare
  payment public.payments;
begin
  insert into public.payments (booking_id, task_id, payer_id, payee_id, amount, platform_fee, gst, total, payout_amount)
  select booking.id, booking.task_id, booking.task_giver_id, booking.task_doer_id, booking.agreed_amount,
    f.platform_fee, f.gst, f.total, f.payout_amount
  from private.fees(booking.agreed_amount) f
  on conflict on constraint payments_booking_id_key do nothing;
  select * into strict payment from public.payments p where p.booking_id = booking.id for no key update;
  perform private.require(payment.escrow_status = 'pending', 'payment.already_paid', 'booking_id');

  return private.payment_order(payment);
end $$;

create or replace function private.photo_is_kept(bucket text, name text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
declare
  photo constant text[] := array[replace(name, '.small.jpg', '.jpg')];
  folder constant uuid := private.photo_folder(name);
begin
  if bucket = 'task-photos' then
    return exists (select from public.tasks where photos @> photo and photos <> '{}');
  end if;
  return exists (select from public.bookings where id = folder and completion_photos || before_photos @> photo)
    or exists (select from public.complaints c where c.booking_id = folder and c.photos || c.answer_photos @> photo)
    or exists (select from public.no_shows n where n.booking_id = folder and n.photos || n.answer_photos @> photo)
    or exists (select from public.booking_changes c where c.booking_id = folder and c.photos @> photo)
    or exists (select from public.snow_reports r where r.photos @> photo);
end $$;

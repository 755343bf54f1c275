-- Merges the triggers of complaints into one function for each moment, with named steps.
set check_function_bodies = off;

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

create function private.freeze_payment(payment uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.payments set escrow_status = 'frozen' where id = payment and escrow_status = 'held';
end $$;

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

create function private.notify_answer(complaint public.complaints) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(complaint.giver_id, 'complaint_answered', jsonb_build_object(
    'person', private.person_name(complaint.tasker_id), 'task', private.task_title(complaint.booking_id)),
    private.booking_link(complaint.booking_id));
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

create function private.task_title(booking uuid) returns text
language sql stable set search_path = '' as $$
  select t.title from public.tasks t join public.bookings b on b.task_id = t.id where b.id = booking
$$;

create function private.tidy_complaint(complaint public.complaints) returns public.complaints
language plpgsql immutable set search_path = '' as $$
begin
  complaint.reason := private.trimmed(complaint.reason);
  return complaint;
end $$;

drop trigger "10_tidy" on public.complaints;

drop trigger "11_reason_min" on public.complaints;

drop trigger "12_reason_max" on public.complaints;

drop trigger "30_booking" on public.complaints;

drop trigger "31_answer" on public.complaints;

drop trigger "40_photos" on public.complaints;

drop trigger follow_answer on public.complaints;

drop trigger follow_complaint on public.complaints;

drop trigger hold_reviews on public.complaints;

create trigger after_complaint_change after insert or update on public.complaints
for each row execute function private.after_complaint_change();

create trigger before_complaint_insert before insert on public.complaints
for each row execute function private.before_complaint_insert();

create trigger before_complaint_update before update on public.complaints
for each row execute function private.before_complaint_update();

drop function private.check_answer();

drop function private.check_complaint();

drop function private.check_complaint_photos();

drop function private.follow_complaint();

drop function private.hold_reviews();

drop function private.tidy_complaint();

grant execute on function private.check_answer(public.complaints,public.complaints) to authenticated;
grant execute on function private.check_answer(public.complaints,public.complaints) to service_role;
grant execute on function private.check_answer_photos(public.complaints,public.complaints) to authenticated;
grant execute on function private.check_answer_photos(public.complaints,public.complaints) to service_role;
grant execute on function private.check_complaint(public.complaints) to authenticated;
grant execute on function private.check_complaint(public.complaints) to service_role;
grant execute on function private.check_complaint_photos(public.complaints) to authenticated;
grant execute on function private.check_complaint_photos(public.complaints) to service_role;
grant execute on function private.tidy_complaint(public.complaints) to authenticated;
grant execute on function private.tidy_complaint(public.complaints) to service_role;

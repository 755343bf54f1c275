-- Merges the triggers of reviews into one before and one after a review is written, with named steps.
set check_function_bodies = off;

create function private.after_review_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.publish_reviews(new);
  return null;
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

create function private.limit_client(action text) returns void language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    perform private.count_activity(action);
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

create function private.require_active_account() returns void language plpgsql stable set search_path = '' as $$
begin
  if private.is_suspended((select auth.uid())) then
    perform private.fail('account.suspended', null, '{}', '42501');
  end if;
end $$;

create function private.tidy_review(review public.reviews) returns public.reviews
language plpgsql immutable set search_path = '' as $$
begin
  review.comment := nullif(private.trimmed(review.comment), '');
  return review;
end $$;

drop trigger "10_tidy" on public.reviews;

drop trigger "11_rating" on public.reviews;

drop trigger "12_comment" on public.reviews;

drop trigger "20_account" on public.reviews;

drop trigger "20_own" on public.reviews;

drop trigger "30_booking" on public.reviews;

drop trigger follow_review on public.reviews;

create trigger after_review_change after insert on public.reviews
for each row execute function private.after_review_change();

create trigger before_review_change before insert on public.reviews
for each row execute function private.before_review_change();

drop function private.check_reviewed_booking();

drop function private.follow_review();

drop function private.tidy_review();

grant execute on function private.check_reviewed_booking(public.reviews) to authenticated;
grant execute on function private.check_reviewed_booking(public.reviews) to service_role;
grant execute on function private.limit_client(text) to authenticated;
grant execute on function private.limit_client(text) to service_role;
grant execute on function private.require_active_account() to authenticated;
grant execute on function private.require_active_account() to service_role;
grant execute on function private.tidy_review(public.reviews) to authenticated;
grant execute on function private.tidy_review(public.reviews) to service_role;

comment on column public.reviews.reviewee_id is 'The other party of the booking, set from the booking';
comment on column public.reviews.task_id is 'The booking''s task, set from the booking';

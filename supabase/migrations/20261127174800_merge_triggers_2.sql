-- Replaces the triggers of each table by one function for each moment, composed of the steps, and gives policies plain names (2 of 3).
set check_function_bodies = off;

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
create trigger after_verification_change after insert or update or delete on public.verifications
for each row execute function private.after_verification_change();
create trigger before_verification_change before insert or update on public.verifications
for each row execute function private.before_verification_change();
drop trigger within_limit on public.verifications;
create trigger within_limit after insert or update on public.verifications
for each row execute function private.limit_submissions();

drop trigger check_storage_quota on storage.objects;
drop trigger check_storage_quota_again on storage.objects;
create trigger before_file_change before insert or update of bucket_id, owner_id, metadata on storage.objects
for each row execute function private.before_file_change();

drop trigger within_limit on public.quiet_hours;
create trigger within_limit after insert or update on public.quiet_hours
for each row execute function private.limit_settings_changes();

alter table public.payments alter column currency set default private.currency();
alter table public.payments drop constraint payments_currency_check;
alter table public.payments add constraint payments_currency_check CHECK ((currency = private.currency()));

create or replace view private.hidden_pictures as
select 'profile-photos' as bucket_id, private.profile_photo(p.avatar_url) as name from private.profiles p
where p.hidden_for = 'report' and private.profile_photo(p.avatar_url) is not null
union
select 'task-photos', unnest(t.photos || private.small_photo_names(t.photos)) from public.tasks t
where t.hidden_for is not null and t.photos <> '{}'
union
select 'chat-photos', m.photo from public.messages m where m.hidden_at is not null and m.photo is not null;

create or replace view public.public_profiles as
select p.id,
  case when (select private.can_read_everyone()) or p.id = (select private.reader())
      or (select private.reader()) is not null and private.is_counterpart(p.id) then p.full_name
    else private.public_name(p.full_name) end as full_name,
  case when p.hidden_for is distinct from 'report' then p.avatar_url end as avatar_url,
  case when not v.withheld and p.hidden_for is distinct from 'report' then p.bio end as bio,
  case when not v.withheld then p.city end as city, p.rating, p.total_reviews, p.completed_tasks, p.response_rate,
  p.on_time_rate, p.trust_score,
  case when v.withheld or p.hidden_for = 'report' then '{}' else p.skills end as skills,
  case when not v.withheld then p.experience_years end as experience_years,
  case when not v.withheld then p.hourly_rate end as hourly_rate, p.availability_status, p.verification_level,
  p.created_at, p.role, p.is_verified, p.id_verified, p.background_checked, p.insured, v.withheld as is_hidden
from private.profiles p,
  lateral (select case when p.visibility = 'hidden' then not private.can_see_person(p.id) else false end as withheld) v
where (select private.can_read_everyone()) or p.id = (select private.reader())
  -- As private.listed_taskers.
  or p.id_verified and 'task_doer' = any (p.roles) and p.full_name <> '' and p.hidden_for is null and p.visibility = 'public'
  or exists (select from public.tasks t where t.task_giver_id = p.id and t.status = 'open' and t.hidden_for is null)
  or exists (select from public.reviews r where r.reviewer_id = p.id and r.visible_from <= now() and r.hidden_at is null)
  or exists (select from public.bookings b where b.task_giver_id = p.id and b.task_doer_id = (select private.reader()))
  or exists (select from public.bookings b where b.task_doer_id = p.id and b.task_giver_id = (select private.reader()))
  -- Between a giver and the tasker whom they ask first.
  or exists (select from public.tasks t where t.status = 'asked' and t.hidden_for is null
    and t.task_giver_id = p.id and t.asked_tasker_id = (select private.reader()))
  or exists (select from public.tasks t where t.status = 'asked'
    and t.asked_tasker_id = p.id and t.task_giver_id = (select private.reader()));

create index payment_methods_card on public.payment_methods (stripe_payment_method_id);

drop policy "anyone reads the rules of a booking" on private.booking_transitions;
drop policy "who has left changes no profile" on private.profiles;
drop policy "participants move their bookings" on public.bookings;
drop policy "givers complain about what they paid" on public.complaints;
drop policy "who has left saves nobody" on public.favourites;
drop policy "both parties of an accepted booking write" on public.messages;
drop policy "hidden messages are for who wrote them" on public.messages;
drop policy "who has left writes no message" on public.messages;
drop policy "people change what they chose" on public.notification_preferences;
drop policy "people choose for themselves" on public.notification_preferences;
drop policy "people read what they chose" on public.notification_preferences;
drop policy "who has left chooses nothing" on public.notification_preferences;
drop policy "who has left adds no card" on public.payment_methods;
drop policy "givers release what they paid" on public.payments;
drop policy "who has left adds no payout account" on public.payout_accounts;
drop policy "people read what their bank was sent, admins all" on public.payouts;
drop policy "people end what their browsers receive" on public.push_subscriptions;
drop policy "who has left has no hours" on public.quiet_hours;
drop policy "people read what they reported, admins all" on public.reports;
drop policy "applications see no reviews" on public.reviews;
drop policy "hidden reviews are for who wrote them and admins" on public.reviews;
drop policy "who has left reviews nobody" on public.reviews;
drop policy "who has left adds no address" on public.task_addresses;
drop policy "anyone reads open and reviewed tasks, people those they share" on public.tasks;
drop policy "applications see no tasks" on public.tasks;
drop policy "hidden tasks are for those who know of them" on public.tasks;
drop policy "both parties of a conversation hear each other" on realtime.messages;
drop policy "both parties of a conversation show that they are there" on realtime.messages;
drop policy "people hear of their own account" on realtime.messages;
drop policy "both parties put photos into their chat" on storage.objects;
drop policy "both parties put up photos of the work" on storage.objects;
drop policy "givers put up photos of their tasks" on storage.objects;
drop policy "givers take down what no task of theirs shows" on storage.objects;
drop policy "people hand in their own documents" on storage.objects;
drop policy "people put up their own photos" on storage.objects;
drop policy "people take down their own photos, admins any" on storage.objects;
drop policy "people take down their photos of the work until they are handed" on storage.objects;
drop policy "people withdraw their own documents, admins any" on storage.objects;
drop policy "photos of hidden messages are for who sent them and admins" on storage.objects;
drop policy "suspended people put up nothing public" on storage.objects;
drop policy "what was dropped is nobody's" on storage.objects;
drop policy "who has left puts up no file" on storage.objects;

create policy "signed-in people read booking transitions" on private.booking_transitions for select
to authenticated, service_role using (true);

create policy "deleted accounts cannot change profiles" on private.profiles as restrictive for update to authenticated
using ((select private.has_account()));

create policy "participants change their bookings" on public.bookings for update to authenticated
using (task_doer_id = (select auth.uid()) or task_giver_id = (select auth.uid()))
with check (task_doer_id = (select auth.uid()) or task_giver_id = (select auth.uid()));

create policy "givers file complaints about their payments" on public.complaints for insert to authenticated
with check (giver_id = (select auth.uid()));

create policy "deleted accounts cannot save taskers" on public.favourites as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "both parties of an accepted booking write messages" on public.messages for insert to authenticated
with check (sender_id = (select auth.uid()) and private.may_chat(booking_id, sender_id, receiver_id));

create policy "deleted accounts cannot write messages" on public.messages as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "hidden messages only for their sender" on public.messages as restrictive for select to authenticated
using (hidden_at is null or sender_id = (select auth.uid()));

create policy "deleted accounts cannot set preferences" on public.notification_preferences as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "people change their own preferences" on public.notification_preferences for update to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "people read their own preferences" on public.notification_preferences for select to authenticated
using (user_id = (select auth.uid()));

create policy "people set their own preferences" on public.notification_preferences for insert to authenticated
with check (user_id = (select auth.uid()));

create policy "deleted accounts cannot add cards" on public.payment_methods as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "givers release their own payments" on public.payments for update to authenticated
using (payer_id = (select auth.uid())) with check (payer_id = (select auth.uid()));

create policy "deleted accounts cannot add payout accounts" on public.payout_accounts as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "people read their own payouts, admins all" on public.payouts for select to authenticated
using (user_id = (select auth.uid()) or (select private.is_admin()));

create policy "people unsubscribe their own browsers" on public.push_subscriptions for delete to authenticated
using (user_id = (select auth.uid()));

create policy "deleted accounts cannot set quiet hours" on public.quiet_hours as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "people read their own reports, admins all" on public.reports for select to authenticated
using (reporter_id = (select auth.uid()) or (select private.is_admin()));

create policy "deleted accounts cannot write reviews" on public.reviews as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "hidden reviews only for writer and admins" on public.reviews as restrictive
for select to anon, authenticated
using (hidden_at is null or reviewer_id = (select auth.uid()) or (select private.is_admin()));

create policy "third-party applications read no reviews" on public.reviews as restrictive for select to anon, authenticated
using (not (select private.is_application()));

create policy "deleted accounts cannot add addresses" on public.task_addresses as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "hidden tasks only for giver, applicants and admins" on public.tasks as restrictive for select to anon, authenticated
using (hidden_for is null or task_giver_id = (select auth.uid()) or (select private.is_admin()) or private.has_applied(id));

create policy "open and reviewed tasks are public, others for participants"
on public.tasks for select to anon, authenticated
using (status = 'open' or task_giver_id = (select auth.uid())
  or (status = 'asked' and asked_tasker_id = (select auth.uid())) or (select private.is_admin())
  or private.has_applied(id) or private.task_is_reviewed(id));

create policy "third-party applications read no tasks" on public.tasks as restrictive for select to anon, authenticated
using (not (select private.is_application()));

create policy "both parties receive typing and presence of their chat" on realtime.messages for select to authenticated
using (extension in ('broadcast', 'presence')
  and (select private.is_in_chat(private.chat_booking((select realtime.topic())))));

create policy "both parties send typing and presence to their chat" on realtime.messages for insert to authenticated
with check (extension in ('broadcast', 'presence')
  and (select private.is_in_chat(private.chat_booking((select realtime.topic())))));

create policy "people receive broadcasts about their own account" on realtime.messages for select to authenticated
using (extension = 'broadcast' and (select realtime.topic()) = 'account:' || (select auth.uid()));

create policy "both parties upload photos of the work" on storage.objects for insert to authenticated
with check (bucket_id = 'booking-photos' and private.may_upload_work_photo(private.photo_folder(name))
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url' and private.has_room_for_photo(bucket_id));

create policy "both parties upload photos to their chat" on storage.objects for insert to authenticated
with check (bucket_id = 'chat-photos' and private.is_in_chat(private.photo_booking(name))
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url');

create policy "deleted accounts cannot upload files" on storage.objects as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "dropped files are not accessible" on storage.objects as restrictive for all to authenticated
using (not private.is_dropped_file(bucket_id, name));

create policy "givers remove photos that none of their tasks shows" on storage.objects for delete to authenticated
using (bucket_id = 'task-photos' and private.photo_folder(name) = (select auth.uid())
  and not private.photo_is_kept(bucket_id, name));

create policy "givers upload photos of their tasks" on storage.objects for insert to authenticated
with check (bucket_id = 'task-photos' and private.photo_folder(name) = (select auth.uid())
  and ((select private.has_role('task_giver')) or (select private.is_admin()))
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url' and private.has_room_for_photo(bucket_id));

drop policy "names of pictures are used once" on storage.objects;

create policy "names of pictures are used once" on storage.objects as restrictive for insert to authenticated
with check (private.is_unused_picture_name(bucket_id, name));

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

create policy "photos of hidden messages only for sender and admins" on storage.objects as restrictive
for select to anon, authenticated
using (bucket_id <> 'chat-photos' or not private.is_hidden_photo(name) or (select private.is_admin()));

create policy "suspended people upload nothing public" on storage.objects as restrictive for insert to authenticated
with check (private.may_upload(bucket_id));

grant execute on function private.can_read_everyone() to anon;
grant execute on function private.can_read_everyone() to authenticated;
grant execute on function private.can_read_everyone() to service_role;
grant execute on function private.can_see_person(uuid) to anon;
grant execute on function private.can_see_person(uuid) to authenticated;
grant execute on function private.can_see_person(uuid) to service_role;
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

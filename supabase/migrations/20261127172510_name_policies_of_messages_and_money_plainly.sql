-- Gives policies of messages, money, notifications, reports and reviews plain names.
set check_function_bodies = off;

drop policy "givers complain about what they paid" on public.complaints;

drop policy "both parties of an accepted booking write" on public.messages;

drop policy "hidden messages are for who wrote them" on public.messages;

drop policy "people change what they chose" on public.notification_preferences;

drop policy "people choose for themselves" on public.notification_preferences;

drop policy "people read what they chose" on public.notification_preferences;

drop policy "givers release what they paid" on public.payments;

drop policy "people read what their bank was sent, admins all" on public.payouts;

drop policy "people end what their browsers receive" on public.push_subscriptions;

drop policy "people read what they reported, admins all" on public.reports;

drop policy "applications see no reviews" on public.reviews;

drop policy "hidden reviews are for who wrote them and admins" on public.reviews;

drop policy "both parties of a conversation hear each other" on realtime.messages;

drop policy "both parties of a conversation show that they are there" on realtime.messages;

drop policy "both parties put photos into their chat" on storage.objects;

drop policy "photos of hidden messages are for who sent them and admins" on storage.objects;

create policy "givers file complaints about their payments" on public.complaints for insert to authenticated
with check (giver_id = (select auth.uid()));

create policy "both parties of an accepted booking write messages" on public.messages for insert to authenticated
with check (sender_id = (select auth.uid()) and private.may_chat(booking_id, sender_id, receiver_id));

create policy "hidden messages only for their sender" on public.messages as restrictive for select to authenticated
using (hidden_at is null or sender_id = (select auth.uid()));

create policy "people change their own preferences" on public.notification_preferences for update to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "people read their own preferences" on public.notification_preferences for select to authenticated
using (user_id = (select auth.uid()));

create policy "people set their own preferences" on public.notification_preferences for insert to authenticated
with check (user_id = (select auth.uid()));

create policy "givers release their own payments" on public.payments for update to authenticated
using (payer_id = (select auth.uid())) with check (payer_id = (select auth.uid()));

create policy "people read their own payouts, admins all" on public.payouts for select to authenticated
using (user_id = (select auth.uid()) or (select private.is_admin()));

create policy "people unsubscribe their own browsers" on public.push_subscriptions for delete to authenticated
using (user_id = (select auth.uid()));

create policy "people read their own reports, admins all" on public.reports for select to authenticated
using (reporter_id = (select auth.uid()) or (select private.is_admin()));

create policy "hidden reviews only for writer and admins" on public.reviews as restrictive
for select to anon, authenticated
using (hidden_at is null or reviewer_id = (select auth.uid()) or (select private.is_admin()));

create policy "third-party applications read no reviews" on public.reviews as restrictive for select to anon, authenticated
using (not (select private.is_application()));

create policy "both parties receive typing and presence of their chat" on realtime.messages for select to authenticated
using (extension in ('broadcast', 'presence')
  and (select private.is_in_chat(private.chat_booking((select realtime.topic())))));

create policy "both parties send typing and presence to their chat" on realtime.messages for insert to authenticated
with check (extension in ('broadcast', 'presence')
  and (select private.is_in_chat(private.chat_booking((select realtime.topic())))));

create policy "both parties upload photos to their chat" on storage.objects for insert to authenticated
with check (bucket_id = 'chat-photos' and private.is_in_chat(private.photo_booking(name))
  and coalesce(storage.operation(), '') <> 'storage.object.sign_upload_url');

create policy "photos of hidden messages only for sender and admins" on storage.objects as restrictive
for select to anon, authenticated
using (bucket_id <> 'chat-photos' or not private.is_hidden_photo(name) or (select private.is_admin()));

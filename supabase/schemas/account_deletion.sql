-- Deleting an account: the conditions that prevent it, and the data that is erased with it. Money records stay, but without the
-- person's name (ADR 0013).

-- Before an account is deleted. It runs as its owner, because the auth service's role deletes accounts.
create function private.before_account_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.delete_favourites(old.id);
  perform private.end_requests(old.id);
  perform private.erase_person(old.id);
  return old;
end $$;

create trigger before_account_delete before delete on auth.users
for each row execute function private.before_account_delete();

-- Erases a deleted account. A person who never moved money is erased completely. Otherwise an empty profile remains, because
-- money records and the other party's history refer to it; all personal data is erased.
create function private.erase_person(person uuid) returns void
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

-- The code of the error that prevents a person from deleting their account; null if nothing does. For money, its text says how to
-- proceed: finish or cancel bookings that are not settled, check the bank details for a waiting payout, or wait for a transfer.
create function private.deletion_obstacle(person uuid) returns text
language sql stable security definer set search_path = '' as $$
  select case
    when exists (select from public.complaints c where person in (c.giver_id, c.tasker_id) and c.decision is null)
      then 'account.complaint_open'
    when exists (select from public.payments p where person in (p.payer_id, p.payee_id)
        and (p.escrow_status in ('held', 'frozen')
          or (p.part_of is not null and p.escrow_status = 'pending' and p.stripe_payment_intent_id is not null)
          or exists (select from public.bookings b where b.id = p.booking_id and b.status = 'accepted'
            and private.has_open_intent(b.id))))
      then 'account.money_held'
    when exists (select from public.payments p where p.payee_id = person and p.payout_status in ('waiting', 'failed'))
      then 'account.payout_waiting'
    when exists (select from public.payments p where p.payee_id = person and p.payout_status = 'queued'
        or p.payer_id = person and p.refund_status in ('queued', 'failed'))
      then 'account.money_on_its_way'
  end
$$;

-- The code of the error that prevents the caller from deleting their account. The last administrator cannot leave, whether or
-- not they have proved their second factor.
create function public.account_deletion_blocker() returns text
language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.allow(auth.uid() is not null, 'account.not_authenticated');
  return coalesce(private.deletion_obstacle(auth.uid()),
    case when private.has_role('admin') and not exists (
        select from public.user_roles where role = 'admin' and user_id <> auth.uid())
      then 'account.only_admin' end);
end $$;

-- The English text, for pages of the version before.
create function public.account_deletion_obstacle() returns text
language sql stable set search_path = '' as $$
  select private.error_messages() ->> public.account_deletion_blocker()
$$;

-- Whether the caller signed in or confirmed their identity within the last 15 minutes. The token's claim `amr` lists the
-- methods used, with their times.
create function private.has_fresh_sign_in() returns boolean
language sql stable set search_path = '' as $$
  select exists (select from jsonb_array_elements(
    case jsonb_typeof(auth.jwt() -> 'amr') when 'array' then auth.jwt() -> 'amr' else '[]' end) method
    where to_timestamp((method ->> 'timestamp')::bigint) > now() - interval '15 minutes')
$$;

-- Deletes the caller's account. `confirmation` repeats the account's e-mail address or, if it has none, its phone number in any
-- format.
create function public.delete_account(confirmation text) returns void
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := auth.uid();
  obstacle constant text := public.account_deletion_blocker();
  email text;
  phone text;
begin
  perform private.allow(private.has_fresh_sign_in(), 'account.reauthentication_needed');
  perform private.allow(auth.jwt() ->> 'aal' = 'aal2' or not exists (
    select from auth.mfa_factors where user_id = person and status = 'verified'),
    'account.second_factor_required');
  select nullif(u.email, ''), u.phone into email, phone from auth.users u where u.id = person;
  if email is not null then
    perform private.require(lower(private.trimmed(confirmation)) = lower(email),
      'account.email_mismatch', 'confirmation');
  else
    perform private.require(regexp_replace(confirmation, '[^0-9]', '', 'g') = phone,
      'account.phone_mismatch', 'confirmation');
  end if;
  perform private.require(obstacle is null, obstacle, 'id');
  delete from auth.users where id = person;
  perform private.announce_ended_sessions(person);
end $$;

-- The files that a person uploaded, in all buckets: at most `max_files`, and never more than 1000.
create function public.files_of_person(person uuid, max_files integer) returns table (bucket_id text, name text)
language sql stable security definer set search_path = '' as $$
  select o.bucket_id, o.name from storage.objects o
  where o.owner_id = person::text or left(o.name, 36) = person::text
  order by o.bucket_id, o.name limit least(greatest(max_files, 0), 1000)
$$;

-- Replaces the person's name with "Deleted user" in notifications and e-mails of people they dealt with and of admins. These
-- are found by the name itself or by their link to the person's profile.
create function private.erase_name(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  names constant text[] := (select array_remove(array[p.full_name, private.public_name(p.full_name), p.verified_name,
    private.public_name(p.verified_name), (select v.legal_name from public.verifications v where v.user_id = p.id)], null) from private.profiles p where p.id = person);
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
  -- Notifications of a message contain its text, too.
  delete from public.notifications n where n.key = 'message_received' and n.user_id = any (others) and n.params ->> 'booking' in (
    select b.id::text from public.bookings b where person in (b.task_giver_id, b.task_doer_id));
  for notice in select n.id, n.key, n.params from public.notifications n
    where n.user_id = any (others) and n.user_id <> person and exists (
      select from jsonb_each_text(n.params) p where p.value = any (names)
        or (p.key in ('person', 'name', 'before') and n.link = '/profile/' || person))
  loop
    cleaned := private.without_names(notice.params, names, '{person,name,before,reason}');
    select * into texts from private.notification_texts where key = notice.key;
    update public.notifications set params = cleaned, title = private.filled_text(texts.title, cleaned),
      message = private.filled_text(texts.message, cleaned) where id = notice.id;
  end loop;
  update private.email_events e set params = private.without_names(e.params, names)
  where e.person_id = any (others) and exists (select from jsonb_each_text(e.params) p where p.value = any (names));
end $$;

-- Parameters of a notification with "Deleted user" in place of the names and of the other `fields`.
create function private.without_names(params jsonb, names text[], fields text[] default '{}') returns jsonb
language sql stable set search_path = '' as $$
  select private.with_words(jsonb_object_agg(name, case when value #>> '{}' = any (names) or name = any (fields)
    then case when private.notification_values() -> name ? 'deleted_user' then private.coded('deleted_user')
      else private.notification_values() #> '{person,deleted_user}' end else value end))
  from jsonb_each(params) as each (name, value)
$$;

-- Removes identity data and free texts about the person from the audit log, and the person's entries from the auth service's
-- log.
create function private.erase_audit(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
declare
  words constant text[] := array['verification_notes', 'refusal_reason', 'reason', 'answer', 'decision_note', 'legal_name',
    'id_type', 'id_document', 'date_of_birth'];
begin
  perform set_config('private.erasing', 'yes', true);
  update public.audit_log a set old_values = a.old_values - words, new_values = a.new_values - words
  where (a.table_name, a.row_id) in (
    select 'profiles', person union all select 'verifications', v.id from public.verifications v where v.user_id = person
    union all select 'complaints', c.id from public.complaints c where person in (c.giver_id, c.tasker_id));
  perform set_config('private.erasing', '', true);
  -- The auth service's own log names people by their address.
  delete from auth.audit_log_entries
  where payload ->> 'actor_id' = person::text or payload #>> '{traits,user_id}' = person::text;
end $$;

create policy "deleted accounts cannot upload files" on storage.objects as restrictive for insert to authenticated
with check ((select private.has_account()));

grant execute on function
  public.account_deletion_blocker(), public.account_deletion_obstacle(), public.delete_account(text)
to authenticated;

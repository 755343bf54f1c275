-- Leaving: what happens to a person's rows when their account is deleted from auth.users.
-- Whoever never moved money leaves nothing behind. Otherwise the profile stays as an empty anchor, because
-- money records and the other party's history refer to it; everything personal goes.

create function private.erase_person() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  booking uuid;
begin
  perform private.require(not exists (select from public.payments p where old.id in (p.payer_id, p.payee_id)
      and (p.escrow_status in ('held', 'frozen')
        or (p.payee_id = old.id and p.payout_status in ('waiting', 'queued', 'failed'))
        or (p.payer_id = old.id and p.refund_status in ('queued', 'failed'))
        or exists (select from public.bookings b where b.id = p.booking_id and b.status = 'accepted'
          and private.has_open_intent(b.id)))),
    'Money of this account is still on its way. Please finish or cancel your bookings first.', 'id');

  -- What is going on ends first, so that the others hear of it.
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = old.id and status = 'open';
  perform private.set_actor('schedule');
  for booking in select id from public.bookings
    where old.id in (task_doer_id, task_giver_id) and status in ('pending', 'accepted') order by id
  loop
    perform private.set_actor('schedule');
    update public.bookings set status = 'cancelled' where id = booking;
  end loop;
  perform private.set_actor(null);
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = old.id and status = 'open';

  if not exists (select from public.payments p where old.id in (p.payer_id, p.payee_id)) then
    delete from public.profiles where id = old.id;
    return old;
  end if;
  delete from public.verifications where user_id = old.id;
  delete from public.user_roles where user_id = old.id;
  delete from public.notifications where user_id = old.id;
  delete from public.payment_methods where user_id = old.id;
  delete from public.payment_failures where person_id = old.id;
  delete from public.payout_accounts where user_id = old.id;
  delete from public.task_addresses a using public.tasks t where t.id = a.task_id and t.task_giver_id = old.id;
  delete from public.messages m where m.sender_id = old.id;
  update public.bookings set message = null where task_doer_id = old.id and message is not null;
  update public.profiles set deleted_at = now(), full_name = null, email = null, phone = null, city = null, bio = null,
    avatar_url = null, skills = '{}', preferred_categories = '{}', experience_years = null, hourly_rate = null,
    availability_status = 'unavailable', verified_by_admin = false, verification_notes = null, verified_at = null,
    verified_by = null, last_active = null
  where id = old.id;
  return old;
end $$;

create trigger erase_person before delete on auth.users
for each row execute function private.erase_person();

-- A token outlives its account by up to an hour: with it nothing is written any more, or what was forgotten could be
-- entered again (by another tab, say, that keeps last_active).
create function private.has_account() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.profiles where id = (select auth.uid()) and deleted_at is null)
$$;
grant execute on function private.has_account() to authenticated, service_role;

create policy "who has left changes no profile" on public.profiles as restrictive for update to authenticated
using ((select private.has_account()));
create policy "who has left writes no message" on public.messages as restrictive for insert to authenticated
with check ((select private.has_account()));
create policy "who has left reviews nobody" on public.reviews as restrictive for insert to authenticated
with check ((select private.has_account()));
create policy "who has left adds no card" on public.payment_methods as restrictive for insert to authenticated
with check ((select private.has_account()));
create policy "who has left adds no payout account" on public.payout_accounts as restrictive for insert to authenticated
with check ((select private.has_account()));
create policy "who has left adds no address" on public.task_addresses as restrictive for insert to authenticated
with check ((select private.has_account()));
create policy "who has left puts up no file" on storage.objects as restrictive for insert to authenticated
with check ((select private.has_account()));

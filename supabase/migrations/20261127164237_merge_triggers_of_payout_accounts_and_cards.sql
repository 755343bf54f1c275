-- Merges the triggers of payout accounts and of saved cards into one function for each moment, with named steps.
set check_function_bodies = off;

create function private.after_payment_method_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.detach_card(old);
  if old.is_default then
    perform private.choose_default_card(old.user_id);
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

create function private.choose_default_card(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.payment_methods set is_default = true where id = (select id from public.payment_methods
    where user_id = person order by created_at desc, id limit 1);
end $$;

create function private.count_new_card() returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.count_activity('cards_saved');
  perform private.check_at_once('cards_saved', (select count(*) from public.payment_methods where user_id = auth.uid()));
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

create function private.forget_bank(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.payouts set bank_last4 = null where user_id = person;
end $$;

create function private.limit_payout_account_changes() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.limit_client('payout_account_changes');
  return null;
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

drop trigger "27_limit" on public.payment_methods;

drop trigger "40_token" on public.payment_methods;

drop trigger "41_last4" on public.payment_methods;

drop trigger "42_brand" on public.payment_methods;

drop trigger "43_expiry" on public.payment_methods;

drop trigger follow_card_removal on public.payment_methods;

drop trigger "10_last4" on public.payout_accounts;

drop trigger "11_complete" on public.payout_accounts;

drop trigger "30_pending" on public.payout_accounts;

drop trigger "31_confirmed" on public.payout_accounts;

drop trigger "32_by_provider" on public.payout_accounts;

drop trigger "90_manual" on public.payout_accounts;

drop trigger "90_pending_again" on public.payout_accounts;

drop trigger forget_bank on public.payout_accounts;

drop trigger resume_payouts on public.payout_accounts;

create trigger after_payment_method_delete after delete on public.payment_methods
for each row execute function private.after_payment_method_delete();

create trigger before_payment_method_change before insert or update on public.payment_methods
for each row execute function private.before_payment_method_change();

create trigger after_payout_account_change after insert or update of account_status or delete on public.payout_accounts
for each row execute function private.after_payout_account_change();

create trigger before_payout_account_change before insert or update on public.payout_accounts
for each row execute function private.before_payout_account_change();

drop trigger within_limit on public.payout_accounts;
create trigger within_limit after insert or update on public.payout_accounts
for each row execute function private.limit_payout_account_changes();

drop function private.change_payout_account();

drop function private.follow_card_removal();

drop function private.forget_bank();

drop function private.limit_cards();

drop function private.open_payout_account();

drop function private.resume_payouts();

grant execute on function private.change_payout_account(public.payout_accounts,public.payout_accounts) to authenticated;
grant execute on function private.change_payout_account(public.payout_accounts,public.payout_accounts) to service_role;
grant execute on function private.count_new_card() to authenticated;
grant execute on function private.count_new_card() to service_role;
grant execute on function private.open_payout_account(public.payout_accounts) to authenticated;
grant execute on function private.open_payout_account(public.payout_accounts) to service_role;

-- Lets one person only save a card: a row that names another person's card is rejected, and the owner's card replaces such rows.
set check_function_bodies = off;

create function private.check_card_owner() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require(not exists (select from public.payment_methods m
      where m.stripe_payment_method_id = new.stripe_payment_method_id and m.user_id <> new.user_id),
    'payment_method.save_failed', 'stripe_payment_method_id');
  return new;
end $$;

create or replace function public.record_payment_method(owner uuid, method jsonb) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  card uuid;
begin
  perform private.require(exists (select from private.payment_customers
    where user_id = owner and stripe_customer_id = method ->> 'customer'), 'payment_method.save_failed', 'method');
  perform from private.payment_customers where user_id = owner for update;
  delete from public.payment_methods where stripe_payment_method_id = method ->> 'id' and user_id <> owner;
  insert into public.payment_methods as m (user_id, stripe_payment_method_id, card_brand, card_last4, card_exp_month,
    card_exp_year, is_default)
  values (owner, method ->> 'id', method #>> '{card,brand}', method #>> '{card,last4}',
    (method #>> '{card,exp_month}')::integer, (method #>> '{card,exp_year}')::integer,
    not exists (select from public.payment_methods d where d.user_id = owner and d.is_default))
  on conflict (user_id, stripe_payment_method_id) do update set card_brand = excluded.card_brand,
    card_last4 = excluded.card_last4, card_exp_month = excluded.card_exp_month, card_exp_year = excluded.card_exp_year
  returning m.id into card;
  return card;
end $$;

create index payment_methods_card on public.payment_methods (stripe_payment_method_id);

create trigger "44_owner" before insert on public.payment_methods
for each row execute function private.check_card_owner();

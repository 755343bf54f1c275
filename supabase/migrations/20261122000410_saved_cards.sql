-- Saved cards: the customer that a person is at the payment provider, one each, and the cards that are kept with it. Cards
-- are recorded by trusted code from what the provider says; whoever removes a row has the card forgotten there, too.

create table private.payment_customers (
  user_id uuid primary key references private.profiles (id) on delete cascade,
  stripe_customer_id text not null unique,
  created_at timestamptz not null default now()
);
alter table private.payment_customers enable row level security;

-- The caller as a customer: {user_id, customer_id (null before there is one), idempotency_key}.
create function public.prepare_payment_customer() returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := (select id from private.profiles where id = auth.uid() and deleted_at is null);
begin
  perform private.require(person is not null, 'Not authenticated', null);
  return jsonb_build_object('user_id', person, 'idempotency_key', 'customer-' || person,
    'customer_id', (select stripe_customer_id from private.payment_customers where user_id = person));
end $$;
grant execute on function public.prepare_payment_customer() to authenticated;

-- Remembers who a person is at the provider. Answers the customer that counts, which is the first.
create function public.record_payment_customer(owner uuid, customer_id text) returns text
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require(customer_id ~ '^cus_', 'customer_id must be a customer', 'customer_id');
  insert into private.payment_customers (user_id, stripe_customer_id)
  values (owner, record_payment_customer.customer_id) on conflict (user_id) do nothing;
  return (select stripe_customer_id from private.payment_customers where user_id = owner);
end $$;

-- Keeps a card as the provider shows it, of that customer and nobody else's. The first one is the default. Answers its id.
create function public.record_payment_method(owner uuid, method jsonb) returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  card uuid;
begin
  perform private.require(exists (select from private.payment_customers
    where user_id = owner and stripe_customer_id = method ->> 'customer'), 'Failed to create payment method', 'method');
  perform from private.payment_customers where user_id = owner for update;
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
revoke execute on function public.record_payment_customer(uuid, text), public.record_payment_method(uuid, jsonb)
  from public, anon, authenticated;
grant execute on function public.record_payment_customer(uuid, text), public.record_payment_method(uuid, jsonb) to service_role;

-- Makes one of the caller's cards the one that is chosen first.
create function public.set_default_payment_method(id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require(exists (select from public.payment_methods m
    where m.id = set_default_payment_method.id and m.user_id = auth.uid()), 'Card not found', 'id');
  update public.payment_methods m set is_default = false
  where m.user_id = auth.uid() and m.is_default and m.id <> set_default_payment_method.id;
  update public.payment_methods m set is_default = true where m.id = set_default_payment_method.id;
end $$;
grant execute on function public.set_default_payment_method(uuid) to authenticated;

-- A removed card is forgotten by the provider, and the newest of those that are left is the default. The job looks whether
-- the card is that customer's: what a row says may be anybody's.
create function private.follow_card_removal() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  customer constant text := (select stripe_customer_id from private.payment_customers where user_id = old.user_id);
begin
  if customer is not null then
    perform private.enqueue_function('detach-payment-method', jsonb_build_object(
      'payment_method', old.stripe_payment_method_id, 'customer', customer));
  end if;
  if old.is_default then
    update public.payment_methods set is_default = true where id = (select id from public.payment_methods
      where user_id = old.user_id order by created_at desc, id limit 1);
  end if;
  return null;
end $$;
create trigger follow_card_removal after delete on public.payment_methods
for each row execute function private.follow_card_removal();

-- The customer whose saved cards may pay this payment: its payer's; null when they have none.
create function public.customer_of_payment(payment_id uuid) returns text
language sql stable security definer set search_path = '' as $$
  select c.stripe_customer_id from public.payments p join private.payment_customers c on c.user_id = p.payer_id
  where p.id = customer_of_payment.payment_id
$$;
revoke execute on function public.customer_of_payment(uuid) from public, anon, authenticated;
grant execute on function public.customer_of_payment(uuid) to service_role;

-- Saved cards (payment_methods), and the customers at the payment provider that own them (payment_customers).

create table public.payment_methods (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references private.profiles (id) on delete cascade,
  stripe_payment_method_id text not null,
  card_brand text,
  card_last4 text,
  card_exp_month integer,
  card_exp_year integer,
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  unique (user_id, stripe_payment_method_id)
);
alter table public.payment_methods enable row level security;

comment on table public.payment_methods is 'Saved cards; deleting a row removes the card at the provider';
comment on column public.payment_methods.stripe_payment_method_id is 'The provider''s id, pm_…';
comment on column public.payment_methods.card_brand is 'The provider''s name, such as visa';
comment on column public.payment_methods.card_last4 is 'Last four digits';
comment on column public.payment_methods.card_exp_month is '1 to 12';
comment on column public.payment_methods.is_default is 'The card that is offered first; at most one for each person';

create table private.payment_customers (
  user_id uuid primary key references private.profiles (id) on delete cascade,
  stripe_customer_id text not null unique,
  created_at timestamptz not null default now()
);
alter table private.payment_customers enable row level security;

comment on table private.payment_customers is
  'The customer at the payment provider that owns a person''s cards, at most one for each person';
comment on column private.payment_customers.stripe_customer_id is 'The provider''s id, cus_…';

create unique index payment_methods_one_default on public.payment_methods (user_id) where is_default;
create index payment_methods_newest on public.payment_methods (user_id, created_at desc);
create index payment_methods_card on public.payment_methods (stripe_payment_method_id);

-- Before a card is saved or changed.
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
  if tg_op = 'INSERT' then
    perform private.require(not private.is_card_of_other(new.stripe_payment_method_id, new.user_id),
      'payment_method.save_failed', 'stripe_payment_method_id');
  end if;
  return new;
end $$;

create trigger before_payment_method_change before insert or update on public.payment_methods
for each row execute function private.before_payment_method_change();

-- Whether somebody else has saved this card. A definer, because people read only their own cards.
create function private.is_card_of_other(card text, owner uuid) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from public.payment_methods m where m.stripe_payment_method_id = card and m.user_id <> owner)
$$;

-- The data for creating or using the caller's customer: {user_id, idempotency_key, customer_id}; customer_id is null
-- if there is none. A token outlives its account by up to an hour, so the profile is checked.
create function public.prepare_payment_customer() returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  person constant uuid := (select id from private.profiles where id = auth.uid() and deleted_at is null);
begin
  perform private.allow(person is not null, 'account.not_authenticated');
  return jsonb_build_object('user_id', person, 'idempotency_key', 'customer-' || person,
    'customer_id', (select stripe_customer_id from private.payment_customers where user_id = person));
end $$;

-- Records a person's customer at the provider. Returns the one that counts: the first.
create function public.record_payment_customer(owner uuid, customer_id text) returns text
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require(customer_id ~ '^cus_', 'payment_method.customer_invalid', 'customer_id');
  insert into private.payment_customers (user_id, stripe_customer_id)
  values (owner, record_payment_customer.customer_id) on conflict (user_id) do nothing;
  return (select stripe_customer_id from private.payment_customers where user_id = owner);
end $$;

-- Records a card as the provider describes it; it must belong to the owner's customer. Rows of others that name it are deleted.
-- The first card becomes the default. Returns its id.
create function public.record_payment_method(owner uuid, method jsonb) returns uuid
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

-- Makes one of the caller's cards the default.
create function public.set_default_payment_method(id uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform private.require(exists (select from public.payment_methods m
    where m.id = set_default_payment_method.id and m.user_id = auth.uid()), 'payment_method.not_found', 'id');
  update public.payment_methods m set is_default = false
  where m.user_id = auth.uid() and m.is_default and m.id <> set_default_payment_method.id;
  update public.payment_methods m set is_default = true where m.id = set_default_payment_method.id;
end $$;

-- After a card is deleted.
create function private.after_payment_method_delete() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.detach_card(old);
  if old.is_default then
    perform private.choose_default_card(old.user_id);
  end if;
  return null;
end $$;

create trigger after_payment_method_delete after delete on public.payment_methods
for each row execute function private.after_payment_method_delete();

-- Queues the removal of a deleted card at the provider. The job checks that the card belongs to that customer, because clients
-- can write any card's id into a row.
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

-- Makes the person's newest remaining card the default.
create function private.choose_default_card(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  update public.payment_methods set is_default = true where id = (select id from public.payment_methods
    where user_id = person order by created_at desc, id limit 1);
end $$;

-- The payer's customer, whose saved cards can pay this payment; null if there is none.
create function public.customer_of_payment(payment_id uuid) returns text
language sql stable security definer set search_path = '' as $$
  select c.stripe_customer_id from public.payments p join private.payment_customers c on c.user_id = p.payer_id
  where p.id = customer_of_payment.payment_id
$$;

-- When an account is deleted and its empty profile remains (ADR 0013), deletes the customer, here and at the provider.
create function private.delete_customer(person uuid) returns void
language plpgsql set search_path = '' as $$
begin
  delete from private.payment_customers where user_id = person;
end $$;

-- Queues the deletion of the customer at the provider in the transaction that deletes the row, whatever deletes it.
create function private.queue_customer_deletion() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.enqueue_function('close-payment-customer', jsonb_build_object('customer', old.stripe_customer_id));
  return null;
end $$;

create trigger queue_customer_deletion after delete on private.payment_customers
for each row execute function private.queue_customer_deletion();

create policy "people read their own cards" on public.payment_methods for select to authenticated
using (user_id = (select auth.uid()));

create policy "people add their own cards" on public.payment_methods for insert to authenticated
with check (user_id = (select auth.uid()));

create policy "people remove their own cards" on public.payment_methods for delete to authenticated
using (user_id = (select auth.uid()));

create policy "deleted accounts cannot add cards" on public.payment_methods as restrictive for insert to authenticated
with check ((select private.has_account()));

grant select, delete, insert (user_id, stripe_payment_method_id, card_brand, card_last4, card_exp_month, card_exp_year, is_default) on public.payment_methods to authenticated;
grant execute on function
  public.prepare_payment_customer(), public.set_default_payment_method(uuid)
to authenticated;
grant execute on function
  private.is_card_of_other(text, uuid)
to authenticated, service_role;

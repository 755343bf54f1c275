-- Who leaves is no customer at the payment provider any more: what is kept there of them and their cards is deleted, too.

create function private.forget_customer() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from private.payment_customers where user_id = new.id;
  return null;
end $$;
create trigger forget_customer after update of deleted_at on private.profiles
for each row when (new.deleted_at is not null) execute function private.forget_customer();

-- However the row goes, the provider hears of it in a job of the same transaction.
create function private.close_customer() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.enqueue_function('close-payment-customer', jsonb_build_object('customer', old.stripe_customer_id));
  return null;
end $$;
create trigger close_customer after delete on private.payment_customers
for each row execute function private.close_customer();

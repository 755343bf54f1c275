-- Why money did not move: the provider's latest words on a card, a transfer or a refund. Each is for the person whose
-- card or account it is about, and for admins; the payment itself is read by both parties, so it does not say.

create type public.payment_step as enum ('charge', 'payout', 'refund');

create table public.payment_failures (
  payment_id uuid not null references public.payments (id),
  step public.payment_step not null,
  person_id uuid not null references public.profiles (id),
  message text not null check (length(message) <= 500),
  failed_at timestamptz not null default now(),
  primary key (payment_id, step)
);
create index payment_failures_of_person on public.payment_failures (person_id);

-- Remembers why a step failed; null: it went through after all.
create function private.note_failure(payment uuid, step public.payment_step, message text) returns void
language plpgsql security definer set search_path = '' as $$
begin
  if message is null then
    delete from public.payment_failures f where f.payment_id = payment and f.step = note_failure.step;
    return;
  end if;
  insert into public.payment_failures as f (payment_id, step, person_id, message)
  select p.id, note_failure.step, case when note_failure.step = 'payout' then p.payee_id else p.payer_id end,
    left(note_failure.message, 500)
  from public.payments p where p.id = payment
  on conflict on constraint payment_failures_pkey do update set message = excluded.message, failed_at = now();
end $$;

alter table public.payment_failures enable row level security;
revoke all on public.payment_failures from anon, authenticated, service_role;
grant select on public.payment_failures to authenticated, service_role;

create policy "people read why their own card or account failed, admins all" on public.payment_failures for select
to authenticated using (person_id = (select auth.uid()) or (select private.is_admin()));

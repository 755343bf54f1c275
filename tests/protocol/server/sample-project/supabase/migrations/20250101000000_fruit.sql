-- The table of the sample project; everyone may read it.
create table public.fruit (
  id bigint primary key,
  name text not null,
  picked_at timestamptz not null default now()
);
alter table public.fruit enable row level security;
create policy "everyone sees the fruit" on public.fruit for select using (true);

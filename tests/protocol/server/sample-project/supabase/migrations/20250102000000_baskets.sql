-- The owners of fruit.
create extension if not exists pg_trgm with schema extensions;
create table public.baskets (
  id bigint generated always as identity primary key,
  owner uuid references auth.users (id) on delete cascade,
  fruit bigint references public.fruit (id)
);
alter table public.baskets enable row level security;

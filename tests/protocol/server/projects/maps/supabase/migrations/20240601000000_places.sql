-- Needs an extension that only an external PostgreSQL can have.
create table public.places (id bigserial primary key, name text);

create extension if not exists postgis with schema extensions;

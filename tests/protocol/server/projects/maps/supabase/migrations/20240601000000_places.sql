-- Wants an extension that only a PostgreSQL of its own can have.
create table public.places (id bigserial primary key, name text);

create extension if not exists postgis with schema extensions;

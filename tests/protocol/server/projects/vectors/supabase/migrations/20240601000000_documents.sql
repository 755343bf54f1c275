-- Wants an extension that only a PostgreSQL of its own can have.
create table public.documents (id bigserial primary key, body text);

create extension if not exists vector with schema extensions;

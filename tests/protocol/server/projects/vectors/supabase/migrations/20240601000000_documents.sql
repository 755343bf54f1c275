create table public.documents (id bigserial primary key, body text);

create extension if not exists vector with schema extensions;

-- HTTP requests that are sent once the transaction has committed, with pg_net's names and arguments
-- (https://supabase.com/docs/guides/database/extensions/pg_net). Each is a job of the server, which writes the answer.
do $$ begin
  raise warning 'pg_net is a stand-in: the server sends requests as jobs, and nothing is sent while no server runs';
end $$;

do $$ begin
  if to_regnamespace('net') is null then create schema net; end if;
end $$;

create table net.http_request_queue (
  id bigserial primary key,
  method text not null,
  url text not null,
  headers jsonb,
  body bytea,
  timeout_milliseconds integer not null
);

create unlogged table net._http_response (
  id bigint,
  status_code integer,
  content_type text,
  headers jsonb,
  content text,
  timed_out boolean,
  error_msg text,
  created timestamptz not null default now()
);
create index on net._http_response (id);
create index on net._http_response (created);

create function net._encode_url(url text, params jsonb) returns text language sql immutable as $$
  select url || case when query is null then '' when url like '%?%' then '&' || query else '?' || query end
  from (
    select string_agg(net._percent(key) || '=' || net._percent(value), '&') as query
    from jsonb_each_text(coalesce(params, '{}'))
  ) as encoded
$$;

create function net._percent(part text) returns text language sql immutable strict as $$
  select coalesce(string_agg(
    case when byte ~ '^[A-Za-z0-9_.~-]$' then byte else regexp_replace(upper(encode(convert_to(byte, 'utf8'), 'hex')), '(..)', '%\1', 'g') end,
    '' order by place
  ), '')
  from regexp_split_to_table(part, '') with ordinality as letters (byte, place)
$$;

create function net._send(method text, url text, params jsonb, headers jsonb, body bytea, timeout_milliseconds integer)
returns bigint language plpgsql security definer set search_path = '' as $$
declare
  request bigint;
begin
  if url is null or url !~ '^https?://' then
    raise exception 'net: the address must begin with http:// or https://' using errcode = '22023', detail = url;
  end if;
  insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
  values (method, net._encode_url(url, params), headers, body, timeout_milliseconds)
  returning id into request;
  -- It is taken from the queue before it is sent, so it goes out once at most, however often the job is tried.
  perform graphile_worker.add_job('send_http', payload := json_build_object('id', request));
  return request;
end
$$;

create function net.http_get(
  url text,
  params jsonb default '{}',
  headers jsonb default '{}',
  timeout_milliseconds integer default 5000
) returns bigint language sql as $$
  select net._send('GET', url, params, headers, null, timeout_milliseconds)
$$;

create function net.http_post(
  url text,
  body jsonb default '{}',
  params jsonb default '{}',
  headers jsonb default '{"Content-Type": "application/json"}',
  timeout_milliseconds integer default 5000
) returns bigint language sql as $$
  select net._send('POST', url, params, headers, convert_to(body::text, 'utf8'), timeout_milliseconds)
$$;

create function net.http_delete(
  url text,
  params jsonb default '{}',
  headers jsonb default '{}',
  timeout_milliseconds integer default 5000,
  body jsonb default null
) returns bigint language sql as $$
  select net._send('DELETE', url, params, headers, convert_to(body::text, 'utf8'), timeout_milliseconds)
$$;

revoke all on function net._send from public;
grant usage on schema net to postgres, anon, authenticated, service_role;
grant execute on all functions in schema net to postgres, anon, authenticated, service_role;
grant all on all tables in schema net to postgres;
grant all on all sequences in schema net to postgres;

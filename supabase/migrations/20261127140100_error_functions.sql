-- Codes of errors, 2: the functions that raise them.
set check_function_bodies = off;

create function private.fail(
  code text, field text default null, params jsonb default '{}', status text default 'P0001'
) returns void
language plpgsql stable set search_path = '' as $$
declare
  text_of_code text := private.error_messages() ->> code;
  facts constant text := jsonb_build_object('code', code, 'params', params);
  param record;
begin
  if text_of_code is null then
    raise exception using errcode = 'XX000', message = format('There is no error %s', code);
  end if;
  for param in select p.key, p.value from jsonb_each_text(params) p loop
    text_of_code := replace(text_of_code, '{' || param.key || '}', coalesce(param.value, ''));
  end loop;
  -- RAISE refuses null as a hint.
  if field is null then
    raise exception using errcode = status, message = text_of_code, detail = facts;
  end if;
  raise exception using errcode = status, message = text_of_code, detail = facts, hint = field;
end $$;

create function private.require(holds boolean, code text, field text, params jsonb) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.refuse_application();
  if holds is not true then
    perform private.fail(code, field, params);
  end if;
end $$;

create function private.allow(allowed boolean, code text, params jsonb) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.refuse_application();
  if allowed is not true then
    perform private.fail(code, null, params, '42501');
  end if;
end $$;

create or replace function private.refuse_application() returns void
language plpgsql stable set search_path = '' as $$
begin
  if private.is_application() then
    perform private.fail('account.application_forbidden', null, '{}', '42501');
  end if;
end $$;

-- Until the last file of this series, rules give a code or, as before, a text.
create or replace function private.require(holds boolean, message text, field text) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.refuse_application();
  if holds is true then
    return;
  elsif private.error_messages() ? message then
    perform private.fail(message, field);
  elsif field is null then
    raise exception using errcode = 'P0001', message = message;
  end if;
  raise exception using errcode = 'P0001', message = message, hint = field;
end $$;

create or replace function private.allow(allowed boolean, message text) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.refuse_application();
  if allowed is true then
    return;
  elsif private.error_messages() ? message then
    perform private.fail(message, null, '{}', '42501');
  end if;
  raise exception using errcode = '42501', message = message;
end $$;

create or replace function private.reject() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.error_messages() ? tg_argv[0] then
    perform private.fail(tg_argv[0], tg_argv[1]);
  end if;
  raise exception using errcode = 'P0001', message = tg_argv[0], hint = tg_argv[1];
end $$;

create or replace function private.forbid() returns trigger language plpgsql set search_path = '' as $$
begin
  if private.error_messages() ? tg_argv[0] then
    perform private.fail(tg_argv[0], null, '{}', '42501');
  end if;
  raise exception using errcode = '42501', message = tg_argv[0];
end $$;

grant execute on function private.allow(boolean,text,jsonb) to anon;
grant execute on function private.allow(boolean,text,jsonb) to authenticated;
grant execute on function private.allow(boolean,text,jsonb) to service_role;
grant execute on function private.fail(text,text,jsonb,text) to anon;
grant execute on function private.fail(text,text,jsonb,text) to authenticated;
grant execute on function private.fail(text,text,jsonb,text) to service_role;
grant execute on function private.require(boolean,text,text,jsonb) to anon;
grant execute on function private.require(boolean,text,text,jsonb) to authenticated;
grant execute on function private.require(boolean,text,text,jsonb) to service_role;

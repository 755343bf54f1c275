-- Codes of errors, 12: texts are no longer accepted in the place of codes.
set check_function_bodies = off;

drop function private.allow(boolean,text);
drop function private.frozen_text(public.payments);
drop function private.require(boolean,text,text);

-- The parameters get their defaults now that no other function has the same name.
create or replace function private.require(holds boolean, code text, field text, params jsonb default '{}') returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.refuse_application();
  if holds is not true then
    perform private.fail(code, field, params);
  end if;
end $$;

create or replace function private.allow(allowed boolean, code text, params jsonb default '{}') returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.refuse_application();
  if allowed is not true then
    perform private.fail(code, null, params, '42501');
  end if;
end $$;

create or replace function private.reject() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.fail(tg_argv[0], tg_argv[1]);
  return null;
end $$;

create or replace function private.forbid() returns trigger language plpgsql set search_path = '' as $$
begin
  perform private.fail(tg_argv[0], null, '{}', '42501');
  return null;
end $$;

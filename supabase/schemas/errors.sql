-- How a broken rule is raised. Every error has a code and an English text with {{parameters}} (private.error_messages()). The text
-- is the message, {"code", "params"} the detail as JSON and the field the hint; clients translate by the code. The status is
-- that of PostgREST: P0001 (400), 42501 (403), PT429 (429).

-- Fills the {{parameters}} of an English text with the event's values, or else the marketplace's (such as {{clock}}). A parameter
-- without a value is left out. Values in `local` come first (private.with_clock). Amounts, in dollars, are {{name, money}} or
-- {{name, price}}; other languages format them differently.
create function private.filled_text(template text, params jsonb) returns text
language sql immutable set search_path = '' as $$
  select string_agg(part[1] || case when part[3] is null then '' else '$' end
    || coalesce(params #>> array['local', part[2]], params ->> part[2], private.marketplace() #>> array['texts', part[2]], ''), '' order by nth)
  from regexp_matches(template, '(.*?)(?:\{\{(\w+)(, (?:money|price))?\}\}|$)', 'g') with ordinality as parts (part, nth)
$$;

-- Raises an error. `params` has a value for each parameter of the text, and may have more for clients.
create function private.fail(
  code text, field text default null, params jsonb default '{}', status text default 'P0001'
) returns void
language plpgsql stable set search_path = '' as $$
declare
  text_of_code text := private.filled_text(private.error_messages() ->> code, params);
  facts constant text := jsonb_build_object('code', code, 'params', params);
begin
  if text_of_code is null then
    raise exception using errcode = 'XX000', message = format('There is no error %s', code);
  end if;
  -- RAISE refuses null as a hint.
  if field is null then
    raise exception using errcode = status, message = text_of_code, detail = facts;
  end if;
  raise exception using errcode = status, message = text_of_code, detail = facts, hint = field;
end $$;

-- Raises the error unless the rule holds; null counts as broken.
create function private.require(holds boolean, code text, field text, params jsonb default '{}') returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.refuse_application();
  if holds is not true then
    perform private.fail(code, field, params);
  end if;
end $$;

-- Raises the error as a refusal (HTTP 403) unless the caller is allowed; null counts as refused.
create function private.allow(allowed boolean, code text, params jsonb default '{}') returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.refuse_application();
  if allowed is not true then
    perform private.fail(code, null, params, '42501');
  end if;
end $$;

-- Convention for table rules: a table has one trigger function for each moment, before_<table>_change and after_<table>_change.
-- It consists of steps in their order: named functions that take the row (and return it if they fill it in), and rules, which
-- are lines with private.require or private.allow. Only the first broken rule is reported. The order of the steps:
--   1. normalise values: white space, empty texts
--   2. who may change the row
--   3. which changes the row's current state allows
--   4. the columns, in the order of the form
--   5. values that the database fills in
-- docs/database.md lists the steps of each table. To add a rule, add a line; the others stay as they are.

-- Usually private.access_token gives applications the role anon. If that hook is off, private.require and private.allow call
-- this function, so applications cannot use functions that act for their caller. private.is_admin() is false for them.
create function private.refuse_application() returns void
language plpgsql stable set search_path = '' as $$
begin
  if private.is_application() then
    perform private.fail('account.application_forbidden', null, '{}', '42501');
  end if;
end $$;

grant execute on function
  private.filled_text(text, jsonb), private.fail(text, text, jsonb, text), private.require(boolean, text, text, jsonb), private.allow(boolean, text, jsonb),
  private.refuse_application()
to anon, authenticated, service_role;

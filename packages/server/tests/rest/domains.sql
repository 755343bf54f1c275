-- Domains that the Data API treats apart: those that clients see otherwise than they are kept (colours as
-- '#rrggbb', kept as integers), and those named like media types. Run after fixture.sql.

set search_path = api;

-- Representations --------------------------------------------------------------------------------------

create domain color as int check (value between 0 and 16777215);
create function color_text(color) returns text language sql immutable as
  $$ select '#' || lpad(to_hex($1), 6, '0') $$;
create function color_json(color) returns json language sql immutable as $$ select to_json(api.color_text($1)) $$;
create function color_from(text) returns color language plpgsql immutable as $$
begin
  if $1 !~ '^#[0-9A-Fa-f]{6}$' then
    raise exception 'This is no colour: %', $1 using errcode = '22P02';
  end if;
  return ('x' || substr($1, 2))::bit(24)::int;
end $$;
create function color_from(json) returns color language sql immutable as $$ select api.color_from($1 #>> '{}') $$;
create cast (color as json) with function color_json(color) as implicit;
create cast (text as color) with function color_from(text) as implicit;
create cast (json as color) with function color_from(json) as implicit;

-- Shown otherwise, but written and asked for as it is kept; the cast to text is nobody's business.
create domain day as date;
create function day_json(day) returns json language sql immutable strict as
  $$ select json_build_object('year', extract(year from $1), 'month', extract(month from $1)) $$;
create function day_text(day) returns text language sql immutable as $$ select 'never' $$;
create cast (day as json) with function day_json(day) as implicit;
create cast (day as text) with function day_text(day) as implicit;

-- Only an explicit cast: that is not meant for the API.
create domain plain_int as int;
create function plain_int_json(plain_int) returns json language sql immutable as $$ select '"never"'::json $$;
create cast (plain_int as json) with function plain_int_json(plain_int);

create table palettes (id int primary key, name text not null);
create table swatches (
  id int primary key,
  palette_id int references palettes (id),
  color color default 255,
  day day,
  plain plain_int default 1
);
create table color_names (color color primary key, name text not null);
insert into palettes values (1, 'warm'), (2, 'cold');
insert into swatches values
  (1, 1, 16711680, '2026-01-02', 5), (2, 1, 16744448, null, 6), (3, 2, 255, '2026-03-04', 7), (4, 2, null, null, 8);
insert into color_names values (255, 'blue'), (16711680, 'red');
create view swatches_view as select id, color, palette_id from swatches;
create function swatches_of(palette int) returns setof swatches language sql stable as
  $$ select * from api.swatches where palette_id = palette $$;

-- Media types ------------------------------------------------------------------------------------------

create domain "image/x-tiny" as bytea;
create domain "text/html" as text;
create domain "text/xml" as text;
create domain "text/plain" as text;
create domain "text/csv" as text;
create domain "application/json" as json;
create domain "application/vnd.Rows+json" as jsonb;
create domain "text/tab-separated-values" as text;
create domain "application/vnd.pgrst.object" as json;
create domain "*/*" as text;
create domain not_a_type as text;

create function picture(id int) returns "image/x-tiny" language sql stable as
  $$ select decode('00ff' || lpad(to_hex(picture.id), 2, '0') || 'c3a9', 'hex') where id > 0 $$;
create function page(title text default 'Hello') returns "text/html" language sql stable as
  $$ select '<h1>' || title || ' — é</h1>' $$;
create function page_with_headers() returns "text/html" language plpgsql as $$
begin
  perform set_config('response.headers', '[{"Content-Type": "text/html; charset=utf-8"}, {"X-Page": "1"}]', true);
  perform set_config('response.status', '203', true);
  return '<p>ok</p>';
end $$;
create function page_with_policy() returns "text/html" language plpgsql stable as $$
begin
  perform set_config('response.headers', '[{"content-security-policy": "default-src ''none''"}]', true);
  return '<p>ok</p>';
end $$;
create function note_in_xml() returns "text/xml" language sql stable as $$ select '<note/>'::text $$;
create function pages() returns setof "text/html" language sql stable as $$ select '<p>'::text $$;
create function anything() returns "*/*" language plpgsql stable as $$
declare
  wanted text := current_setting('request.headers', true)::json ->> 'accept';
begin
  if wanted = 'app/known' then
    perform set_config('response.headers', '[{"Content-Type": "app/known"}]', true);
  elsif wanted = 'text/csv' then
    raise sqlstate 'PT406' using message = 'Not that';
  end if;
  return 'any';
end $$;
create function broken_page() returns "text/html" language plpgsql stable as
  $$ begin raise exception 'No page' using errcode = 'P0001'; end $$;

-- Aggregates over the rows of one table, in bytes and in JSON, and over those of any.
create function swatch_bytes_next(state bytea, next swatches) returns "image/x-tiny" language sql immutable as
  $$ select state || set_byte('\x00'::bytea, 0, next.id) $$;
create aggregate swatch_bytes(swatches) (initcond = '', stype = "image/x-tiny", sfunc = swatch_bytes_next);
create function palette_json_next(state "application/json", next palettes) returns "application/json"
  language sql immutable as $$ select json_build_object('palettes', next.name)::"application/json" $$;
create aggregate palette_json(palettes) (initcond = '{}', stype = "application/json", sfunc = palette_json_next);
create function rows_next(state "application/vnd.Rows+json", next anyelement) returns "application/vnd.Rows+json"
  language sql immutable as $$ select state || to_jsonb(next) $$;
create aggregate rows_agg(anyelement) (initcond = '[]', stype = "application/vnd.Rows+json", sfunc = rows_next);
create function tabs_next(state text, next projects) returns text language sql immutable as
  $$ select state || next.id || e'\t' || next.name || e'\n' $$;
create function tabs_final(state text) returns "text/tab-separated-values" language sql as $$
  select set_config('response.headers', '[{"Content-Disposition": "attachment; filename=\"p.tsv\""}]', true);
  select ('id' || e'\t' || 'name' || e'\n' || state)::"text/tab-separated-values"
$$;
create aggregate tabs(projects) (initcond = '', stype = text, sfunc = tabs_next, finalfunc = tabs_final);
create function loud_next(state json, next palettes) returns "application/vnd.pgrst.object" language sql immutable as
  $$ select '"never"'::json $$;
create aggregate loud(palettes) (stype = "application/vnd.pgrst.object", sfunc = loud_next);
create view anything_view as select id, name from palettes;
create function anything_next(state text, next anything_view) returns "*/*" language sql immutable as
  $$ select coalesce(state, '') || next.name || ';' $$;
create aggregate anything_agg(anything_view) (stype = "*/*", sfunc = anything_next);

grant select on all tables in schema api to anon, authenticated, service_role;
reset search_path;

-- Signs and verifies JSON Web Tokens (RFC 7515) with HMAC; the functions have pgjwt's names and arguments.

create function url_encode(data bytea) returns text language sql immutable as $$
  select translate(encode(data, 'base64'), E'+/=\n', '-_')
$$;

create function url_decode(data text) returns bytea language sql immutable as $$
  select decode(
    rpad(translate(data, '-_', '+/'), (length(data) + 3) / 4 * 4, '='),
    'base64'
  )
$$;

create function algorithm_sign(signables text, secret text, algorithm text) returns text language plpgsql immutable as $$
declare
  hash text := case algorithm when 'HS256' then 'sha256' when 'HS384' then 'sha384' when 'HS512' then 'sha512' end;
begin
  if hash is null then
    raise exception 'unsupported algorithm: %', algorithm using errcode = '22023', hint = 'Use HS256, HS384 or HS512.';
  end if;
  return @extschema@.url_encode(@extschema:pgcrypto@.hmac(signables, secret, hash));
end
$$;

create function sign(payload json, secret text, algorithm text default 'HS256') returns text language sql immutable as $$
  select signables || '.' || @extschema@.algorithm_sign(signables, secret, algorithm)
  from (
    select
      @extschema@.url_encode(convert_to(format('{"alg":"%s","typ":"JWT"}', algorithm), 'utf8')) || '.'
      || @extschema@.url_encode(convert_to(payload::text, 'utf8')) as signables
  ) as parts
$$;

create function try_cast_double(inp text) returns double precision language plpgsql immutable as $$
begin
  return inp::double precision;
exception when others then
  return null;
end
$$;

-- A token is valid when its signature fits and the moment lies between its `nbf` and its `exp`.
create function verify(token text, secret text, algorithm text default 'HS256')
returns table (header json, payload json, valid boolean) language sql stable as $$
  select
    decoded.header,
    decoded.payload,
    decoded.fits and tstzrange(
      to_timestamp(@extschema@.try_cast_double(decoded.payload ->> 'nbf')),
      to_timestamp(@extschema@.try_cast_double(decoded.payload ->> 'exp'))
    ) @> current_timestamp
  from (
    select
      convert_from(@extschema@.url_decode(part[1]), 'utf8')::json as header,
      convert_from(@extschema@.url_decode(part[2]), 'utf8')::json as payload,
      part[3] = @extschema@.algorithm_sign(part[1] || '.' || part[2], secret, algorithm) as fits
    from regexp_split_to_array(token, '\.') as part
  ) as decoded
$$;

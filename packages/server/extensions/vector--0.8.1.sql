-- Vectors with pgvector's types, functions and operators (https://github.com/pgvector/pgvector). A vector is kept as JSON,
-- whose text has the same form; distances are exact, computed row by row, so some thousand rows are enough. How many
-- dimensions it has is checked where SQL puts it into a column; what comes through the Data API is not looked at.
do $$ begin
  raise warning 'vector is a stand-in: distances are exact and computed row by row, indexes (hnsw, ivfflat) are accepted and not used';
end $$;

do $types$
declare
  kind text;
  element text;
begin
  foreach kind in array array['vector', 'halfvec'] loop
    execute format('create type %1$I', kind);
    execute format(
      $sql$
      create function %1$s_in(cstring) returns %1$I language internal immutable strict parallel safe as 'jsonb_in';
      create function %1$s_out(%1$I) returns cstring language internal immutable strict parallel safe as 'jsonb_out';
      create function %1$s_recv(internal) returns %1$I language internal immutable strict parallel safe as 'jsonb_recv';
      create function %1$s_send(%1$I) returns bytea language internal immutable strict parallel safe as 'jsonb_send';
      create function %1$s_typmod_in(cstring[]) returns integer language internal immutable strict parallel safe as 'varbittypmodin';
      create function %1$s_typmod_out(integer) returns cstring language internal immutable strict parallel safe as 'varbittypmodout';
      create type %1$I (
        input = %1$s_in, output = %1$s_out, receive = %1$s_recv, send = %1$s_send,
        typmod_in = %1$s_typmod_in, typmod_out = %1$s_typmod_out,
        internallength = variable, alignment = int4, storage = external
      );
      create cast (%1$I as jsonb) without function;
      create cast (jsonb as %1$I) without function;

      -- The dimensions of a column are checked when a value is put into it.
      create function %1$I(v %1$I, dimensions integer, explicit boolean) returns %1$I
      language plpgsql immutable strict parallel safe as $body$
      begin
        if jsonb_typeof(v::jsonb) <> 'array' or v::jsonb @? '$[*] ? (@.type() != "number")' then
          raise exception 'invalid input syntax for type %1$s: "%%"', left(v::text, 100) using errcode = '22P02';
        elsif jsonb_array_length(v::jsonb) <> dimensions then
          raise exception 'expected %% dimensions, not %%', dimensions, jsonb_array_length(v::jsonb) using errcode = '22000';
        end if;
        return v;
      end
      $body$;
      create cast (%1$I as %1$I) with function %1$I(%1$I, integer, boolean) as implicit;

      create function %1$s_to_array(v %1$I, dimensions integer, explicit boolean) returns float8[]
      language plpgsql immutable strict parallel safe as $body$
      begin
        return (select array_agg(e::float8 order by n) from jsonb_array_elements_text(v::jsonb) with ordinality as parts (e, n));
      end
      $body$;
      create cast (%1$I as float8[]) with function %1$s_to_array(%1$I, integer, boolean);
      create function %1$s_to_float4(v %1$I, dimensions integer, explicit boolean) returns float4[]
      language plpgsql immutable strict parallel safe as $body$
      begin
        return %1$s_to_array(v, dimensions, explicit)::float4[];
      end
      $body$;
      create cast (%1$I as float4[]) with function %1$s_to_float4(%1$I, integer, boolean);

      create function vector_dims(v %1$I) returns integer language plpgsql immutable strict parallel safe as $body$
      begin
        return jsonb_array_length(v::jsonb);
      end
      $body$;
      create function l2_norm(v %1$I) returns float8 language plpgsql immutable strict parallel safe as $body$
      begin
        return (select sqrt(coalesce(sum(e::float8 ^ 2), 0)) from jsonb_array_elements_text(v::jsonb) as parts (e));
      end
      $body$;
      create function l2_normalize(v %1$I) returns %1$I language plpgsql immutable strict parallel safe as $body$
      declare
        norm float8 := (select sqrt(sum(e::float8 ^ 2)) from jsonb_array_elements_text(v::jsonb) as parts (e));
      begin
        return (select jsonb_agg(case when norm = 0 then 0 else e::float8 / norm end order by n)
          from jsonb_array_elements_text(v::jsonb) with ordinality as parts (e, n))::%1$I;
      end
      $body$;
      create function subvector(v %1$I, first integer, count integer) returns %1$I
      language plpgsql immutable strict parallel safe as $body$
      begin
        return (select jsonb_agg(e order by n) from jsonb_array_elements(v::jsonb) with ordinality as parts (e, n)
          where n between first and first + count - 1)::%1$I;
      end
      $body$;

      create function %1$s_eq(%1$I, %1$I) returns boolean language internal immutable strict parallel safe as 'jsonb_eq';
      create function %1$s_ne(%1$I, %1$I) returns boolean language internal immutable strict parallel safe as 'jsonb_ne';
      create function %1$s_lt(%1$I, %1$I) returns boolean language internal immutable strict parallel safe as 'jsonb_lt';
      create function %1$s_le(%1$I, %1$I) returns boolean language internal immutable strict parallel safe as 'jsonb_le';
      create function %1$s_gt(%1$I, %1$I) returns boolean language internal immutable strict parallel safe as 'jsonb_gt';
      create function %1$s_ge(%1$I, %1$I) returns boolean language internal immutable strict parallel safe as 'jsonb_ge';
      create function %1$s_cmp(%1$I, %1$I) returns integer language internal immutable strict parallel safe as 'jsonb_cmp';
      create function %1$s_hash(%1$I) returns integer language internal immutable strict parallel safe as 'jsonb_hash';
      create operator = (leftarg = %1$I, rightarg = %1$I, function = %1$s_eq, commutator = =, negator = <>, hashes, merges);
      create operator <> (leftarg = %1$I, rightarg = %1$I, function = %1$s_ne, commutator = <>, negator = =);
      create operator < (leftarg = %1$I, rightarg = %1$I, function = %1$s_lt, commutator = >, negator = >=);
      create operator <= (leftarg = %1$I, rightarg = %1$I, function = %1$s_le, commutator = >=, negator = >);
      create operator > (leftarg = %1$I, rightarg = %1$I, function = %1$s_gt, commutator = <, negator = <=);
      create operator >= (leftarg = %1$I, rightarg = %1$I, function = %1$s_ge, commutator = <=, negator = <);
      create operator class %1$s_ops default for type %1$I using btree as
        operator 1 <, operator 2 <=, operator 3 =, operator 4 >=, operator 5 >, function 1 %1$s_cmp(%1$I, %1$I);
      create operator class %1$s_hash_ops default for type %1$I using hash as operator 1 =, function 1 %1$s_hash(%1$I);
      $sql$,
      kind
    );
    foreach element in array array['float4', 'float8', 'int4', 'numeric'] loop
      execute format(
        $sql$
        create function array_to_%1$s(elements %2$s[], dimensions integer, explicit boolean) returns %1$I
        language plpgsql immutable strict parallel safe as $body$
        begin
          return case
            when dimensions < 0 then to_jsonb(elements)::%1$I
            else %1$I(to_jsonb(elements)::%1$I, dimensions, explicit)
          end;
        end
        $body$;
        create cast (%2$s[] as %1$I) with function array_to_%1$s(%2$s[], integer, boolean) as assignment;
        $sql$,
        kind, element
      );
    end loop;
  end loop;
end
$types$;

create cast (vector as halfvec) without function as assignment;
create cast (halfvec as vector) without function as implicit;
create function vector_norm(v vector) returns float8 language plpgsql immutable strict parallel safe as $$ begin return l2_norm(v); end $$;

-- Distances, and sums element by element.
do $measures$
declare
  kind text;
  measure record;
begin
  foreach kind in array array['vector', 'halfvec'] loop
    for measure in
      select * from (values
        ('l2_distance', 'sqrt(sum((x - y) ^ 2))', '<->'),
        ('inner_product', 'sum(x * y)', null),
        (kind || '_negative_inner_product', '-sum(x * y)', '<#>'),
        ('cosine_distance', '1 - sum(x * y) / nullif(sqrt(sum(x * x) * sum(y * y)), 0)', '<=>'),
        ('l1_distance', 'sum(abs(x - y))', '<+>')
      ) as measures (name, formula, operator)
    loop
      execute format(
        $sql$
        create function %2$I(a %1$I, b %1$I) returns float8 language plpgsql immutable strict parallel safe as $body$
        begin
          if jsonb_array_length(a::jsonb) <> jsonb_array_length(b::jsonb) then
            raise exception 'different %1$s dimensions %% and %%', jsonb_array_length(a::jsonb), jsonb_array_length(b::jsonb)
              using errcode = '22000';
          end if;
          return coalesce((
            select %3$s from (
              select p::float8 as x, q::float8 as y
              from rows from (jsonb_array_elements_text(a::jsonb), jsonb_array_elements_text(b::jsonb)) as parts (p, q)
            ) as pairs
          ), 'NaN');
        end
        $body$
        $sql$,
        kind, measure.name, measure.formula
      );
      if measure.operator is not null then
        execute format(
          'create operator %3$s (leftarg = %1$I, rightarg = %1$I, function = %2$I, commutator = %3$s)',
          kind, measure.name, measure.operator
        );
      end if;
    end loop;

    for measure in select * from (values ('add', '+'), ('sub', '-'), ('mul', '*')) as measures (name, operator) loop
      execute format(
        $sql$
        create function %1$s_%2$s(a %1$I, b %1$I) returns %1$I language plpgsql immutable strict parallel safe as $body$
        begin
          if jsonb_array_length(a::jsonb) <> jsonb_array_length(b::jsonb) then
            raise exception 'different %1$s dimensions %% and %%', jsonb_array_length(a::jsonb), jsonb_array_length(b::jsonb)
              using errcode = '22000';
          end if;
          return (
            select jsonb_agg(p::float8 %3$s q::float8 order by n)
            from rows from (jsonb_array_elements_text(a::jsonb), jsonb_array_elements_text(b::jsonb)) with ordinality as parts (p, q, n)
          )::%1$I;
        end
        $body$;
        create operator %3$s (leftarg = %1$I, rightarg = %1$I, function = %1$s_%2$s)
        $sql$,
        kind, measure.name, measure.operator
      );
    end loop;

    execute format(
      $sql$
      create function %1$s_avg_step(sums float8[], v %1$I) returns float8[] language plpgsql immutable parallel safe as $body$
      begin
        if v is null then return sums; end if;
        return (
          select array_agg(coalesce(s, 0) + e order by n)
          from rows from (unnest(sums), unnest(1 || (v::float8[]))) with ordinality as parts (s, e, n)
        );
      end
      $body$;
      create function %1$s_avg_end(sums float8[]) returns %1$I language plpgsql immutable strict parallel safe as $body$
      begin
        return (select to_jsonb(array_agg(s / sums[1] order by n)) from unnest(sums[2:]) with ordinality as parts (s, n))::%1$I;
      end
      $body$;
      create aggregate avg(%1$I) (sfunc = %1$s_avg_step, stype = float8[], finalfunc = %1$s_avg_end);
      create aggregate sum(%1$I) (sfunc = %1$s_add, stype = %1$I);
      $sql$,
      kind
    );
  end loop;
end
$measures$;

-- Indexes can be made, but only look equal vectors up; the order by distance is always exact.
create access method hnsw type index handler hashhandler;
create access method ivfflat type index handler hashhandler;
do $indexes$
declare
  wanted record;
begin
  for wanted in
    select method, kind, measure from unnest(array['hnsw', 'ivfflat']) as method, unnest(array['vector', 'halfvec']) as kind,
      unnest(array['l2', 'ip', 'cosine', 'l1']) as measure
  loop
    execute format(
      'create operator class %2$s_%3$s_ops %4$s for type %2$I using %1$s as operator 1 =, function 1 %2$s_hash(%2$I)',
      wanted.method, wanted.kind, wanted.measure, case when wanted.method = 'ivfflat' and wanted.measure = 'l2' then 'default' end
    );
  end loop;
end
$indexes$;

-- People as many seeds make them: a loop, pgcrypto by its bare name, an identity each.
do $$
declare
  person text;
  id uuid;
begin
  foreach person in array array['grace', 'theo'] loop
    id := uuid_generate_v4();
    insert into auth.users (
      instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, recovery_sent_at, last_sign_in_at,
      raw_app_meta_data, raw_user_meta_data, created_at, updated_at, confirmation_token, email_change, email_change_token_new, recovery_token
    ) values (
      '00000000-0000-0000-0000-000000000000', id, 'authenticated', 'authenticated', person || '@example.com',
      crypt('Meadowlark1', gen_salt('bf', 4)), current_timestamp, current_timestamp, current_timestamp,
      '{"provider":"email","providers":["email"]}', jsonb_build_object('username', person), current_timestamp, current_timestamp, '', '', '', ''
    );
    insert into auth.identities (id, user_id, provider_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
    values (uuid_generate_v4(), id, id, format('{"sub":"%s","email":"%s"}', id::text, person || '@example.com')::jsonb, 'email', current_timestamp, current_timestamp, current_timestamp);
  end loop;
end
$$;
insert into public.rooms (title, slug) values ('Prairie talk', 'prairie');

call public.tidy();
vacuum analyze public.ticks;

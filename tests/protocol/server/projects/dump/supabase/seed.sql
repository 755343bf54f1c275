-- In the style of `supabase db dump --data-only`.
SET session_replication_role = replica;

SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SELECT pg_catalog.set_config('search_path', '', false);
SET row_security = off;

INSERT INTO "auth"."users" ("instance_id", "id", "aud", "role", "email", "encrypted_password", "email_confirmed_at", "invited_at", "confirmation_token", "confirmation_sent_at", "recovery_token", "recovery_sent_at", "email_change_token_new", "email_change", "email_change_sent_at", "last_sign_in_at", "raw_app_meta_data", "raw_user_meta_data", "is_super_admin", "created_at", "updated_at", "phone", "phone_confirmed_at", "phone_change", "phone_change_token", "phone_change_sent_at", "email_change_token_current", "email_change_confirm_status", "banned_until", "reauthentication_token", "reauthentication_sent_at", "is_sso_user", "deleted_at", "is_anonymous") VALUES
	('00000000-0000-0000-0000-000000000000', '6f1e6f0a-0000-4000-8000-000000000001', 'authenticated', 'authenticated', 'grace@example.com', extensions.crypt('Meadowlark1', extensions.gen_salt('bf', 4)), '2025-03-01 12:00:00+00', NULL, '', NULL, '', NULL, '', '', NULL, '2025-03-01 12:00:00+00', '{"provider": "email", "providers": ["email"]}', '{"nickname": "Grace"}', NULL, '2025-03-01 12:00:00+00', '2025-03-01 12:00:00+00', NULL, NULL, '', '', NULL, '', 0, NULL, '', NULL, false, NULL, false);

INSERT INTO "auth"."identities" ("provider_id", "user_id", "identity_data", "provider", "last_sign_in_at", "created_at", "updated_at", "id") VALUES
	('6f1e6f0a-0000-4000-8000-000000000001', '6f1e6f0a-0000-4000-8000-000000000001', '{"sub": "6f1e6f0a-0000-4000-8000-000000000001", "email": "grace@example.com", "email_verified": true, "phone_verified": false}', 'email', '2025-03-01 12:00:00+00', '2025-03-01 12:00:00+00', '2025-03-01 12:00:00+00', '6f1e6f0a-0000-4000-8000-00000000000a');

INSERT INTO "public"."readers" ("id", "nickname") VALUES
	('6f1e6f0a-0000-4000-8000-000000000001', 'Grace');

INSERT INTO "public"."books" ("id", "reader_id", "title", "shelf") VALUES
	('6f1e6f0a-0000-4000-8000-0000000000b1', '6f1e6f0a-0000-4000-8000-000000000001', 'Who Has Seen the Wind', 'read');

INSERT INTO "storage"."buckets" ("id", "name", "owner", "created_at", "updated_at", "public", "avif_autodetection", "file_size_limit", "allowed_mime_types", "owner_id") VALUES
	('covers', 'covers', NULL, '2025-03-01 12:00:00+00', '2025-03-01 12:00:00+00', true, false, NULL, NULL, NULL);

RESET ALL;

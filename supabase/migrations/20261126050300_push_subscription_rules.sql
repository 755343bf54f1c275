-- Validates push subscriptions when they are saved: an https endpoint with a public host name, and keys of the lengths that
-- RFC 8291 requires. A public name can still resolve to a private address; the function send-push therefore only calls hosts of
-- known push services (isPushService).

create function private.check_push_endpoint(endpoint text) returns void
language plpgsql immutable set search_path = '' as $$
declare
  -- The whole authority, including user names and backslashes, which parsers treat differently.
  host text := lower(substring(endpoint from '^https://([^/?#]*)'));
begin
  perform private.require(endpoint like 'https://%', 'endpoint must be the address of a push service: it begins with https://', 'endpoint');
  perform private.require(length(endpoint) <= 1000, 'endpoint must be the address of a push service: at most 1000 characters', 'endpoint');
  perform private.require(endpoint ~ '^[!-~]+$', 'endpoint must be the address of a push service: without spaces and letters beyond ASCII', 'endpoint');
  perform private.require(host !~ ':[0-9]*$' or host ~ ':443$', 'endpoint must be the address of a push service: at port 443', 'endpoint');
  host := regexp_replace(host, ':443$', '');
  -- No IP address passes, in any spelling (127.1, 0x7f.1, 2130706433, [::1]): the last label must consist of letters.
  perform private.require(length(host) <= 253 and host ~ '^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+([a-z]{2,63}|xn--[a-z0-9-]{1,59})$'
    and host !~ '(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|private|arpa|test|example|invalid|onion|alt)$',
    'endpoint must be the address of a push service: its host has a public name', 'endpoint');
end $$;

-- Subscribes the caller's browser. Only the browser knows its endpoint, so the endpoint moves to the last person who presents
-- it. Can be repeated. Each person keeps their ten newest browsers.
create or replace function public.save_push_subscription(endpoint text, p256dh text, auth_secret text) returns void
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
begin
  perform private.allow(auth.uid() is not null and private.has_account(), 'Not authenticated');
  perform private.check_push_endpoint(save_push_subscription.endpoint);
  -- 87 characters encode 65 bytes; the first byte is 4 for an uncompressed point (SEC 1, section 2.3.3).
  perform private.require(save_push_subscription.p256dh ~ '^B[A-P][A-Za-z0-9_-]{85}$',
    'p256dh must be a public key of P-256 in base64url: 65 bytes, the first of them 4', 'p256dh');
  perform private.require(save_push_subscription.auth_secret ~ '^[A-Za-z0-9_-]{22}$',
    'auth_secret must be 16 bytes in base64url', 'auth_secret');
  insert into public.push_subscriptions as s (user_id, endpoint, p256dh, auth_secret, session_id)
  values (auth.uid(), save_push_subscription.endpoint, save_push_subscription.p256dh, save_push_subscription.auth_secret,
    (auth.jwt() ->> 'session_id')::uuid)
  on conflict (endpoint) do update set user_id = excluded.user_id, p256dh = excluded.p256dh,
    auth_secret = excluded.auth_secret, session_id = excluded.session_id, created_at = now();
  delete from public.push_subscriptions s where s.user_id = auth.uid() and s.id not in (
    select t.id from public.push_subscriptions t where t.user_id = auth.uid() order by t.created_at desc limit 10);
end $$;

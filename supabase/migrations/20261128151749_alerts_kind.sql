-- The kind of notifications about saved searches. In a migration before its use: PostgreSQL uses a new value only once it is committed.

alter type public.notification_kind add value 'alerts';

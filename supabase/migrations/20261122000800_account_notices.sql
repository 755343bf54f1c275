-- The kind of notifications about one's own account. By itself, because a new value can be used once it is committed.

alter type public.notification_kind add value 'account' before 'admin';

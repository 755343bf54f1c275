-- The kinds of reports about questions and answers. In a migration before their use: PostgreSQL uses a new value only once it is committed.

alter type public.reported_kind add value 'question';
alter type public.reported_kind add value 'answer';

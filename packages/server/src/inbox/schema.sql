-- The inbox's messages. Laid at every start outside of production, before the seed; not reachable through the Data API.
create schema if not exists sandbox;

-- One row per message "sent". The transports write kind, recipient, subject, text, html; links and codes are read
-- out of the text when shown. The message_id is the sending job's own name for the message: a job that runs twice
-- (insert … on conflict (message_id) do nothing) leaves one message.
create table if not exists sandbox.inbox (
  id bigint generated always as identity primary key,
  message_id text unique,
  kind text not null check (kind in ('mail', 'sms')),
  recipient text not null,
  subject text,
  text text,
  html text,
  created_at timestamptz not null default clock_timestamp()
);
-- The header of a mail: {name: value}, names in lower case.
alter table sandbox.inbox add column if not exists headers jsonb not null default '{}';
create index if not exists inbox_recipient on sandbox.inbox (lower(recipient), id desc);

-- Seeds run as postgres.
grant usage on schema sandbox to postgres;
grant select, insert, update, delete on sandbox.inbox to postgres;

-- Saved searches, the alerts that follow from them, and the tasks that people have seen.
set check_function_bodies = off;

create type public.alert_pace as enum ('at_once', 'daily');

create table private.seen_tasks (
  person_id uuid not null references private.profiles (id) on delete cascade,
  task_id uuid not null references public.tasks (id) on delete cascade,
  seen_at timestamptz not null default now(),
  primary key (person_id, task_id)
);
alter table private.seen_tasks enable row level security;

create table private.task_alerts (
  person_id uuid not null references private.profiles (id) on delete cascade,
  task_id uuid not null references public.tasks (id) on delete cascade,
  pace public.alert_pace not null,
  matched_at timestamptz not null default now(),
  sent_at timestamptz,
  primary key (person_id, task_id)
);
alter table private.task_alerts enable row level security;

create table public.saved_searches (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references private.profiles (id) on delete cascade,
  words text not null default '',
  category text,
  location text not null default '',
  min_pay numeric(12, 2),
  pace public.alert_pace not null default 'at_once',
  created_at timestamptz not null default now(),
  matched_words text[] not null default '{}',
  matched_location text not null default ''
);
alter table public.saved_searches enable row level security;

create index seen_tasks_of_task on private.seen_tasks (task_id);

create index task_alerts_of_task on private.task_alerts (task_id);

create index task_alerts_sent on private.task_alerts (person_id, sent_at) where sent_at is not null;

create index task_alerts_waiting on private.task_alerts (pace, matched_at) where sent_at is null;

create index saved_searches_newest on public.saved_searches (user_id, created_at desc, id);

comment on column private.task_alerts.pace is 'When the person wants to hear of it: the quicker of the matching searches';
comment on column private.task_alerts.sent_at is 'When the person was alerted; null while it waits';
comment on column public.saved_searches.category is 'One of the eight categories or a kind of the categories page; null for any';
comment on column public.saved_searches.location is 'Part of the place of the task; empty for any';
comment on column public.saved_searches.matched_location is 'The place as searches compare it, set from location';
comment on column public.saved_searches.matched_words is 'The single words as searches compare them (private.search_text), set from words';
comment on column public.saved_searches.min_pay is 'Dollars that the task pays at least; null for any';
comment on column public.saved_searches.pace is 'at_once: a notification for each task; daily: one e-mail a day';
comment on column public.saved_searches.words is 'Words that the task contains, as in search_tasks; empty for any';
comment on table private.seen_tasks is 'Tasks that people with saved searches have opened; rows older than 30 days are deleted every night';
comment on table private.task_alerts is 'Tasks that matched a saved search of a person; rows older than 30 days are deleted every night';
comment on table public.saved_searches is 'Searches for tasks that people saved; new tasks that match alert them';

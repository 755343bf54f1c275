-- Questions about a task before somebody applies, and the giver's answers. Everybody who sees the task reads them, so contact
-- details are stored masked (contacts.sql). One answer a question; it can be changed for a few minutes.

create table public.task_questions (
  id uuid primary key default gen_random_uuid(),
  task_id uuid not null references public.tasks (id) on delete cascade,
  asker_id uuid not null references private.profiles (id) on delete cascade,
  question text not null,
  is_private boolean not null default false,
  created_at timestamptz not null default now(),
  hidden_at timestamptz
);
alter table public.task_questions enable row level security;

comment on table public.task_questions is 'Questions of taskers about a task, which everybody who sees the task reads';
comment on column public.task_questions.asker_id is 'The tasker who asks';
comment on column public.task_questions.question is 'The text, with contact details and links as "•••"';
comment on column public.task_questions.is_private is
  'Asked while the task was offered to this tasker alone: only the two read it, also once the task is open to everyone';
comment on column public.task_questions.hidden_at is 'When an admin hid it after a report; null while it is shown';

create table public.task_answers (
  question_id uuid primary key references public.task_questions (id) on delete cascade,
  -- The default makes the column optional on insert.
  task_id uuid not null default '00000000-0000-0000-0000-000000000000' references public.tasks (id) on delete cascade,
  giver_id uuid not null references private.profiles (id) on delete cascade,
  answer text not null,
  created_at timestamptz not null default now(),
  hidden_at timestamptz
);
alter table public.task_answers enable row level security;

comment on table public.task_answers is 'The giver''s answers to questions about their tasks, one a question';
comment on column public.task_answers.task_id is 'The task of the question, set by the database';
comment on column public.task_answers.giver_id is 'The giver of the task, who answers';
comment on column public.task_answers.answer is 'The text, with contact details and links as "•••"';
comment on column public.task_answers.hidden_at is 'When an admin hid it after a report; null while it is shown';

create index task_questions_of_task on public.task_questions (task_id, created_at, id);
create index task_questions_of_asker on public.task_questions (asker_id, task_id);
create index task_answers_of_task on public.task_answers (task_id);
create index task_answers_of_giver on public.task_answers (giver_id, created_at);

-- Before a question is asked.
create function private.before_task_question_insert() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.question := private.trimmed(new.question);
  perform private.require(private.visible_length(new.question) >= 1, 'question.empty', 'question');
  perform private.require(length(new.question) <= private.rule('limits.question.max'), 'question.too_long', 'question');
  new.question := private.masked_contacts(new.question);
  perform private.require_active_account();
  perform private.allow(not private.is_client() or new.asker_id = auth.uid(), 'question.not_own');
  perform private.allow(not private.is_client() or private.has_role('task_doer'), 'question.only_taskers');
  perform private.limit_client('questions_asked');
  new := private.check_question(new);
  return new;
end $$;

create trigger before_task_question_insert before insert on public.task_questions
for each row execute function private.before_task_question_insert();

-- Requires a task of somebody else that the asker can apply to, a new text and a number of questions. The task is locked, so
-- that questions are counted one after the other.
create function private.check_question(asked public.task_questions) returns public.task_questions
language plpgsql set search_path = '' as $$
declare
  task constant public.tasks := private.lock_task(asked.task_id);
begin
  perform private.require(task.task_giver_id <> asked.asker_id or task.id is null, 'question.own_task', 'task_id');
  perform private.require(task.hidden_for is null
    and (task.status = 'open' or (task.status = 'asked' and task.asked_tasker_id = asked.asker_id)), 'question.task_not_open', 'task_id');
  perform private.require(not exists (select from public.task_questions q where q.task_id = asked.task_id
    and q.asker_id = asked.asker_id and lower(q.question) = lower(asked.question)), 'question.exists', 'question');
  perform private.require((select count(*) from public.task_questions q where q.task_id = asked.task_id and q.asker_id = asked.asker_id)
    < private.rule('limits.question.perTask'), 'question.too_many', 'question',
    jsonb_build_object('limit', private.rule('limits.question.perTask')));
  asked.is_private := task.status = 'asked';
  return asked;
end $$;

-- Before a question is removed: its asker can remove it until it is answered.
create function private.before_task_question_delete() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    perform private.require(not private.is_answered(old.id), 'question.answered', 'id');
  end if;
  return old;
end $$;

create trigger before_task_question_delete before delete on public.task_questions
for each row execute function private.before_task_question_delete();

-- Whether a question has an answer, also a hidden one.
create function private.is_answered(question uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  return exists (select from public.task_answers where question_id = question);
end $$;

-- After a question is asked or removed.
create function private.after_task_question_change() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    perform private.notify_question(new);
  else
    perform private.withdraw_question_notice(old);
  end if;
  return null;
end $$;

create trigger after_task_question_change after insert or delete on public.task_questions
for each row execute function private.after_task_question_change();

-- The page of a task, at one of its questions.
create function private.question_link(task uuid, question uuid) returns text
language sql immutable set search_path = '' as $$
  select '/task/' || task || '?question=' || question
$$;

-- Notifies the giver of a question.
create function private.notify_question(asked public.task_questions) returns void
language plpgsql set search_path = '' as $$
declare
  task record;
begin
  select task_giver_id, title into strict task from public.tasks where id = asked.task_id;
  perform private.notify_person(task.task_giver_id, 'question_asked', jsonb_build_object('person', private.named(asked.asker_id),
    'task', task.title), private.question_link(asked.task_id, asked.id));
end $$;

-- Removes what would lead to a question that is gone: from the bell, and from e-mails that are not written yet.
create function private.withdraw_question_notice(asked public.task_questions) returns void
language plpgsql set search_path = '' as $$
declare
  giver constant uuid := (select task_giver_id from public.tasks where id = asked.task_id);
begin
  delete from public.notifications where user_id = giver and key = 'question_asked'
    and link = private.question_link(asked.task_id, asked.id);
  delete from private.email_events where person_id = giver and key = 'question_asked' and email_id is null
    and link = private.question_link(asked.task_id, asked.id);
end $$;

-- The question and its task, which is locked; no row if there is none. A definer, because the giver cannot read a hidden question,
-- and a writer may be neither of the two.
create function private.question_to_answer(asked uuid)
returns table (task_id uuid, task_giver_id uuid, status public.task_status, hidden_at timestamptz)
language plpgsql security definer set search_path = '' as $$
begin
  perform private.lock_task((select q.task_id from public.task_questions q where q.id = asked));
  return query select t.id, t.task_giver_id, t.status, q.hidden_at
  from public.task_questions q join public.tasks t on t.id = q.task_id where q.id = asked;
end $$;

-- Before a question is answered, or its answer changed.
create function private.before_task_answer_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.answer := private.trimmed(new.answer);
  perform private.require(private.visible_length(new.answer) >= 1, 'answer.empty', 'answer');
  perform private.require(length(new.answer) <= private.rule('limits.question.max'), 'answer.too_long', 'answer');
  new.answer := private.masked_contacts(new.answer);
  if tg_op = 'INSERT' then
    new := private.check_task_answer(new);
  elsif private.is_client() and new.answer <> old.answer then
    perform private.require_active_account();
    perform private.require(old.created_at > now() - make_interval(mins => private.rule('limits.question.changeMinutes')),
      'answer.too_late', 'answer', jsonb_build_object('minutes', private.rule('limits.question.changeMinutes')));
  end if;
  return new;
end $$;

create trigger before_task_answer_change before insert or update on public.task_answers
for each row execute function private.before_task_answer_change();

-- Requires the giver of an open task, and a question without an answer; sets the task.
create function private.check_task_answer(given public.task_answers) returns public.task_answers
language plpgsql set search_path = '' as $$
declare
  asked record;
begin
  perform private.require_active_account();
  perform private.allow(not private.is_client() or given.giver_id = auth.uid(), 'answer.not_giver');
  perform private.limit_client('questions_answered');
  select * into asked from private.question_to_answer(given.question_id);
  perform private.allow(asked.task_id is null or asked.task_giver_id = given.giver_id, 'answer.not_giver');
  perform private.require(asked.task_id is not null and asked.hidden_at is null, 'answer.question_gone', 'question_id');
  perform private.require(asked.status in ('open', 'asked'), 'answer.task_not_open', 'question_id');
  perform private.require(not private.is_answered(given.question_id), 'answer.exists', 'question_id');
  given.task_id := asked.task_id;
  return given;
end $$;

-- After a question is answered.
create function private.after_task_answer_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.notify_task_answer(new);
  return null;
end $$;

create trigger after_task_answer_insert after insert on public.task_answers
for each row execute function private.after_task_answer_insert();

-- Notifies the asker of the answer.
create function private.notify_task_answer(given public.task_answers) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person((select asker_id from public.task_questions where id = given.question_id), 'question_answered',
    jsonb_build_object('person', private.named(given.giver_id), 'task', (select title from public.tasks where id = given.task_id)),
    private.question_link(given.task_id, given.question_id) || '&side=task_doer');
end $$;

-- Erases the questions and answers of a deleted account whose profile stays as an anchor.
create function private.erase_questions(person uuid) returns void
language sql set search_path = '' as $$
  delete from public.task_questions where asker_id = person;
  delete from public.task_answers where giver_id = person
$$;

-- The rules of public.tasks decide who sees the task.
create policy "questions are read with their task, private ones by the two" on public.task_questions
for select to anon, authenticated
using (exists (select from public.tasks t where t.id = task_id
  and (not is_private or (select auth.uid()) in (asker_id, t.task_giver_id) or (select private.is_admin()))));

create policy "hidden questions only for asker and admins" on public.task_questions as restrictive
for select to anon, authenticated
using (hidden_at is null or asker_id = (select auth.uid()) or (select private.is_admin()));

create policy "third-party applications read no questions" on public.task_questions as restrictive for select to anon, authenticated
using (not (select private.is_application()));

create policy "taskers ask for themselves" on public.task_questions for insert to authenticated
with check (asker_id = (select auth.uid()));

create policy "deleted accounts cannot ask" on public.task_questions as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "askers remove their questions" on public.task_questions for delete to authenticated
using (asker_id = (select auth.uid()));

create policy "answers are read with their question" on public.task_answers for select to anon, authenticated
using (exists (select from public.task_questions q where q.id = question_id));

create policy "hidden answers only for giver and admins" on public.task_answers as restrictive
for select to anon, authenticated
using (hidden_at is null or giver_id = (select auth.uid()) or (select private.is_admin()));

create policy "givers answer for themselves" on public.task_answers for insert to authenticated
with check (giver_id = (select auth.uid()));

create policy "deleted accounts cannot answer" on public.task_answers as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "givers change their answers" on public.task_answers for update to authenticated
using (giver_id = (select auth.uid())) with check (giver_id = (select auth.uid()));

grant select on public.task_questions, public.task_answers to anon;
grant select, delete, insert (id, task_id, asker_id, question) on public.task_questions to authenticated;
grant select, insert (question_id, giver_id, answer), update (answer) on public.task_answers to authenticated;
grant execute on function
  private.check_question(public.task_questions), private.is_answered(uuid), private.check_task_answer(public.task_answers),
  private.question_to_answer(uuid)
to authenticated, service_role;

insert into private.activity_limits (action, per_hour, per_day, new_per_hour, new_per_day) values
  ('questions_asked', 30, 100, 10, 20), ('questions_answered', 60, 200, 60, 200);

-- The page of a task subscribes to both.
alter publication supabase_realtime add table public.task_questions, public.task_answers;

-- Indexes, triggers, policies and rights of questions, answers and saved application texts.
set check_function_bodies = off;

create trigger before_task_answer_change before insert or update on public.task_answers
for each row execute function private.before_task_answer_change();

create trigger after_task_question_change after insert or delete on public.task_questions
for each row execute function private.after_task_question_change();

create trigger before_task_question_delete before delete on public.task_questions
for each row execute function private.before_task_question_delete();

create trigger before_task_question_insert before insert on public.task_questions
for each row execute function private.before_task_question_insert();

create policy "deleted accounts cannot save application texts" on public.application_texts as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "people change their own application texts" on public.application_texts for update to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "people read their own application texts" on public.application_texts for select to authenticated
using (user_id = (select auth.uid()));

create policy "people remove their own application texts" on public.application_texts for delete to authenticated
using (user_id = (select auth.uid()));

create policy "people save application texts for themselves" on public.application_texts for insert to authenticated
with check (user_id = (select auth.uid()));

create policy "answers are read with their question" on public.task_answers for select to anon, authenticated
using (exists (select from public.task_questions q where q.id = question_id));

create policy "deleted accounts cannot answer" on public.task_answers as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "givers answer for themselves" on public.task_answers for insert to authenticated
with check (giver_id = (select auth.uid()));

create policy "givers change their answers" on public.task_answers for update to authenticated
using (giver_id = (select auth.uid())) with check (giver_id = (select auth.uid()));

create policy "hidden answers only for giver and admins" on public.task_answers as restrictive
for select to anon, authenticated
using (hidden_at is null or giver_id = (select auth.uid()) or (select private.is_admin()));

create policy "askers remove their questions" on public.task_questions for delete to authenticated
using (asker_id = (select auth.uid()));

create policy "deleted accounts cannot ask" on public.task_questions as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "hidden questions only for asker and admins" on public.task_questions as restrictive
for select to anon, authenticated
using (hidden_at is null or asker_id = (select auth.uid()) or (select private.is_admin()));

create policy "questions are read with their task, private ones by the two" on public.task_questions
for select to anon, authenticated
using (exists (select from public.tasks t where t.id = task_id
  and (not is_private or (select auth.uid()) in (asker_id, t.task_giver_id) or (select private.is_admin()))));

create policy "taskers ask for themselves" on public.task_questions for insert to authenticated
with check (asker_id = (select auth.uid()));

create policy "third-party applications read no questions" on public.task_questions as restrictive for select to anon, authenticated
using (not (select private.is_application()));

grant delete, select on public.application_texts to authenticated;
grant delete, insert, references, select, trigger, truncate, update on public.application_texts to service_role;
grant select on public.task_answers to anon;
grant select on public.task_answers to authenticated;
grant delete, insert, references, select, trigger, truncate, update on public.task_answers to service_role;
grant select on public.task_questions to anon;
grant delete, select on public.task_questions to authenticated;
grant delete, insert, references, select, trigger, truncate, update on public.task_questions to service_role;
grant insert (text), update (text) on public.application_texts to authenticated;
grant insert (title), update (title) on public.application_texts to authenticated;
grant insert (user_id) on public.application_texts to authenticated;
grant insert (answer), update (answer) on public.task_answers to authenticated;
grant insert (giver_id) on public.task_answers to authenticated;
grant insert (question_id) on public.task_answers to authenticated;
grant insert (asker_id) on public.task_questions to authenticated;
grant insert (id) on public.task_questions to authenticated;
grant insert (question) on public.task_questions to authenticated;
grant insert (task_id) on public.task_questions to authenticated;
grant execute on function private.check_question(public.task_questions) to authenticated;
grant execute on function private.check_question(public.task_questions) to service_role;
grant execute on function private.check_task_answer(public.task_answers) to authenticated;
grant execute on function private.check_task_answer(public.task_answers) to service_role;
grant execute on function private.contact_patterns() to authenticated;
grant execute on function private.contact_patterns() to service_role;
grant execute on function private.folded_contacts(text) to authenticated;
grant execute on function private.folded_contacts(text) to service_role;
grant execute on function private.is_answered(uuid) to authenticated;
grant execute on function private.is_answered(uuid) to service_role;
grant execute on function private.is_phone_like(text,text) to authenticated;
grant execute on function private.is_phone_like(text,text) to service_role;
grant execute on function private.masked_contacts(text) to authenticated;
grant execute on function private.masked_contacts(text) to service_role;
grant execute on function private.number_pattern() to authenticated;
grant execute on function private.number_pattern() to service_role;
grant execute on function private.question_to_answer(uuid) to authenticated;
grant execute on function private.question_to_answer(uuid) to service_role;
grant execute on function private.spoken_digit() to authenticated;
grant execute on function private.spoken_digit() to service_role;

comment on column public.application_texts.text is 'The text as it is put into an application, at most as long as an application''s message';
comment on column public.application_texts.title is 'The name of the text in the menu, once a person';
comment on column public.reports.subject_id is 'The id of the task, the message, the person, the review or the question, also of an answer''s question';
comment on column public.task_answers.answer is 'The text, with contact details and links as "•••"';
comment on column public.task_answers.giver_id is 'The giver of the task, who answers';
comment on column public.task_answers.hidden_at is 'When an admin hid it after a report; null while it is shown';
comment on column public.task_answers.task_id is 'The task of the question, set by the database';
comment on column public.task_questions.asker_id is 'The tasker who asks';
comment on column public.task_questions.hidden_at is 'When an admin hid it after a report; null while it is shown';
comment on column public.task_questions.is_private is 'Asked while the task was offered to this tasker alone: only the two read it, also once the task is open to everyone';
comment on column public.task_questions.question is 'The text, with contact details and links as "•••"';
comment on table public.application_texts is 'Texts that a tasker saved for applications';
comment on table public.reports is 'Reports of tasks, messages, profiles, reviews, questions and answers, one for each reporter and subject';
comment on table public.task_answers is 'The giver''s answers to questions about their tasks, one a question';
comment on table public.task_questions is 'Questions of taskers about a task, which everybody who sees the task reads';

alter publication supabase_realtime add table public.task_answers;

alter publication supabase_realtime add table public.task_questions;

insert into private.activity_limits (action, per_hour, per_day, new_per_hour, new_per_day) values
  ('questions_asked', 30, 100, 10, 20), ('questions_answered', 60, 200, 60, 200), ('texts_saved', 60, 200, null, null);

insert into private.notification_texts (key, kind, title, message, subject, button, amounts, by_email, part, topic) values
  ('question_asked', 'applications', 'A question about your task', '{{person}} asked a question about "{{task}}". Everybody who sees the task reads your answer.', '{{person}} asks about "{{task}}"', 'Answer the question', null, true, null, null),
  ('question_answered', 'applications', 'Your question was answered', '{{person}} answered your question about "{{task}}".', '{{person}} answered your question about "{{task}}"', 'Read the answer', null, true, null, null);

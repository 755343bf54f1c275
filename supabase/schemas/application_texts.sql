-- Application texts that a tasker saved, to apply again without writing the same. Nobody else reads them.

create table public.application_texts (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references private.profiles (id) on delete cascade,
  title text not null,
  text text not null,
  created_at timestamptz not null default now()
);
alter table public.application_texts enable row level security;

comment on table public.application_texts is 'Texts that a tasker saved for applications';
comment on column public.application_texts.title is 'The name of the text in the menu, once a person';
comment on column public.application_texts.text is
  'The text as it is put into an application, at most as long as an application''s message';

create unique index application_texts_title on public.application_texts (user_id, lower(title));

-- Before a text is saved or changed.
create function private.before_application_text_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.title := coalesce(private.trimmed(new.title), '');
  new.text := coalesce(private.trimmed(new.text), '');
  perform private.allow(not private.is_client() or new.user_id = auth.uid(), 'application_text.not_own');
  perform private.limit_client('texts_saved');
  perform private.require(private.visible_length(new.title) >= 1, 'application_text.title_missing', 'title');
  perform private.require(length(new.title) <= private.rule('limits.applicationTexts.title'), 'application_text.title_too_long', 'title');
  perform private.require(private.visible_length(new.text) >= 1, 'application_text.text_missing', 'text');
  perform private.require(length(new.text) <= private.rule('limits.applicationMessage.max'), 'application_text.text_too_long', 'text');
  -- One after the other, so that the number and the titles hold.
  perform pg_advisory_xact_lock(hashtextextended('application texts ' || new.user_id, 0));
  perform private.require(not exists (select from public.application_texts t where t.user_id = new.user_id and t.id <> new.id
    and lower(t.title) = lower(new.title)), 'application_text.title_exists', 'title');
  perform private.require(tg_op = 'UPDATE' or (select count(*) from public.application_texts where user_id = new.user_id)
    < private.rule('limits.applicationTexts.count'), 'application_text.too_many', 'title',
    jsonb_build_object('limit', private.rule('limits.applicationTexts.count')));
  return new;
end $$;

create trigger before_application_text_change before insert or update on public.application_texts
for each row execute function private.before_application_text_change();

create policy "people read their own application texts" on public.application_texts for select to authenticated
using (user_id = (select auth.uid()));

create policy "people save application texts for themselves" on public.application_texts for insert to authenticated
with check (user_id = (select auth.uid()));

create policy "deleted accounts cannot save application texts" on public.application_texts as restrictive for insert to authenticated
with check ((select private.has_account()));

create policy "people change their own application texts" on public.application_texts for update to authenticated
using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "people remove their own application texts" on public.application_texts for delete to authenticated
using (user_id = (select auth.uid()));

grant select, delete, insert (user_id, title, text), update (title, text) on public.application_texts to authenticated;

insert into private.activity_limits (action, per_hour, per_day) values ('texts_saved', 60, 200);

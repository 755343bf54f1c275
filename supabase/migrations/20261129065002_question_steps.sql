-- Tables and steps of questions, answers and saved application texts.
set check_function_bodies = off;

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

create table public.application_texts (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references private.profiles (id) on delete cascade,
  title text not null,
  text text not null,
  created_at timestamptz not null default now()
);
alter table public.application_texts enable row level security;

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

create function private.after_task_answer_insert() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  perform private.notify_task_answer(new);
  return null;
end $$;

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

create function private.before_task_question_delete() returns trigger
language plpgsql set search_path = '' as $$
begin
  if private.is_client() then
    perform private.require(not private.is_answered(old.id), 'question.answered', 'id');
  end if;
  return old;
end $$;

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

create function private.contact_patterns() returns text[]
language plpgsql immutable set search_path = '' as $$
declare
  letter constant text := 'a-z0-9\u00c0-\u024f\u0370-\u052f';
  label constant text := '[' || letter || '-]';
  local constant text := '[' || letter || '._%+-]+';
  tail constant text := '[!-~\u00a1-\u052f]*[a-z0-9/\u00c0-\u052f]';
  -- Top-level domains that are hardly words of a language. Those that are, such as "in" or "me", need a path behind them.
  domains constant text := 'com|net|org|ca|co|io|app|dev|info|biz|online|site|store|shop|xyz|link|live|club|pro|gg|uk|us|fr|de|ru|ua|cn|'
    'hk|tw|jp|kr|br|mx|ar|es|pt|ph|pk|au|nz|eu|ком|рф|كوم|कॉम';
  word_domains constant text := 'me|in|it|to|so|at|be|id|is|my|no|ly|gl|ee|nu|am|fm|tv|cc|ws|sh|se|page|bio|chat';
  ends constant text := '(?!' || label || ')';
  at_sign constant text := '(?: ?@ ?| ?[(\[{<] ?(?:@|at|arroba|arobase|ät|et|собака|آت|एट) ?[)\]}>] ?'
    '| (?:at|arroba|arobase|ät|собака|آت|एट|艾特) )';
  dot_word constant text := 'dot|punto|point|punkt|ponto|titik|точка|دوت|نقطة|डॉट|点';
  shown_dot constant text := '(?:\.| ?[(\[{<] ?(?:\.|' || dot_word || ') ?[)\]}>] ?)';
  spelled_dot constant text := '(?: (?:' || dot_word || ') |点)';
  dot constant text := '(?:' || shown_dot || '|' || spelled_dot || ')';
  domain_end constant text := '(?:' || shown_dot || '(?:' || domains || ')|' || spelled_dot || '(?:com|net|org|ca|io|ру|ком|كوم|कॉम))' || ends;
  mail_hosts constant text := 'googlemail|gmail|hotmail|outlook|yahoo|icloud|protonmail|gmx|yandex|qq';
  messenger constant text := 'telegram|whats ?app|watsapp|signal|viber|instagram|insta|ig|snapchat|snap|facebook|fb|messenger|we ?chat|'
    'discord|skype|tiktok|twitter|телеграмм?|телега|тг|ватсап|вотсап|вацап|вайбер|инстаграмм?|инста|व्हाट्सएप|व्हाट्सऐप|टेलीग्राम|'
    'इंस्टाग्राम|واتساب|واتس|تلغرام|تيليجرام|تليجرام|انستغرام|انستقرام|微信|电报|脸书';
  named constant text := '(?:^|[^a-z])(?:' || messenger || ')';
begin
  -- Without arguments and immutable, so that a plan has the result as a constant.
  return array(select private.folded_contacts('(' || pattern || ')') from unnest(array[
    -- Links and addresses with a scheme.
    '(?<![a-z0-9])(?:https?|hxxps?|ftp|whatsapp|tg|skype|viber|bitcoin) ?: ?// ?' || tail,
    '(?<![a-z0-9])(?:mailto|tel|sms|whatsapp|skype|callto):' || tail,
    '(?<![a-z0-9])www[0-9]? ?\. ?' || tail,
    -- E-mail addresses, also written as "theo (at) mail (dot) com" and "theo @ gmail".
    local || '@(?:[a-z\u00c0-\u024f\u0370-\u052f]' || label || '*|' || label || '+\.[a-z]' || label || '+)(?:\.' || label || '+)*',
    local || ' ?@ ?' || label || '+(?: ?\. ?' || label || '+)* ?\. ?(?:' || domains || '|' || word_domains || ')' || ends,
    local || at_sign || label || '+(?:' || dot || label || '+)*' || domain_end,
    local || at_sign || '(?:' || mail_hosts || ')' || ends,
    -- Domains, also written as "theo dot com".
    '(?<![' || letter || '])(?![0-9]{1,2}\.)[' || letter || ']' || label || '*(?:' || dot || label || '+)*' || domain_end
      || '(?:[:/?#]' || tail || ')?',
    '(?<![' || letter || '])(?![0-9]{1,2}\.)[' || letter || ']' || label || '*(?:\.' || label || '+)*\.(?:' || word_domains || ')/' || tail,
    -- Handles next to the name of a messenger.
    '(?<=' || named || '[^@\n]{0,24})@ ?[a-z0-9_.]*[a-z0-9_]',
    '@[a-z0-9_.]*[a-z0-9_](?=[^@\n]{0,16}[^a-z](?:' || messenger || ')(?:$|[^a-z]))',
    '(?<=' || named || ' ?(?:id|user|username|nick|号)? ?[:=] ?)[a-z0-9_.-]{3,}[a-z0-9_]'])
    with ordinality as listed (pattern, nth) order by nth) || private.number_pattern();
end $$;

create or replace function private.erase_person(person uuid) returns void
language plpgsql set search_path = '' as $$
declare
  booking uuid;
  gone constant text := 'Removed together with the account.';
  obstacle constant text := private.deletion_obstacle(person);
begin
  perform private.require(obstacle is null, obstacle, 'id');

  -- Open work is cancelled first, so that the other parties are notified.
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = person and status = 'open';
  perform private.set_actor('schedule');
  for booking in select id from public.bookings
    where person in (task_doer_id, task_giver_id) and status in ('pending', 'accepted') order by id
  loop
    perform private.set_actor('schedule');
    update public.bookings set status = 'cancelled' where id = booking;
  end loop;
  perform private.set_actor(null);
  update public.tasks set status = 'cancelled', updated_at = now() where task_giver_id = person and status = 'open';

  perform private.erase_name(person);
  perform private.erase_audit(person);
  delete from public.reports where person in (author_id, reporter_id);
  -- Cards first: deleting a card detaches it at the provider.
  delete from public.payment_methods where user_id = person;
  perform private.enqueue_function('erase-account', jsonb_build_object('person', person,
    'account', (select stripe_account_id from public.payout_accounts where user_id = person and account_type <> 'manual')));

  if not exists (select from public.payments p where person in (p.payer_id, p.payee_id)) then
    delete from public.profiles where id = person;
    return;
  end if;
  delete from public.verifications where user_id = person;
  delete from public.user_roles where user_id = person;
  delete from public.suspensions where user_id = person;
  delete from public.notifications where user_id = person;
  delete from public.payment_failures where person_id = person;
  delete from public.payout_accounts where user_id = person;
  delete from private.unsubscribe_tokens where person_id = person;
  delete from public.messages m where m.sender_id = person;
  perform private.erase_saved_searches(person);
  perform private.erase_questions(person);
  delete from public.application_texts where user_id = person;
  perform private.erase_points(person);
  perform private.erase_task_texts(person);
  perform set_config('private.erasing', 'yes', true);
  update public.bookings set message = null, completion_notes = null
  where task_doer_id = person and (message is not null or completion_notes is not null);
  update public.bookings set cancellation_reason = null where cancelled_by = person and cancellation_reason is not null;
  update public.complaints set reason = gone where giver_id = person;
  update public.complaints set answer = gone where tasker_id = person and answer is not null;
  update public.profiles set deleted_at = now(), full_name = null, email = null, phone = null, city = null, bio = null,
    avatar_url = null, skills = '{}', preferred_categories = '{}', experience_years = null, hourly_rate = null,
    availability_status = 'unavailable', verified_by_admin = false, verification_notes = null, verified_at = null,
    verified_by = null, last_active = null
  where id = person;
  -- Also the log entries of the changes above.
  perform private.erase_audit(person);
end $$;

create function private.erase_questions(person uuid) returns void
language sql set search_path = '' as $$
  delete from public.task_questions where asker_id = person;
  delete from public.task_answers where giver_id = person
$$;

create function private.folded_contacts(value text) returns text
language sql immutable set search_path = '' as $$
  select case when octet_length(value) = length(value) then translate(lower(value), E'\t', ' ') else translate(value,
    '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९০১২৩৪৫৬৭৮৯੦੧੨੩੪੫੬੭੮੯૦૧૨૩૪૫૬૭૮૯๐๑๒๓๔๕๖๗๘๙０１２３４５６７８９⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉⓪①②③④⑤⑥⑦⑧⑨〇一二三四五六七八九零壹贰叁肆伍陆柒捌玖𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗𝟘𝟙𝟚𝟛𝟜𝟝𝟞𝟟𝟠𝟡𝟢𝟣𝟤𝟥𝟦𝟧𝟨𝟩𝟪𝟫'
    '𝟬𝟭𝟮𝟯𝟰𝟱𝟲𝟳𝟴𝟵𝟶𝟷𝟸𝟹𝟺𝟻𝟼𝟽𝟾𝟿' ||
    'ABCDEFGHIJKLMNOPQRSTUVWXYZＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚАВСЕНІЈКМОРЅТУХавсеніјкморѕтухΑΒΕΗΙΚΜΝΟΡΤΥ'
    'ΧαεικνορτυχБГДЁЖЗИЙЛПФЦЧШЩЪЫЬЭЮЯÀÂÄÉÈÊÎÏÔÖÙÛÜÇÑÍÓÚÁıİ' ||
    '＠﹫．｡。․٫۔،，、：；（）［］／＿＋＂＇‐‑‒–—―−－｜' || E'\t\u00a0\u034f\u061c\u1680\u180e\u2000\u2001\u2002\u2003\u2004'
    '\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u202f\u205f\u2060\u2066'
    '\u2067\u2068\u2069\u3000\ufeff\ufe0f',
    repeat('0123456789', 18) ||
    'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcehijkmopstyxabcehijkmopstyxabehikmnopty'
    'xaeikvoptuxбгдёжзийлпфцчшщъыьэюяàâäéèêîïôöùûüçñíóúáii' ||
    '@@......,,,:;()[]/_+"''--------|' || repeat(' ', 36) || E'\u20e3') end
$$;

create function private.is_answered(question uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  return exists (select from public.task_answers where question_id = question);
end $$;

create function private.is_phone_like(value text, after text) returns boolean
language plpgsql immutable set search_path = '' as $$
declare
  dates constant text := '(?:19|20)[0-9]{2}[-/.](?:1[0-2]|0?[1-9])[-/.](?:3[01]|[12][0-9]|0?[1-9])|(?:3[01]|[12][0-9]|0?[1-9])[-/.]'
    '(?:3[01]|[12][0-9]|0?[1-9])(?:[-/.](?:(?:19|20)[0-9]{2}|[0-9]{2}))?\.?|20[0-9]{2}(?:1[0-2]|0[1-9])(?:3[01]|[12][0-9]|0[1-9])';
  times constant text := '(?:2[0-4]|[01]?[0-9])[:.][0-5][0-9](?::[0-5][0-9])?|(?:2[0-4]|[01]?[0-9]) ?- ?(?:2[0-4]|[01]?[0-9])';
  sums constant text := '[0-9]{1,3}[ ,.''][0-9]{3}(?:[.,][0-9]{2})?|[0-9]+[.,][0-9]{1,2}|(?:19|20)[0-9]{2}';
  item constant text := '(?:' || dates || '|' || times || '|' || sums || ')';
  digit constant text := private.spoken_digit();
  digits constant integer := (select count(*) from regexp_matches(value, digit, 'g'));
begin
  return value !~ ('^\(?(?:' || item || '(?:[ ,;:/()-]{1,4}' || item || ')*|[1-9][0-9](?:, ?[1-9][0-9]?)+)$')
    and (digits > 8 or value ~ ('^(?:[+(].*|[0-9]{7,8}|[2-9][0-9]{2}[ .-]{1,3}[0-9]{4}|'
        || digit || '(?:(?:[ .,;:/|_*~•()+''"\u20e3-]|dash|tiret)+' || digit || ')*)$')
      and not (digits = 7 and after ~ ('^,? +(?:[0-9]{1,3}(?:st|nd|rd|th) |[a-z.''-]+ ){0,3}(?:avenue|ave|street|st|road|rd|drive|dr|'
        'crescent|cres|boulevard|blvd|way|lane|ln|place|pl|court|crt|bay|terrace|rue|chemin)(?![a-z])')));
end $$;

create function private.masked_contacts(value text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  sign constant text := '[!-\u05ff\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\uff01-\uff5e]';
  -- Without characters that have no look, such as a zero-width space inside of an address.
  kept constant text := regexp_replace(value, '(?<=' || sign || ')[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+(?='
    || sign || ')', '', 'g');
  look text := private.folded_contacts(kept);
  pattern text;
  shown text[];
  found text[];
begin
  foreach pattern in array private.contact_patterns() loop
    continue when look !~ pattern;
    shown := regexp_split_to_array(look, pattern);
    found := array(select part[1] from regexp_matches(look, pattern, 'g') part);
    -- As long as before, so that a place in the look is the place in the text.
    look := (select string_agg(shown[n] || case when pattern <> private.number_pattern() or private.is_phone_like(found[n], shown[n + 1])
        then repeat(E'\u0001', length(found[n])) else found[n] end, '' order by n)
      from generate_subscripts(found, 1) n) || shown[cardinality(shown)];
  end loop;
  return coalesce((select string_agg(case when part like E'\u0001%' then '•••' else substr(kept, behind - length(part) + 1, length(part)) end, ''
      order by nth)
    from (select parts[1] as part, nth, sum(length(parts[1])) over (order by nth)::integer as behind
      from regexp_matches(look, E'(\u0001+|[^\u0001]+)', 'g') with ordinality as listed (parts, nth)) placed), '');
end $$;

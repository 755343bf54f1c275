-- Calls the functions by their plainer names, and rewrites comments.
set check_function_bodies = off;

create or replace function private.notify_cancellation(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  news jsonb := jsonb_build_object('task', private.notified_task_title(booking.task_id));
  by_schedule boolean := current_setting('meadowlark.actor', true) = 'schedule';
  other uuid;
begin
  if before.status = 'pending' and by_schedule then
    perform private.notify_person(booking.task_doer_id, 'application_expired', news, '/bookings');
  elsif before.status = 'pending' then
    perform private.notify_person(booking.task_giver_id, 'application_withdrawn',
      news || jsonb_build_object('person', private.named(booking.task_doer_id)), '/bookings');
  elsif before.status = 'accepted' then
    foreach other in array array[booking.task_giver_id, booking.task_doer_id] loop
      if by_schedule then
        perform private.notify_person(other, 'booking_expired', news, '/bookings');
      elsif other is distinct from booking.cancelled_by then
        perform private.notify_person(other, 'booking_cancelled',
          news || jsonb_build_object('person', private.named(booking.cancelled_by)), '/bookings');
      end if;
    end loop;
  end if;
end $$;

create or replace function private.notify_completion(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  starts constant timestamptz := (select scheduled_date from public.tasks where id = booking.task_id);
  news constant jsonb := jsonb_build_object(
    'person', private.named(booking.task_doer_id), 'task', private.notified_task_title(booking.task_id));
begin
  if exists (select from public.payments where booking_id = booking.id and escrow_status = 'frozen') then
    perform private.notify_person(booking.task_giver_id, 'marked_complete_on_hold', news, '/bookings');
  elsif starts > now() then
    perform private.notify_person(booking.task_giver_id, 'task_marked_complete_early',
      news || jsonb_build_object('at', starts, 'when', private.day_and_time(starts)), '/bookings');
  else
    perform private.notify_person(booking.task_giver_id, 'task_marked_complete', news, '/bookings');
  end if;
end $$;

create or replace function private.notify_not_chosen(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  news jsonb := jsonb_build_object('task', private.notified_task_title(booking.task_id));
  gone boolean := booking.passed_over and exists (
    select from public.tasks where id = booking.task_id and status = 'cancelled');
  overdue boolean := exists (
    select from public.tasks where id = booking.task_id and scheduled_date <= now() - interval '24 hours');
begin
  if gone and overdue then
    perform private.notify_person(booking.task_doer_id, 'application_expired', news, '/bookings');
  elsif gone then
    perform private.notify_person(booking.task_doer_id, 'task_withdrawn', news, '/bookings');
  else
    perform private.notify_person(booking.task_doer_id, 'application_declined', news, '/bookings');
  end if;
end $$;

create or replace function private.notify_start(booking public.bookings) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.notify_person(booking.task_doer_id, 'task_started',
    jsonb_build_object('task', private.notified_task_title(booking.task_id)), '/bookings');
end $$;

create or replace function private.official_words() returns text[]
language sql immutable set search_path = '' as $$
  select array_agg(distinct private.confusable_skeleton(word)) from unnest(array[
    'support', 'help', 'helpline', 'hotline', 'hq', 'headquarters', 'fraud', 'dispute', 'disputes', 'compliance',
    'agent', 'manager', 'representative', 'employee', 'offical', 'helpdesk', 'admin', 'admins', 'administrator', 'administration', 'moderator', 'moderation',
    'staff', 'team', 'crew', 'official', 'service', 'customer', 'customers', 'care', 'billing', 'payment', 'payments',
    'payout', 'payouts', 'refund', 'refunds', 'security', 'safety', 'trust', 'verification', 'verified', 'account', 'accounts',
    'notification', 'notifications', 'alert', 'alerts', 'info', 'system', 'noreply', 'hr', 'legal', 'ceo',
    'soporte', 'ayuda', 'administrador', 'administradora', 'equipo', 'personal', 'oficial', 'servicio', 'atencion', 'cliente', 'clientes',
    'facturacion', 'pagos', 'pago', 'reembolsos', 'seguridad', 'verificacion', 'cuenta', 'aviso',
    'assistance', 'aide', 'administrateur', 'administratrice', 'equipe', 'personnel', 'officiel', 'client', 'clients',
    'facturation', 'paiement', 'paiements', 'remboursement', 'securite', 'compte', 'alerte',
    'hilfe', 'kundendienst', 'kundenservice', 'verwaltung', 'mitarbeiter', 'offiziell', 'abrechnung', 'rechnung', 'zahlung',
    'zahlungen', 'auszahlung', 'erstattung', 'sicherheit', 'verifizierung', 'konto', 'hinweis',
    'suporte', 'ajuda', 'equipa', 'atendimento', 'cobranca', 'faturamento', 'pagamento', 'pagamentos', 'reembolso', 'seguranca',
    'verificacao', 'conta', 'aviso',
    'dukungan', 'bantuan', 'pengelola', 'staf', 'resmi', 'layanan', 'pelanggan', 'tagihan', 'penagihan',
    'pembayaran', 'keamanan', 'verifikasi', 'akun',
    'поддержка', 'поддержки', 'помощь', 'админ', 'администратор', 'администрация', 'модератор', 'сотрудник', 'команда',
    'официальный', 'официально', 'служба', 'оплата', 'платежи', 'выплаты', 'возврат', 'безопасность', 'проверка', 'аккаунт',
    'सहायता', 'सपोर्ट', 'मदद', 'एडमिन', 'व्यवस्थापक', 'प्रशासक', 'टीम', 'स्टाफ', 'कर्मचारी', 'आधिकारिक', 'बिलिंग', 'भुगतान', 'सुरक्षा',
    'सत्यापन', 'खाता', 'सेवा',
    'دعم', 'الدعم', 'مساعدة', 'المساعدة', 'مشرف', 'المشرف', 'إدارة', 'الإدارة', 'مدير', 'فريق', 'موظف', 'موظفو', 'رسمي', 'الرسمي',
    'فواتير', 'دفع', 'المدفوعات', 'مدفوعات', 'أمان', 'الأمان', 'التحقق', 'حساب', 'خدمة', 'العملاء',
    '客服', '客户服务', '支持', '帮助', '管理员', '管理', '团队', '员工', '工作人员', '官方', '账单', '付款', '支付', '安全', '验证',
    '账户', '退款', '系统', '通知'
  ]) word
$$;

create or replace function private.payment_of_stripe_object(object jsonb) returns uuid
language plpgsql stable security definer set search_path = '' as $$
declare
  intent constant text := private.intent_of_stripe_object(object);
  named constant text := object -> 'metadata' ->> 'payment_id';
  found_id uuid;
begin
  select id into found_id from public.payments where stripe_payment_intent_id = intent;
  if found_id is null and object ->> 'object' = 'transfer' then
    select id into found_id from public.payments where stripe_transfer_id = object ->> 'id';
  end if;
  if found_id is null then
    select id into found_id from public.payments where stripe_charge_id
      = case object ->> 'object' when 'charge' then object ->> 'id' when 'transfer' then object ->> 'source_transaction'
        else object ->> 'charge' end;
  end if;
  if found_id is null and named ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    -- A payment intent may name a payment that has another intent: an administrator decides.
    select id into found_id from public.payments where id = named::uuid
      and (intent is null or stripe_payment_intent_id is null or object ->> 'object' = 'payment_intent');
  end if;
  return found_id;
end $$;

create or replace function private.poses_as_official(value text, is_name boolean) returns boolean
language plpgsql immutable set search_path = '' as $$
declare
  -- 'meadowlark' with anything but letters between its letters, 'rn' for m, 'cl' for d and 'vv' for w.
  product constant text := '(m|rn)[^a-z]*e[^a-z]*a[^a-z]*(d|cl)[^a-z]*o[^a-z]*(w|vv)[^a-z]*l[^a-z]*a[^a-z]*r[^a-z]*k';
  look constant text := regexp_replace(private.confusable_skeleton(
    regexp_replace(value, '[' || private.hidden_characters() || ']', '', 'g')), product, ' § ', 'g');
  others text; -- what is not the product's name, without blanks and punctuation
  words text[];
  place integer;
begin
  if position('§' in look) = 0 then
    return false;
  elsif is_name then
    others := regexp_replace(look, '[^[:alnum:]\u0300-\uffff]', '', 'g');
    return others in ('', 's', 'the', 'der', 'dle', 'le', 'la', 'el', 'o', 'a') or exists (
      select from unnest(private.official_words()) word where word = any (regexp_split_to_array(look, '[^[:alnum:]\u0300-\uffff]+'))
        or ((length(word) > 4 or word !~ '^[a-z]') and position(word in others) > 0));
  end if;
  words := array_remove(regexp_split_to_array(look, '[^[:alnum:]\u0300-\uffff§]+'), '');
  words := array_remove(words, 's'); -- of "Meadowlark's"
  foreach place in array array_positions(words, '§') loop
    if private.is_official_word(words[place + 1]) or private.is_official_word((
      select word from unnest(words[:place - 1]) with ordinality as before (word, nth)
      where word not in ('of', 'by', 'the', 'de', 'du', 'la', 'da', 'del', 'von', 'ot') order by nth desc limit 1))
    then
      return true;
    end if;
  end loop;
  return false;
end $$;

create or replace function private.rebuild_figures() returns void
language plpgsql security definer set search_path = '' as $$
begin
  lock table public.tasks, public.bookings, private.profiles, public.verifications, public.ledger_entries in share mode;
  perform pg_advisory_xact_lock(hashtextextended('private.figures', 0));
  delete from private.figures;
  delete from private.figure_changes;
  insert into private.figures (period, starts_on, kind, hours, amount)
  select p.period, private.period_start(p.period, c.happened_at), c.kind, c.hours, sum(c.amount) from (
    select t.created_at as happened_at, 'tasks' as kind, 0 as hours, 1 as amount from public.tasks t
    union all
    select b.created_at, 'bookings', 0, 1 from public.bookings b where b.accepted_at is not null
    union all
    select p.created_at, 'sign_ups', 0, 1 from private.profiles p where p.deleted_at is null
    union all
    select v.decided_at, 'verifications', private.hours_to_decide(v), 1 from public.verifications v
    where private.hours_to_decide(v) is not null
    union all
    select e.created_at, f.kind, 0, f.amount from public.ledger_entries e, private.entry_figures(e) f
  ) c, (values ('week'), ('month')) p (period)
  group by 1, 2, 3, 4;
  perform private.update_medians(array(select distinct f.starts_on from private.figures f where f.kind = 'verifications'));
  delete from private.kind_counts;
  delete from private.kind_changes;
  insert into private.kind_counts (kind, open_tasks)
  select kind, count(*) from public.tasks t, unnest(private.matching_task_kinds(t)) kind group by 1;
end $$;

create or replace function private.recount_person(person uuid) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform from private.profiles where id = person for no key update;
  update private.profiles p set rating = r.rating, total_reviews = r.total_reviews,
    completed_tasks = r.completed_tasks, response_rate = r.response_rate, on_time_rate = r.on_time_rate,
    trust_score = r.trust_score
  from private.reputation(person) r
  where p.id = person
    and (p.rating, p.total_reviews, p.completed_tasks, p.response_rate, p.on_time_rate, p.trust_score)
      is distinct from (r.rating, r.total_reviews, r.completed_tasks, r.response_rate, r.on_time_rate, r.trust_score);
end $$;

create or replace function private.retract_decline_notice(booking public.bookings, before public.bookings) returns void
language plpgsql set search_path = '' as $$
declare
  task_title constant text := private.notified_task_title(booking.task_id);
  decline constant text := concat_ws(' ', 'answer', booking.task_id, booking.task_doer_id);
  delivered_keys constant text[] := (select n.delivered_keys from public.notifications n
    where n.user_id = booking.task_doer_id and n.subject_key = decline and not n.read);
  mailed constant boolean := exists (select from private.email_events e
    where e.person_id = booking.task_doer_id and e.subject_key = decline and e.email_id is not null);
begin
  if mailed or cardinality(delivered_keys) > 1 or (delivered_keys is null and exists (select from public.notifications n
      where n.user_id = booking.task_doer_id and n.key = 'application_declined' and n.params ->> 'task' = task_title
        and n.created_at >= before.answered_at))
  then
    perform private.notify_person(booking.task_doer_id, 'decline_undone', jsonb_build_object('task', task_title),
      private.booking_link(booking.id));
    return;
  end if;
  delete from private.email_events e
  where e.person_id = booking.task_doer_id and e.subject_key = decline and e.email_id is null;
  delete from public.notifications n where n.user_id = booking.task_doer_id and n.subject_key = decline and not n.read;
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and s.user_id = booking.task_doer_id and m.subject_key = decline and m.taken_until is null;
end $$;

create or replace function private.write_audit() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  declared constant text[] := array['legal_name', 'date_of_birth', 'insurance_provider', 'insurance_policy_number',
    'insurance_expiry_date', 'skills', 'certifications', 'updated_at'];
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) - declared end;
  after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) - declared end;
  people constant uuid[] := private.people_in_row(tg_table_name, coalesce(after, before));
  changed text[];
begin
  if tg_op = 'UPDATE' then
    select array_agg(key) into changed from jsonb_object_keys(after) key
    where before -> key is distinct from after -> key and (tg_nargs = 0 or key = any (tg_argv));
    if changed is null then
      return null;
    end if;
    select jsonb_object_agg(key, before -> key), jsonb_object_agg(key, after -> key) into before, after
    from unnest(changed) key;
  end if;
  insert into public.audit_log (actor_id, actor_role, table_name, row_id, action, old_values, new_values, by_admin, subject_ids)
  values (auth.uid(), coalesce(auth.role(), session_user), tg_table_name, coalesce(new.id, old.id), lower(tg_op), before, after,
    private.is_admin(), people);
  return null;
end $$;

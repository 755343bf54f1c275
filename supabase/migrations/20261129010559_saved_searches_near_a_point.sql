-- Saved searches near a point, with the highest pay and days; alerts are checked again when they are mailed.
set check_function_bodies = off;

create or replace function private.alert_searchers(task public.tasks) returns void
language plpgsql security definer set search_path = '' as $$
begin
  insert into private.task_alerts (person_id, task_id, pace)
  select s.user_id, task.id, min(s.pace) from private.searches_finding(task) s
  where s.user_id <> task.task_giver_id
  group by s.user_id
  on conflict do nothing;
  if found then
    perform private.enqueue_function('run-scheduled', '{}');
    perform private.schedule_tick(private.next_alert_email(now()));
  end if;
end $$;

create function private.alerted_tasks(person uuid, ids jsonb) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object('tasks', string_agg('"' || title || '"', ', ' order by nth) filter (where nth <= 5), 'number', count(*))
  from (select t.title, row_number() over (order by listed.nth) as nth
    from jsonb_array_elements_text(ids) with ordinality listed (id, nth) join public.tasks t on t.id = listed.id::uuid
    where private.is_worth_an_alert(person, t)) wanted
  having count(*) > 0
$$;

create or replace function private.before_saved_search_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform private.allow(not private.is_client() or new.user_id = auth.uid(), 'saved_search.not_own');
  perform private.limit_client('searches_saved');
  new := private.tidy_saved_search(new);
  perform private.check_saved_search(new);
  new := private.locate_saved_search(new);
  if tg_op = 'INSERT' then
    perform private.require(not exists (select from public.saved_searches s where s.user_id = new.user_id
      and (s.matched_words, s.matched_location, s.category, s.min_pay, s.max_pay, s.first_day, s.last_day, s.place_id, s.latitude,
        s.longitude, s.radius_km) is not distinct from (new.matched_words, new.matched_location, new.category, new.min_pay, new.max_pay,
        new.first_day, new.last_day, new.place_id, new.latitude, new.longitude, new.radius_km)),
      'saved_search.exists', 'words');
    perform private.require((select count(*) from public.saved_searches where user_id = new.user_id) < private.rule('limits.savedSearches'),
      'saved_search.too_many', 'user_id', jsonb_build_object('limit', private.rule('limits.savedSearches')));
  end if;
  return new;
end $$;

create or replace function private.check_saved_search(search public.saved_searches) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.require(length(search.words) <= 200, 'saved_search.words_too_long', 'words');
  perform private.require(length(search.location) <= 100, 'saved_search.location_too_long', 'location');
  perform private.require(search.category is null or private.rules()::jsonb -> 'categories' ? search.category
    or exists (select from private.task_kinds() k where k.name = search.category), 'saved_search.category_unknown', 'category');
  perform private.require(search.min_pay is null or search.min_pay between 0 and private.marketplace_number('pay.max'),
    'saved_search.pay_out_of_range', 'min_pay');
  perform private.require(search.max_pay is null or search.max_pay between 0 and private.marketplace_number('pay.max'),
    'saved_search.highest_pay_out_of_range', 'max_pay');
  perform private.require(coalesce(search.min_pay <= search.max_pay, true), 'saved_search.pay_order', 'max_pay');
  perform private.require(search.first_day is null or search.first_day between '2000-01-01' and '9999-12-31',
    'saved_search.day_out_of_range', 'first_day');
  perform private.require(search.last_day is null or search.last_day between '2000-01-01' and '9999-12-31',
    'saved_search.day_out_of_range', 'last_day');
  perform private.require(coalesce(search.first_day <= search.last_day, true), 'saved_search.day_order', 'last_day');
  perform private.require(search.words <> '' or search.location <> '' or num_nonnulls(search.category, search.min_pay, search.max_pay,
    search.first_day, search.last_day, search.place_id, search.latitude, search.longitude, search.radius_km) > 0,
    'saved_search.empty', 'words');
end $$;

create or replace function private.error_messages() returns jsonb
language sql immutable set search_path = '' as $$
  select $json${
  "account.application_forbidden": "An application may not do this for a person",
  "account.not_authenticated": "Not authenticated",
  "account.email_too_long": "Email too long",
  "account.role_invalid": "role must be task_giver or task_doer",
  "account.already_finished": "This account is finished already",
  "account.not_finished": "Finish your account first",
  "account.not_found": "There is no such account",
  "account.role_missing": "You do not have this role",
  "account.role_required": "A role is required",
  "account.last_admin": "This is the last admin: make somebody else an admin first",
  "account.only_admin": "You are the only administrator. Make somebody else one first.",
  "account.suspended": "Your account is suspended: you cannot post, apply, hire or write until this is lifted",
  "account.suspended_for_tasks": "Your account is suspended: you cannot change a task until this is lifted",
  "account.suspended_for_profile": "Your account is suspended: you cannot change your profile until this is lifted",
  "account.suspended_for_roles": "Your account is suspended: you cannot add a role until this is lifted",
  "account.suspended_for_reports": "Your account is suspended: you cannot report until this is lifted",
  "account.reauthentication_needed": "Please enter your password again to confirm that it is you.",
  "account.second_factor_required": "Enter the code of your second factor, too.",
  "account.second_factor_not_set_up": "Set up two-step verification first",
  "account.second_factor_missing": "Your account has no second factor",
  "account.email_mismatch": "Type your email exactly as it is shown",
  "account.phone_mismatch": "Type your phone number exactly as it is shown",
  "account.complaint_open": "A complaint about one of your bookings is still open. It has to be decided first.",
  "account.money_held": "Money of this account is still on its way. Please finish or cancel your bookings first.",
  "account.payout_waiting": "Money that you earned has not reached you yet. Please check your bank details under Payout first.",
  "account.money_on_its_way": "Money is still being sent to you. Please try again once it has arrived.",
  "profile.name_too_short": "Name must be at least 2 characters",
  "profile.name_too_long": "Name too long",
  "profile.name_check_mark": "Name cannot contain a check mark",
  "profile.name_hidden_characters": "Name cannot contain invisible or control characters",
  "profile.name_address": "Name cannot contain a web or e-mail address",
  "profile.name_official": "Name cannot suggest that it is Meadowlark itself",
  "profile.phone_too_long": "Phone too long",
  "profile.phone_invalid": "Invalid phone number",
  "profile.city_too_long": "City too long",
  "profile.bio_too_long": "Bio too long",
  "profile.avatar_invalid": "Avatar must be a web address",
  "profile.experience_invalid": "Experience must be a whole number of years, at least 0",
  "profile.hourly_rate_too_low": "Hourly rate must be at least 0",
  "profile.hourly_rate_too_high": "Hourly rate too high",
  "profile.availability_invalid": "Availability must be available, busy or unavailable",
  "profile.language_unknown": "Unknown language",
  "profile.not_own": "Only the person can change their own profile",
  "profile.id_handed_in": "They handed in an ID: it is that which is approved or refused",
  "profile.skills_too_many": "Too many skills, or a skill is too long",
  "profile.category_unknown": "Unknown category",
  "session.already_ended": "This device is signed out already",
  "session.missing": "This token belongs to no session",
  "recovery_code.rollback_forbidden": "A recovery code cannot be tried with Prefer: tx=rollback",
  "recovery_code.too_many_attempts": "Too many attempts. Wait five minutes before you try again.",
  "activity.new_account_daily_limit": "A new account can do this {{limit}} times a day. Please try again in {{hours}} h.",
  "activity.daily_limit": "This can be done {{limit}} times a day. Please try again in {{hours}} h.",
  "activity.new_account_hourly_limit": "A new account can do this {{limit}} times an hour. Please try again in {{minutes}} min.",
  "activity.hourly_limit": "This can be done {{limit}} times an hour. Please try again in {{minutes}} min.",
  "activity.too_many_at_once": "You can have {{limit}} of these at the same time. Please close or remove one first.",
  "admin.required": "Only admins can {{action}}",
  "admin.own_case": "Another admin decides {{matter}}",
  "admin.reason_required": "Please give a reason: the person reads it",
  "admin.reason_too_long": "Reason too long",
  "admin.filter_unknown": "Filter must be everyone, task_giver, task_doer, admin or suspended",
  "admin.kind_unknown": "Kind must be payments, payouts or refunds",
  "admin.state_unknown": "There is no such state",
  "admin.chargeback_state_unknown": "State must be to_answer, under_review, won, lost or all",
  "admin.period_unknown": "Period must be week or month",
  "suspension.admin": "An admin cannot be suspended: give them another role first",
  "suspension.already_suspended": "This person is suspended already",
  "suspension.not_suspended": "This person is not suspended",
  "suspension.cannot_become_admin": "A suspended person cannot become an admin: lift the suspension first",
  "notification.required_kind": "Payments, complaints and your account always come to the bell and by e-mail",
  "verification.only_taskers": "Only task doers can be verified",
  "verification.already_submitted": "You have already submitted your verification.",
  "verification.not_pending": "A verification is submitted as pending",
  "verification.identity_fixed": "A record keeps its identity",
  "verification.confirmation_required": "An approval needs your word that the ID shows this person",
  "verification.terms_required": "Terms must be accepted",
  "verification.privacy_required": "Privacy policy must be accepted",
  "verification.legal_name_required": "Full legal name is required",
  "verification.legal_name_too_long": "Name too long",
  "verification.birth_date_required": "Date of birth is required",
  "verification.too_young": "You must be at least 18 years old",
  "verification.background_check_invalid": "Background check consent must be true or false",
  "verification.insurance_invalid": "Insurance must be true or false",
  "verification.sin_invalid": "SIN provided must be true or false",
  "verification.id_type_required": "ID type is required",
  "verification.insurance_details_too_long": "Insurance details too long",
  "verification.skills_too_many": "Too many skills or certifications, or one is too long",
  "verification.not_own": "Only the person can change what they declared",
  "verification.resubmission_not_own": "Only the person can hand in again",
  "verification.reason_too_long": "Reason too long",
  "verification.reason_required": "A refusal needs a reason",
  "verification.id_missing": "An approval needs a picture of the ID, and none was handed in",
  "verification.being_decided": "This verification is being decided right now. Please try again.",
  "task.not_found": "Task not found",
  "task.assigned": "This task is agreed with its tasker and stays as it is",
  "task.completed": "This task is done and stays as it is",
  "task.closed": "This task is closed. You can post it again.",
  "task.changed_and_closed": "A task is changed or closed, not both at once",
  "task.being_decided": "This task is being decided right now. Please try again.",
  "task.status_change_invalid": "A task cannot go from {{from}} to {{to}}",
  "task.not_own": "You can only post tasks of your own",
  "task.only_givers": "Access Denied: Only task givers can post tasks",
  "task.status_invalid": "A new task is open",
  "task.not_open": "This task is no longer open",
  "task.title_too_short": "Title must be at least 5 characters",
  "task.title_too_long": "Title too long",
  "task.title_hidden_characters": "Title cannot contain invisible or control characters",
  "task.title_address": "Title cannot contain a web or e-mail address",
  "task.title_official": "Title cannot suggest that it comes from Meadowlark itself",
  "task.description_too_short": "Description must be at least 20 characters",
  "task.description_too_long": "Description too long",
  "task.category_required": "Category is required",
  "task.location_too_short": "Location must be at least 3 characters",
  "task.location_too_long": "Location too long",
  "task.pay_not_positive": "Pay amount must be positive",
  "task.pay_too_low": "Pay amount must be at least {{min, price}}",
  "task.pay_too_high": "Pay amount too high",
  "task.pay_too_precise": "Pay amount can have two decimals at most",
  "task.tools_invalid": "Tools provided must be true or false",
  "task.tools_description_too_long": "Tools description too long",
  "task.date_invalid": "Scheduled date is not a usable date",
  "task.date_past": "Scheduled date must be in the future",
  "task.duration_out_of_range": "Duration must be between 1 minute and 7 days",
  "task.address_too_short": "Address must be at least 3 characters",
  "task.address_too_long": "Address too long",
  "task.asked_self": "You cannot ask yourself",
  "task.asked_not_tasker": "Only a tasker can be asked",
  "task.no_longer_asked": "You are not asked to do this task any more",
  "task.asked_has_applied": "You have applied to this task. Withdraw your application instead.",
  "booking.not_found": "Booking not found",
  "booking.message_too_long": "Message too long (max 1000 characters)",
  "booking.not_own": "You can only apply for yourself",
  "booking.only_taskers": "Access Denied: Only task doers can apply to tasks",
  "booking.own_task": "You cannot apply to your own task",
  "booking.already_applied": "You have already applied to this task",
  "booking.price_changed": "The price of this task is now {{price, price}}. Please look at it again before you apply.",
  "booking.price_fixed": "The price of a booking stays as it was agreed",
  "booking.notes_not_allowed": "Completion notes are given when the task is marked complete",
  "booking.notes_too_long": "Completion notes too long",
  "booking.cancellation_reason_not_allowed": "A reason is given when the booking is cancelled",
  "booking.cancellation_reason_too_long": "Reason too long",
  "booking.cancel_by_function": "A paid booking is cancelled through handle-cancellation",
  "booking.payment_started": "The payment of this booking was started: it is cancelled through handle-cancellation",
  "booking.first_status_invalid": "An application starts as pending",
  "booking.status_change_invalid": "You cannot change this booking from {{from}} to {{to}}",
  "booking.tasker_busy": "This tasker already has a booking at that time",
  "booking.undo_expired": "A decline can be taken back for 10 minutes",
  "booking.not_cancellable": "This booking can no longer be cancelled",
  "booking.cancellation_failed": "Cancellation Failed",
  "payment.not_found": "Payment not found",
  "payment.not_held": "The payment is not held yet",
  "payment.frozen_by_chargeback": "The payment is frozen until the bank has decided on a chargeback",
  "payment.frozen_by_loss": "A part of the payment was taken back: it is frozen until an administrator has decided",
  "payment.frozen_by_complaint": "The payment is frozen until a complaint is decided",
  "payment.not_frozen": "The payment is not frozen",
  "payment.unchanged": "Nothing to change on this payment",
  "payment.only_release": "A payment can only be released",
  "payment.release_not_giver": "Only the task giver can release the payment",
  "payment.already_settled": "The payment was already settled",
  "payment.work_not_completed": "The payment can be released once the tasker has marked the task complete",
  "payment.not_giver": "Only the task giver can pay for a booking",
  "payment.already_paid": "This booking is already paid",
  "payment.booking_not_accepted": "Only an accepted booking can be paid",
  "payment.intent_id_required": "payment_intent_id is required",
  "payment.other_intent": "This payment has another payment intent",
  "payment.intent_not_ended": "A payment intent that has ended has an id and a status",
  "payment.nothing_to_decide": "Nothing is to be decided about this payment",
  "payment.decision_required": "A decision is required",
  "payment.complaint_open": "Decide the complaint about this booking: it settles the payment, too",
  "payment.not_splittable": "Only done work that is not paid out yet can be split",
  "payment.split_out_of_range": "A split returns more than nothing and less than the task amount",
  "payment.intent_failed": "Failed to create payment intent",
  "payment.processing": "The payment is being processed right now. Please try again in a few minutes.",
  "payment.provider_unavailable": "The payment provider does not answer. Please try again in a few minutes.",
  "payment.provider_not_configured": "Failed to initialize payment system. Please try again later.",
  "payment.publishable_key_missing": "Publishable key not found",
  "ledger.append_only": "The ledger is append-only",
  "payment_method.not_found": "Card not found",
  "payment_method.save_failed": "Failed to create payment method",
  "payment_method.last4_invalid": "Only the last 4 digits of a card are kept",
  "payment_method.brand_unknown": "Unknown card brand",
  "payment_method.expiry_invalid": "Card expiry is not a date",
  "payment_method.customer_invalid": "customer_id must be a customer",
  "payout_account.last4_invalid": "Only the last 4 digits of the account are kept",
  "payout_account.incomplete": "Please fill in all bank account fields",
  "payout_account.unconfirmed": "A payout account becomes active when the payment provider confirms it",
  "payout_account.changed_at_provider": "Bank details are changed with the payment provider",
  "payout_account.only_taskers": "Only taskers are paid out",
  "payout_account.invalid": "account must be a connected account",
  "payout_account.save_failed": "The bank details could not be saved",
  "payout.transfer_id_required": "transfer_id is required",
  "payout.none_due": "This payment has no payout to record",
  "refund.none_due": "This payment has no refund to record",
  "refund.invalid": "A refund has an id, an amount and a status",
  "refund.none_to_send": "This payment has no refund to send",
  "stripe_event.invalid": "A Stripe event has an id, a type and data.object",
  "complaint.not_found": "Complaint not found",
  "complaint.reason_too_short": "Please say what is wrong in at least 10 characters",
  "complaint.reason_too_long": "Reason too long",
  "complaint.only_givers": "Only the task giver can complain",
  "complaint.not_paid": "Only a paid booking can be complained about",
  "complaint.work_not_completed": "A complaint is possible once the task is marked complete",
  "complaint.already_filed": "You have already complained about this booking",
  "complaint.too_late_after_date": "A complaint is possible within 24 hours of the agreed time",
  "complaint.too_late_after_completion": "A complaint is possible within 24 hours of completion",
  "complaint.answer_not_tasker": "Only the tasker can answer a complaint",
  "complaint.already_answered": "This complaint is already answered",
  "complaint.already_decided": "This complaint is already decided",
  "complaint.answer_too_short": "Please say what happened in at least 10 characters",
  "complaint.answer_too_long": "Answer too long",
  "complaint.changed": "This case has changed since you opened it. Please look at it again, then decide",
  "complaint.decision_required": "A decision is required",
  "complaint.awaiting_answer": "The tasker has 48 hours to answer; until then only a release can be decided",
  "complaint.note_too_long": "Note too long",
  "complaint.split_out_of_range": "A split returns more than nothing and less than the task amount",
  "review.rating_out_of_range": "Rating must be between 1 and 5",
  "review.comment_too_long": "Comment too long",
  "review.not_own": "You can only review as yourself",
  "review.not_party": "Only the two parties of a booking can review it",
  "review.person_deleted": "This person has deleted their account, so there is nobody to review any more",
  "review.not_completed": "Only a completed booking can be reviewed",
  "review.complaint_open": "A review can be written once the complaint is decided",
  "review.too_late_after_decision": "A review can be written within 14 days of the decision",
  "review.too_late_after_date": "A review can be written within 14 days of the agreed time",
  "review.too_late_after_completion": "A review can be written within 14 days of completion",
  "review.already_written": "You have already reviewed this booking",
  "review.reviewee_invalid": "You can only review the other party of the booking",
  "review.task_invalid": "The task is not that of the booking",
  "message.empty": "Message cannot be empty",
  "message.too_long": "Message too long (max 1000 characters)",
  "message.not_own": "You can only write as yourself",
  "message.not_allowed": "Messages can be sent between the two parties once a booking is accepted",
  "message.photo_missing": "The photo of a message must be uploaded first",
  "email.failure_reason_invalid": "reason must be server, later or refused",
  "email.subscribed_required": "subscribed must be true or false",
  "email.unsubscribe_link_invalid": "This link is not valid any more. Sign in to choose which e-mails you get.",
  "email.unsubscribe_failed": "You could not be unsubscribed. Please try again in a moment.",
  "mail_event.id_invalid": "event_id must have 1 to 500 characters",
  "mail_event.type_invalid": "type must be bounced or complained",
  "mail_event.cause_invalid": "cause must be address, temporary or message",
  "mail_event.address_invalid": "address must be an e-mail address",
  "push.key_invalid": "p256dh must be a public key of P-256 in base64url: 65 bytes, the first of them 4",
  "push.secret_invalid": "auth_secret must be 16 bytes in base64url",
  "push.failure_reason_invalid": "reason must be gone, later or refused",
  "push.endpoint_not_https": "endpoint must be the address of a push service: it begins with https://",
  "push.endpoint_too_long": "endpoint must be the address of a push service: at most 1000 characters",
  "push.endpoint_not_ascii": "endpoint must be the address of a push service: without spaces and letters beyond ASCII",
  "push.endpoint_port_invalid": "endpoint must be the address of a push service: at port 443",
  "push.endpoint_host_invalid": "endpoint must be the address of a push service: its host has a public name",
  "receipt.permanent": "Receipts and statements are kept",
  "photo.list_invalid": "Photos are a list of names",
  "photo.too_many": "At most {{max}} photos",
  "photo.duplicate": "Each photo can be added once",
  "photo.not_found": "A photo is not there any more. Please remove it and add it again.",
  "photo.not_completing": "Photos are added when the task is marked complete",
  "photo.not_answering": "Photos are added with the answer",
  "file.too_many": "You have stored {{count}} files here, as many as your account can. Please remove some first.",
  "file.too_large": "Your files here would take more than {{megabytes}} MB, as much as your account can store. Please remove some first.",
  "file.too_many_unused": "You have added {{count}} photos that are not used yet. Please use some of them, or try again tomorrow.",
  "search.sort_unknown": "Sort must be newest, pay or soonest",
  "search.position_incomplete": "The last tasker's rating, number of reviews and id are given together",
  "search.availability_invalid": "Availability must be available, busy or unavailable",
  "place.unknown": "Choose a place from the list",
  "search.radius_out_of_range": "Choose a distance between 5 and 200 km",
  "search.after_incomplete": "The last task's id, created_at, pay_amount, public_latitude and public_longitude are given together",
  "search.near_sort_unknown": "Sort must be distance, newest or pay",
  "point.invalid": "A position needs a latitude and a longitude in degrees",
  "point.outside": "This position is outside the province",
  "travel_area.radius": "Choose a distance between 5 and 200 km",
  "favourite.not_own": "You can only save taskers for yourself",
  "favourite.not_tasker": "Only a tasker can be saved",
  "favourite.too_many": "You can save at most 500 taskers. Remove one first.",
  "saved_search.not_own": "You can only save searches for yourself",
  "saved_search.too_many": "You can save at most {{limit}} searches. Remove one first.",
  "saved_search.exists": "You have saved this search already",
  "saved_search.words_too_long": "The words of a search can have 200 characters at most",
  "saved_search.location_too_long": "The place of a search can have 100 characters at most",
  "saved_search.category_unknown": "This category does not exist",
  "saved_search.pay_out_of_range": "The lowest pay must be between $0 and the most that a task may pay",
  "saved_search.highest_pay_out_of_range": "The highest pay must be between $0 and the most that a task may pay",
  "saved_search.pay_order": "The highest pay must not be below the lowest",
  "saved_search.day_out_of_range": "Choose a day between 2000-01-01 and 9999-12-31",
  "saved_search.day_order": "The last day must not be before the first",
  "saved_search.two_places": "Search in a place or near one, not both",
  "saved_search.empty": "Search for something: words, a category, a place, pay or days",
  "report.not_authenticated": "Please sign in to report something",
  "report.kind_invalid": "Only a task, a message, a profile or a review can be reported",
  "report.reason_too_short": "Please say what is wrong in at least 10 characters",
  "report.reason_too_long": "Reason too long (max 1000 characters)",
  "report.subject_gone": "This is no longer there",
  "report.own": "This is your own",
  "report.not_found": "Report not found",
  "report.decision_required": "A decision is required",
  "report.already_hidden": "This is hidden already",
  "report.already_dismissed": "This is dismissed already",
  "report.already_reported": "You have already reported this",
  "report.daily_limit": "You have reported 10 things within a day. Please try again tomorrow.",
  "audit_log.append_only": "The audit log is append-only",
  "data_export.daily_limit": "You can request your data once a day. Please try again tomorrow.",
  "data_export.failed": "The export could not be put together",
  "service.database_unavailable": "The database cannot be reached just now; try again in a moment"
}$json$::jsonb
$$;

create or replace function private.events_of_email(email uuid) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_agg(jsonb_build_object('key', e.key, 'kind', t.kind, 'required', k.required, 'title', private.earlier_syntax(t.title),
      'message', private.earlier_syntax(t.message), 'subject', private.earlier_syntax(s.subject), 'button', t.button,
      'texts', jsonb_build_object('title', t.title, 'message', t.message, 'subject', s.subject, 'button', t.button),
      'params', case when e.key = 'searches_matched'
        then e.params - 'ids' || coalesce(private.alerted_tasks(e.person_id, e.params -> 'ids'), '{}') else e.params end, 'link', e.link, 'amounts', e.amounts,
      'receipt', (select jsonb_build_object('kind', r.kind, 'number', r.number, 'link', '/receipt/' || r.id)
        from public.receipts r join public.payments p on p.id = r.payment_id
        where p.booking_id = e.booking_id and r.person_id = e.person_id and r.kind
          = case t.amounts when 'payout' then 'statement' when 'total' then 'receipt' when 'refund' then 'receipt' end::public.receipt_kind),
      'messages', case when e.key = 'message_received' then private.unread_messages(e.person_id, e.booking_id) end)
    order by t.kind <> 'payments', t.kind <> 'complaints', e.id)
  from private.email_events e join private.notification_texts t on t.key = e.key
  join private.notification_kinds k on k.kind = t.kind
  cross join lateral (
    select coalesce(t.subject, case when e.params ? 'task' then t.title || ': "{{task}}"' else t.title end) as subject) s
  where e.email_id = email
$$;

create or replace function private.is_only_offered(person uuid, link text, params jsonb, task public.tasks) returns boolean
language sql stable security definer set search_path = '' as $$
  select person <> task.task_giver_id
    and (split_part(link, '?', 1) = '/task/' || task.id
      or (params ->> 'task' = task.title
        and params ->> 'person' in (private.person_name(task.task_giver_id), private.full_name(task.task_giver_id))))
    and not exists (select from public.user_roles r where r.user_id = person and r.role = 'admin')
    and not exists (select from public.bookings b where b.task_id = task.id and b.task_doer_id = person)
$$;

create or replace function private.is_outdated_event(event private.email_events) returns boolean
language sql stable security definer set search_path = '' as $$
  select coalesce(case
    when event.key in ('application_received', 'application_received_unverified') then b.status <> 'pending'
    when event.key = 'pay_reminder' then b.status <> 'accepted'
    when event.key = 'task_started' then b.status <> 'in_progress'
    when event.key = 'work_reminder' then b.status not in ('accepted', 'in_progress')
    when event.key in ('task_marked_complete', 'task_marked_complete_early', 'confirm_reminder') then p.escrow_status <> 'held'
    when event.key = 'payout_waiting' then p.payout_status <> 'waiting'
    when event.key = 'payout_failed' then p.payout_status = 'sent'
    when event.key = 'complaint_opened' then c.answered_at is not null or c.decided_at is not null
    when event.key = 'complaint_to_decide' then exists (select from public.complaints decided
      where decided.id = substring(event.link from '/complaints/([0-9a-f-]{36})')::uuid and decided.decided_at is not null)
    when event.key = 'review_asked' then exists (
      select from public.reviews r where r.booking_id = b.id and r.reviewer_id = event.person_id)
    when event.key = 'task_asked' then not exists (select from public.tasks t
      where t.id = substring(event.link from '/task/([0-9a-f-]{36})')::uuid and t.status = 'asked')
    when event.key = 'verification_submitted' then not exists (
      select from public.verifications v where v.user_id = event.person_id and v.verification_status = 'pending')
    when event.key = 'verification_waiting' then not exists (select from public.verifications v
      where v.verification_status = 'pending'
        and event.params ->> 'person' in (private.full_name(v.user_id), private.person_name(v.user_id)))
    when event.key = 'searches_matched' then event.params ? 'ids' and private.alerted_tasks(event.person_id, event.params -> 'ids') is null
    when event.key = 'message_received' then private.unread_messages(event.person_id, event.booking_id) is null
  end, false)
  from (select) as one
    left join public.bookings b on b.id = event.booking_id
    left join public.payments p on p.booking_id = b.id
    left join public.complaints c on c.booking_id = b.id
$$;

create or replace function private.is_worth_an_alert(person uuid, task public.tasks) returns boolean
language sql stable security definer set search_path = '' as $$
  select task.status = 'open' and task.hidden_for is null
    and not exists (select from private.seen_tasks s where s.person_id = person and s.task_id = task.id)
    and not exists (select from public.bookings b where b.task_id = task.id and b.task_doer_id = person)
    and exists (select from private.searches_finding(task, person))
$$;

create or replace function private.load_places() returns void
language plpgsql set search_path = '' as $$
begin
  delete from public.places p where not exists (
    select from jsonb_array_elements(private.place_data()) as place where place ->> 'id' = p.id);
  insert into public.places (id, name, kind, city, latitude, longitude, time_zone, population, postal_prefixes, other_names)
  select id, name, kind, city, latitude, longitude, coalesce("timeZone", private.time_zone()), population,
    coalesce("postalPrefixes", '{}'), coalesce("otherNames", '{}')
  from jsonb_to_recordset(private.place_data()) as place (id text, name text, kind text, city text, latitude double precision,
    longitude double precision, "timeZone" text, population integer, "postalPrefixes" text[], "otherNames" text[])
  on conflict (id) do update set name = excluded.name, kind = excluded.kind, city = excluded.city,
    latitude = excluded.latitude, longitude = excluded.longitude, time_zone = excluded.time_zone,
    population = excluded.population, postal_prefixes = excluded.postal_prefixes, other_names = excluded.other_names;
  perform private.load_cells();
  perform private.load_place_names();
  perform private.locate_all_tasks();
  -- Its trigger reads the point of the place.
  update public.saved_searches set place_id = place_id where place_id is not null;
end $$;

create function private.locate_saved_search(search public.saved_searches) returns public.saved_searches
language plpgsql stable set search_path = '' as $$
begin
  if num_nonnulls(search.place_id, search.latitude, search.longitude, search.radius_km) = 0 then
    return search;
  end if;
  perform private.require(search.location = '', 'saved_search.two_places', 'location');
  perform private.require(search.radius_km between private.rule('limits.radiusKm.min') and private.rule('limits.radiusKm.max'),
    'search.radius_out_of_range', 'radius_km');
  if search.place_id is not null then
    select p.latitude, p.longitude into search.latitude, search.longitude from public.places p where p.id = search.place_id;
    perform private.require(found, 'place.unknown', 'place_id');
  else
    perform private.require_point(search.latitude, search.longitude);
    select c.latitude, c.longitude into search.latitude, search.longitude from private.public_point(search.latitude, search.longitude) c;
  end if;
  return search;
end $$;

create or replace function private.redact_hidden_task(task public.tasks) returns void
language plpgsql set search_path = '' as $$
begin
  perform private.refill_notification(n.id, '{"task": {"code": "removed_task"}}') from public.notifications n
  where n.params ? 'task' and (split_part(n.link, '?', 1) = '/task/' || task.id or n.params ->> 'task' = task.title)
    and private.is_only_offered(n.user_id, n.link, n.params, task);
  delete from private.email_events e
  where e.params ? 'task' and private.is_only_offered(e.person_id, e.link, e.params, task);
  delete from private.push_messages m using public.push_subscriptions s
  where s.id = m.subscription_id and m.params ? 'task' and private.is_only_offered(s.user_id, m.link, m.params, task);
end $$;

create function private.searches_finding(task public.tasks, person uuid default null) returns setof public.saved_searches
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  kinds constant text[] := private.matching_task_kinds(task) || task.category;
  searched constant text := private.search_text(concat_ws(E'\n', task.title, task.description, task.category, task.location));
  fragments constant text[] := array_append(extensions.show_trgm(searched), '');
  place constant text := private.search_text(task.location);
  day constant date := task.scheduled_date at time zone private.time_zone();
begin
  return query select * from public.saved_searches s
  where (person is null or s.user_id = person)
    and (s.category is null or s.category = any (kinds))
    and (s.min_pay is null or s.min_pay <= task.pay_amount) and (s.max_pay is null or s.max_pay >= task.pay_amount)
    and (s.first_day is null or s.first_day <= day) and (s.last_day is null or s.last_day >= day)
    and s.matched_fragment = any (fragments)
    -- A degree of latitude is more than 111 km.
    and (s.radius_km is null or abs(s.latitude - task.public_latitude) * 111 <= s.radius_km
      and private.km_between(s.latitude, s.longitude, task.public_latitude, task.public_longitude) <= s.radius_km)
    and strpos(place, s.matched_location) > 0
    and not exists (select from unnest(s.matched_words) word where strpos(searched, word) = 0);
end $$;

create or replace function private.send_alert_email() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  hour constant timestamptz := private.next_alert_email(now() - interval '1 day');
  person uuid;
  ids jsonb;
  news jsonb;
begin
  select a.person_id into person from private.task_alerts a
  where a.sent_at is null and a.pace = 'daily' and a.matched_at < hour order by a.matched_at limit 1 for no key update skip locked;
  if not found then
    return 0;
  end if;
  with due as (
    update private.task_alerts a set sent_at = now()
    where a.person_id = person and a.sent_at is null and a.pace = 'daily' and a.matched_at < hour
    returning a.task_id, a.matched_at
  )
  select jsonb_agg(task_id order by matched_at, task_id) into ids from due;
  news := private.alerted_tasks(person, ids);
  if news is not null then
    perform private.queue_email(person, 'searches_matched', news || jsonb_build_object('ids', ids), '/saved-searches');
  end if;
  return 1;
end $$;

create or replace function private.send_task_alert() returns integer
language plpgsql security definer set search_path = '' as $$
declare
  due record;
begin
  select a.person_id, a.task_id, t.title, t.location, t.pay_amount, private.is_worth_an_alert(a.person_id, t) as wanted,
    (select count(*) from private.task_alerts s where s.person_id = a.person_id and s.sent_at > now() - interval '1 day')
      < private.rule('limits.alertsPerDay') as within_limit into due
  from private.task_alerts a join public.tasks t on t.id = a.task_id
  where a.sent_at is null and a.pace = 'at_once'
  order by a.matched_at limit 1 for no key update of a skip locked;
  if not found then
    return 0;
  end if;
  if not due.wanted then
    delete from private.task_alerts where person_id = due.person_id and task_id = due.task_id;
  elsif not due.within_limit then
    update private.task_alerts set pace = 'daily' where person_id = due.person_id and task_id = due.task_id;
    perform private.schedule_tick(private.next_alert_email(now()));
  else
    update private.task_alerts set sent_at = now() where person_id = due.person_id and task_id = due.task_id;
    perform private.notify_person(due.person_id, 'search_matched', jsonb_build_object('task', due.title, 'place', due.location,
      'amount', due.pay_amount), '/task/' || due.task_id || '?side=task_doer');
  end if;
  return 1;
end $$;

create or replace function private.tidy_saved_search(search public.saved_searches) returns public.saved_searches
language plpgsql immutable set search_path = '' as $$
begin
  search.words := coalesce(private.trimmed(search.words), '');
  search.location := coalesce(private.trimmed(search.location), '');
  search.matched_words := array(select private.trimmed(private.search_text(word)) from unnest(private.search_words(search.words)) word);
  search.matched_location := coalesce(private.search_text(search.location), '');
  search.matched_fragment := coalesce((select substring(word from '[a-z0-9]{3}') from unnest(search.matched_words) word
    order by substring(word from '[a-z0-9]{3}') is null, length(word) desc, word limit 1), '');
  return search;
end $$;

create or replace function public.begin_emails(max_emails integer) returns jsonb
language plpgsql security definer set search_path = '' as $$
declare
  taken jsonb;
begin
  perform private.gather_emails(least(greatest(max_emails, 0), 100));
  -- Between two tries the account was closed, the conversation read or the tasks of an alert hidden.
  delete from private.email_events e using private.emails m
  where m.id = e.email_id and m.status = 'waiting' and m.next_try_at <= now() and e.key = 'searches_matched'
    and private.is_outdated_event(e);
  delete from private.emails m where m.status = 'waiting' and m.next_try_at <= now()
    and (private.email_address(m.person_id) is null
      or not exists (select from private.email_events e where e.email_id = m.id));
  with due as (
    select id from private.emails where status = 'waiting' and next_try_at <= now()
      and (taken_until is null or taken_until <= now())
    order by next_try_at limit least(greatest(max_emails, 0), 100) for update skip locked
  ), begun as (
    update private.emails m set attempts = m.attempts + 1, taken_until = now() + interval '10 minutes'
    from due where m.id = due.id returning m.id, m.person_id
  ), kinds as (
    select b.id, b.person_id, array_agg(distinct t.kind) as kinds from begun b
    join private.email_events e on e.email_id = b.id join private.notification_texts t on t.key = e.key
    group by b.id, b.person_id
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', b.id, 'to', private.email_address(b.person_id),
    'name', private.person_name(b.person_id), 'language', (select p.language from private.profiles p where p.id = b.person_id),
    'events', private.events_of_email(b.id),
    'unsubscribe', private.unsubscribe_token(b.person_id, b.kinds),
    'unsubscribe_kinds', (select coalesce(jsonb_agg(jsonb_build_object('kind', k, 'token', private.unsubscribe_token(b.person_id, array[k]))
      order by k), '[]') from unnest(b.kinds) k where not private.is_required(k)))), '[]') into taken from kinds b;
  if taken <> '[]' then
    -- Whoever took them may die; one such job is enough, and a later one takes its place.
    perform private.enqueue_function('send-emails', '{}', 'send-emails-taken', now() + interval '10 minutes');
  end if;
  return taken;
end $$;

create function public.place_name(search public.saved_searches) returns text
language sql stable set search_path = '' as $$
  select concat_ws(', ', p.name, p.city) from public.places p
  where search.latitude is not null
  order by p.id = search.place_id desc nulls last, private.km_between(search.latitude, search.longitude, p.latitude, p.longitude), p.id limit 1
$$;

alter table public.saved_searches add column first_day date;

alter table public.saved_searches add column last_day date;

alter table public.saved_searches add column latitude double precision;

alter table public.saved_searches add column longitude double precision;

alter table public.saved_searches add column matched_fragment text default ''::text not null;

alter table public.saved_searches add column max_pay numeric(12,2);

alter table public.saved_searches add column place_id text;

alter table public.saved_searches add column radius_km integer;

alter table public.saved_searches add constraint saved_searches_place_id_fkey FOREIGN KEY (place_id) REFERENCES public.places(id) ON DELETE SET NULL;

create index saved_searches_of_place on public.saved_searches (place_id) where place_id is not null;

grant insert (first_day) on public.saved_searches to authenticated;
grant insert (last_day) on public.saved_searches to authenticated;
grant insert (latitude) on public.saved_searches to authenticated;
grant insert (longitude) on public.saved_searches to authenticated;
grant insert (max_pay) on public.saved_searches to authenticated;
grant insert (place_id) on public.saved_searches to authenticated;
grant insert (radius_km) on public.saved_searches to authenticated;
grant execute on function private.locate_saved_search(public.saved_searches) to authenticated;
grant execute on function private.locate_saved_search(public.saved_searches) to service_role;
grant execute on function public.place_name(public.saved_searches) to authenticated;
grant execute on function public.place_name(public.saved_searches) to service_role;

comment on column public.saved_searches.first_day is 'First day of the work, by the marketplace''s clock; null for any';
comment on column public.saved_searches.last_day is 'Last day of the work, by the marketplace''s clock; null for any';
comment on column public.saved_searches.latitude is 'Degrees north of the place, or of the centre of the cell of a device''s position; null for everywhere';
comment on column public.saved_searches.longitude is 'Degrees east of the place, or of the centre of the cell of a device''s position; null for everywhere';
comment on column public.saved_searches.matched_fragment is 'Three characters of the longest word, which a matching text contains; empty if it has no three Latin letters or digits in a row';
comment on column public.saved_searches.max_pay is 'Dollars that the task pays at most; null for any';
comment on column public.saved_searches.place_id is 'The place around which tasks are; null without one, for a point, and once the place is gone';
comment on column public.saved_searches.radius_km is 'Kilometres from the point as the crow flies; null for everywhere';

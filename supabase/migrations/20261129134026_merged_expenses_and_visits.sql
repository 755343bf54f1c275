-- merged expenses and visits: what supabase/schemas define and earlier migrations do not
set check_function_bodies = off;

create or replace function private.before_task_change() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' or private.is_edited(new, old) then
    new := private.tidy_task(new);
  end if;
  if private.is_client() then
    new := private.touch_task(new);
  end if;
  if tg_op = 'INSERT' then
    new := private.hold_task(new);
    perform private.require_active_account();
    if private.is_client() then
      perform private.check_task_poster(new);
      perform private.count_new_task(new.asked_tasker_id);
    end if;
    perform private.check_asked_tasker(new);
  elsif tg_op = 'UPDATE' then
    if private.is_client() then
      if new.status = old.status then
        perform private.require_active_giver();
        perform private.limit_task_changes(new.id);
      end if;
      perform private.check_task_is_free(new, old);
      perform private.check_task_step(new, old);
    end if;
    if old.status not in ('open', 'asked') then
      new := private.hold_task(new);
    end if;
  end if;
  if tg_op = 'INSERT' or private.is_edited(new, old) then
    perform private.check_task_title(new, old);
    perform private.check_task_description(new);
    perform private.check_task_category(new);
    perform private.check_task_location(new);
    perform private.check_task_pay(new);
    if new.offers_allowed is null then
      perform private.fail('task.offers_allowed_invalid', 'offers_allowed');
    end if;
    perform private.check_task_expenses(new);
    perform private.check_task_tools(new);
    perform private.check_task_schedule(new, old);
    perform private.check_task_duration(new);
    new := private.check_task_photos(new, old);
    new := private.round_pay(new);
    new := private.locate_task(new, old);
    -- Once agreed, the series keeps its days, and its first visit can move to any other.
    if new.repeats is not null and new.series_id is null then
      new := private.check_repeats(new);
    end if;
    if new.asked_tasker_id is not null then
      perform private.check_asked_time(new, old);
    end if;
  end if;
  new := private.update_request_deadline(new, old);
  return new;
end $$;

create or replace function private.error_messages() returns jsonb
language sql immutable set search_path = '' as $$
  select $json${
"account.application_forbidden": "An application may not do this for a person", "account.not_authenticated": "Not authenticated",
"account.email_too_long": "Email too long", "account.role_invalid": "role must be task_giver or task_doer",
"account.already_finished": "This account is finished already", "account.not_finished": "Finish your account first",
"account.not_found": "There is no such account", "account.role_missing": "You do not have this role",
"account.role_required": "A role is required", "account.last_admin": "This is the last admin: make somebody else an admin first",
"account.only_admin": "You are the only administrator. Make somebody else one first.",
"account.suspended": "Your account is suspended: you cannot post, apply, hire or write until this is lifted",
"account.suspended_for_tasks": "Your account is suspended: you cannot change a task until this is lifted",
"account.suspended_for_profile": "Your account is suspended: you cannot change your profile until this is lifted",
"account.suspended_for_roles": "Your account is suspended: you cannot add a role until this is lifted",
"account.suspended_for_reports": "Your account is suspended: you cannot report until this is lifted",
"account.reauthentication_needed": "Please enter your password again to confirm that it is you.",
"account.second_factor_required": "Enter the code of your second factor, too.",
"account.second_factor_not_set_up": "Set up two-step verification first",
"account.second_factor_missing": "Your account has no second factor", "account.email_mismatch": "Type your email exactly as it is shown",
"account.phone_mismatch": "Type your phone number exactly as it is shown",
"account.complaint_open": "A complaint about one of your bookings is still open. It has to be decided first.",
"account.money_held": "Money of this account is still on its way. Please finish or cancel your bookings first.",
"account.payout_waiting": "Money that you earned has not reached you yet. Please check your bank details under Payout first.",
"account.money_on_its_way": "Money is still being sent to you. Please try again once it has arrived.",
"profile.name_too_short": "Name must be at least 2 characters", "profile.name_too_long": "Name too long",
"profile.name_check_mark": "Name cannot contain a check mark",
"profile.name_hidden_characters": "Name cannot contain invisible or control characters",
"profile.name_address": "Name cannot contain a web or e-mail address",
"profile.name_official": "Name cannot suggest that it is Meadowlark itself", "profile.phone_too_long": "Phone too long",
"profile.phone_invalid": "Invalid phone number", "profile.city_too_long": "City too long", "profile.bio_too_long": "Bio too long",
"profile.avatar_invalid": "Avatar must be a web address",
"profile.experience_invalid": "Experience must be a whole number of years, at least 0",
"profile.hourly_rate_too_low": "Hourly rate must be at least 0", "profile.hourly_rate_too_high": "Hourly rate too high",
"profile.availability_invalid": "Availability must be available, busy or unavailable", "profile.language_unknown": "Unknown language",
"profile.not_own": "Only the person can change their own profile",
"profile.id_handed_in": "They handed in an ID: it is that which is approved or refused",
"profile.skills_too_many": "Too many skills, or a skill is too long", "profile.category_unknown": "Unknown category",
"session.already_ended": "This device is signed out already", "session.missing": "This token belongs to no session",
"recovery_code.rollback_forbidden": "A recovery code cannot be tried with Prefer: tx=rollback",
"recovery_code.too_many_attempts": "Too many attempts. Wait five minutes before you try again.",
"activity.new_account_daily_limit": "A new account can do this {{limit}} times a day. Please try again in {{hours}} h.",
"activity.daily_limit": "This can be done {{limit}} times a day. Please try again in {{hours}} h.",
"activity.new_account_hourly_limit": "A new account can do this {{limit}} times an hour. Please try again in {{minutes}} min.",
"activity.hourly_limit": "This can be done {{limit}} times an hour. Please try again in {{minutes}} min.",
"activity.too_many_at_once": "You can have {{limit}} of these at the same time. Please close or remove one first.",
"admin.required": "Only admins can {{action}}", "admin.own_case": "Another admin decides {{matter}}",
"admin.reason_required": "Please give a reason: the person reads it", "admin.reason_too_long": "Reason too long",
"admin.filter_unknown": "Filter must be everyone, task_giver, task_doer, admin or suspended",
"admin.kind_unknown": "Kind must be payments, payouts or refunds", "admin.state_unknown": "There is no such state",
"admin.chargeback_state_unknown": "State must be to_answer, under_review, won, lost or all",
"admin.period_unknown": "Period must be week or month", "suspension.admin": "An admin cannot be suspended: give them another role first",
"suspension.already_suspended": "This person is suspended already", "suspension.not_suspended": "This person is not suspended",
"suspension.cannot_become_admin": "A suspended person cannot become an admin: lift the suspension first",
"notification.required_kind": "Payments, complaints and your account always come to the bell and by e-mail",
"verification.only_taskers": "Only task doers can be verified",
"verification.already_submitted": "You have already submitted your verification.",
"verification.not_pending": "A verification is submitted as pending", "verification.identity_fixed": "A record keeps its identity",
"verification.confirmation_required": "An approval needs your word that the ID shows this person",
"verification.terms_required": "Terms must be accepted", "verification.privacy_required": "Privacy policy must be accepted",
"verification.legal_name_required": "Full legal name is required", "verification.legal_name_too_long": "Name too long",
"verification.birth_date_required": "Date of birth is required", "verification.too_young": "You must be at least 18 years old",
"verification.background_check_invalid": "Background check consent must be true or false",
"verification.insurance_invalid": "Insurance must be true or false", "verification.sin_invalid": "SIN provided must be true or false",
"verification.id_type_required": "ID type is required", "verification.insurance_details_too_long": "Insurance details too long",
"verification.skills_too_many": "Too many skills or certifications, or one is too long",
"verification.not_own": "Only the person can change what they declared",
"verification.resubmission_not_own": "Only the person can hand in again", "verification.reason_too_long": "Reason too long",
"verification.reason_required": "A refusal needs a reason",
"verification.id_missing": "An approval needs a picture of the ID, and none was handed in",
"verification.being_decided": "This verification is being decided right now. Please try again.", "task.not_found": "Task not found",
"task.assigned": "This task is agreed with its tasker and stays as it is", "task.completed": "This task is done and stays as it is",
"task.closed": "This task is closed. You can post it again.", "task.changed_and_closed": "A task is changed or closed, not both at once",
"task.being_decided": "This task is being decided right now. Please try again.",
"task.status_change_invalid": "A task cannot go from {{from}} to {{to}}", "task.not_own": "You can only post tasks of your own",
"task.only_givers": "Access Denied: Only task givers can post tasks", "task.status_invalid": "A new task is open",
"task.not_open": "This task is no longer open", "task.title_too_short": "Title must be at least 5 characters",
"task.title_too_long": "Title too long", "task.title_hidden_characters": "Title cannot contain invisible or control characters",
"task.title_address": "Title cannot contain a web or e-mail address",
"task.title_official": "Title cannot suggest that it comes from Meadowlark itself",
"task.description_too_short": "Description must be at least 20 characters", "task.description_too_long": "Description too long",
"task.category_required": "Category is required", "task.location_too_short": "Location must be at least 3 characters",
"task.location_too_long": "Location too long", "task.pay_not_positive": "Pay amount must be positive",
"task.pay_too_low": "Pay amount must be at least {{min, price}}", "task.pay_too_high": "Pay amount too high",
"task.pay_too_precise": "Pay amount can have two decimals at most", "task.offers_allowed_invalid": "offers_allowed must be true or false",
"task.tools_invalid": "Tools provided must be true or false", "task.tools_description_too_long": "Tools description too long",
"task.date_invalid": "Scheduled date is not a usable date", "task.date_past": "Scheduled date must be in the future",
"task.duration_out_of_range": "Duration must be between 1 minute and 7 days",
"task.address_too_short": "Address must be at least 3 characters", "task.address_too_long": "Address too long",
"task.asked_self": "You cannot ask yourself", "task.asked_not_tasker": "Only a tasker can be asked",
"task.no_longer_asked": "You are not asked to do this task any more",
"task.asked_has_applied": "You have applied to this task. Withdraw your application instead.",
"task.slot_taken": "This tasker is no longer free at that time. Choose another time.", "booking.not_found": "Booking not found",
"booking.message_too_long": "Message too long (max 1000 characters)", "booking.not_own": "You can only apply for yourself",
"booking.only_taskers": "Access Denied: Only task doers can apply to tasks", "booking.own_task": "You cannot apply to your own task",
"booking.already_applied": "You have already applied to this task",
"booking.price_changed": "The price of this task is now {{price, price}}. Please look at it again before you apply.",
"booking.expenses_changed": "The limit for expenses of this task has changed. Please look at it again before you apply.",
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
"booking.undo_expired": "A decline can be taken back for 10 minutes", "booking.not_cancellable": "This booking can no longer be cancelled",
"booking.cancellation_failed": "Cancellation Failed",
"offer.options_invalid": "An offer has one to {{max}} prices, each an amount and a time or none",
"offer.not_allowed": "This task takes no offers: apply at the posted price",
"offer.amount_too_low": "An offered price must be at least {{min, price}}",
"offer.amount_too_high": "An offered price can be at most {{max, price}}",
"offer.amount_too_precise": "An offered price can have two decimals at most", "offer.time_past": "The offered time has passed",
"offer.time_too_late": "An offered time can be at most {{days}} days ahead",
"offer.options_equal": "Two of the offered prices are the same", "offer.reason_required": "Give a reason for another price",
"offer.reason_too_long": "Reason too long (max {{max}} characters)",
"offer.amount_differs": "This offer is {{price, price}}. Please look at it again.",
"offer.option_not_allowed": "One of the prices is chosen when an offer is accepted",
"offer.option_required": "Choose one of the {{count}} prices", "offer.lapsed": "The time to answer is over",
"offer.none": "This application is at the posted price: accept or decline it",
"offer.not_waiting": "This offer no longer waits for an answer",
"offer.counter_not_giver": "Only the giver of the task can make a counter-offer",
"offer.counter_once": "There can be one counter-offer only",
"offer.counter_open": "The tasker has your counter-offer: wait for their answer or decline",
"offer.counter_answer_invalid": "Only the tasker can decline an open counter-offer",
"offer.repeat_keeps_times": "A task that repeats keeps its times: offer another price only",
"repeat.invalid": "A repeat says how often the task is done and when that ends",
"repeat.no_end": "Say when the repeat ends: a last day or a number of visits", "repeat.day_unknown": "{{day}} is not a day of the calendar",
"repeat.too_few": "A repeat has at least two visits", "repeat.too_many": "A repeat has at most {{max}} visits",
"repeat.too_far": "A repeat can last at most {{days}} days", "repeat.date_required": "Choose the date and time of the first visit",
"repeat.duration_required": "Say how long each visit takes", "repeat.duration_too_long": "A visit can take at most 24 hours",
"repeat.exception_unknown": "There is no visit on {{day}} that could be left out",
"repeat.snow_has_no_date": "A snowfall task has no date: it is done when it snows",
"repeat.snow_depth": "Choose a depth of snow from 1 to {{max}} cm", "repeat.season_over": "The last day of the season has passed",
"series.own_clash": "You have other work at the time of these visits: {{days}}",
"series.tasker_busy": "This tasker has other work at the time of these visits: {{days}}", "series.not_found": "These visits were not found",
"series.only_giver": "Only the task giver decides how the visits are paid", "series.agreed_invalid": "agreed must be true or false",
"series.over": "These visits have ended", "series.no_card": "Save a card first, so that it can be charged",
"series.sums_changed": "What stopping costs has changed. Please look at it again.", "series.stop_failed": "The visits could not be stopped",
"visit.none": "This booking is not a visit of a series", "visit.paid": "This visit is paid: cancel it instead",
"visit.too_late_to_skip": "A visit can be skipped until 48 hours before it begins",
"payment.waits_for_snow": "There is nothing to pay until it snows", "snow.only_tasker": "Only the tasker reports snow",
"snow.not_snowfall": "These visits do not depend on snow", "snow.too_little": "A visit is agreed from {{min}} cm of snow on",
"snow.depth_invalid": "Enter the depth of snow, from 1 to {{max}} cm", "snow.once_a_day": "Snow was reported today already",
"snow.too_many": "All {{count}} visits of this season are used", "snow.time_not_today": "Choose a time today that has not passed",
"snow.photo_required": "Add a photo of the snow", "snow.tasker_busy": "You have other work at that time",
"offer.message_too_long": "Message too long (max {{max}} characters)",
"time_proposal.message_too_long": "Message too long (max {{max}} characters)",
"time_proposal.not_own": "You can only propose times yourself",
"time_proposal.not_party": "Only the two people of a booking can propose another time",
"time_proposal.not_agreed": "Another time can be proposed from acceptance until the work is done",
"time_proposal.past": "The proposed time has passed", "time_proposal.too_late": "A proposed time can be at most {{days}} days ahead",
"time_proposal.same_time": "That is already the agreed time",
"time_proposal.open": "Another time is proposed already: answer or withdraw that one first",
"time_proposal.own_clash": "You have another booking at that time",
"time_proposal.time_differs": "The proposed time is another one. Please look at it again.",
"time_proposal.not_open": "This proposal no longer waits for an answer",
"time_proposal.answer_by_other": "You can only withdraw your own proposal: the other person accepts or declines it",
"time_proposal.withdraw_own": "You can accept or decline a proposal of the other person",
"arrival.only_tasker": "Only the tasker states the arrival and adds photos before the work",
"arrival.not_under_way": "This is possible from payment until the work is marked complete",
"arrival.too_early": "This is possible from {{hours}} hours before the agreed time",
"arrival.arrived": "You have stated your arrival already",
"arrival.window_invalid": "The arrival must lie ahead, within {{minutes}} minutes from the earliest to the latest time",
"arrival.not_arrived": "State your arrival first", "no_show.not_own": "You can only report this yourself",
"no_show.not_party": "Only the two people of a booking can report that the other did not come",
"no_show.open": "A report that somebody did not come waits for an answer",
"no_show.words_too_short": "Say what happened in at least {{min}} characters",
"no_show.words_too_long": "Text too long (max {{max}} characters)",
"no_show.not_under_way": "This can be reported from payment until the work is marked complete",
"no_show.no_time": "No time was agreed, so nobody can have missed it",
"no_show.too_early": "Wait {{minutes}} minutes after the agreed time, or after your arrival",
"no_show.photo_required": "Add a photo from the place", "no_show.not_open": "This report no longer waits for an answer",
"no_show.answer_by_other": "You can only withdraw your own report: the other person answers it",
"no_show.withdraw_own": "You can confirm a report about you or object to it", "payment.not_found": "Payment not found",
"payment.not_held": "The payment is not held yet",
"payment.frozen_by_chargeback": "The payment is frozen until the bank has decided on a chargeback",
"payment.frozen_by_loss": "A part of the payment was taken back: it is frozen until an administrator has decided",
"payment.frozen_by_complaint": "The payment is frozen until a complaint is decided", "payment.not_frozen": "The payment is not frozen",
"payment.unchanged": "Nothing to change on this payment", "payment.only_release": "A payment can only be released",
"payment.release_not_giver": "Only the task giver can release the payment", "payment.already_settled": "The payment was already settled",
"payment.work_not_completed": "The payment can be released once the tasker has marked the task complete",
"payment.not_giver": "Only the task giver can pay for a booking", "payment.already_paid": "This booking is already paid",
"payment.booking_not_accepted": "Only an accepted booking can be paid", "payment.intent_id_required": "payment_intent_id is required",
"payment.other_intent": "This payment has another payment intent",
"payment.intent_not_ended": "A payment intent that has ended has an id and a status",
"payment.nothing_to_decide": "Nothing is to be decided about this payment", "payment.decision_required": "A decision is required",
"payment.complaint_open": "Decide the complaint about this booking: it settles the payment, too",
"payment.not_splittable": "Only done work that is not paid out yet can be split",
"payment.split_out_of_range": "A split returns more than nothing and less than the task amount",
"payment.intent_failed": "Failed to create payment intent",
"payment.processing": "The payment is being processed right now. Please try again in a few minutes.",
"payment.provider_unavailable": "The payment provider does not answer. Please try again in a few minutes.",
"payment.provider_not_configured": "Failed to initialize payment system. Please try again later.",
"payment.publishable_key_missing": "Publishable key not found", "ledger.append_only": "The ledger is append-only",
"payment_method.not_found": "Card not found", "payment_method.save_failed": "Failed to create payment method",
"payment_method.last4_invalid": "Only the last 4 digits of a card are kept", "payment_method.brand_unknown": "Unknown card brand",
"payment_method.expiry_invalid": "Card expiry is not a date", "payment_method.customer_invalid": "customer_id must be a customer",
"payout_account.last4_invalid": "Only the last 4 digits of the account are kept",
"payout_account.incomplete": "Please fill in all bank account fields",
"payout_account.unconfirmed": "A payout account becomes active when the payment provider confirms it",
"payout_account.changed_at_provider": "Bank details are changed with the payment provider",
"payout_account.only_taskers": "Only taskers are paid out", "payout_account.invalid": "account must be a connected account",
"payout_account.save_failed": "The bank details could not be saved", "payout.transfer_id_required": "transfer_id is required",
"payout.none_due": "This payment has no payout to record", "refund.none_due": "This payment has no refund to record",
"refund.invalid": "A refund has an id, an amount and a status", "refund.none_to_send": "This payment has no refund to send",
"stripe_event.invalid": "A Stripe event has an id, a type and data.object", "complaint.not_found": "Complaint not found",
"complaint.reason_too_short": "Please say what is wrong in at least 10 characters", "complaint.reason_too_long": "Reason too long",
"complaint.only_givers": "Only the task giver can complain", "complaint.not_paid": "Only a paid booking can be complained about",
"complaint.work_not_completed": "A complaint is possible once the task is marked complete",
"complaint.already_filed": "You have already complained about this booking",
"complaint.too_late_after_date": "A complaint is possible within 24 hours of the agreed time",
"complaint.too_late_after_completion": "A complaint is possible within 24 hours of completion",
"complaint.answer_not_tasker": "Only the tasker can answer a complaint", "complaint.already_answered": "This complaint is already answered",
"complaint.already_decided": "This complaint is already decided",
"complaint.answer_too_short": "Please say what happened in at least 10 characters", "complaint.answer_too_long": "Answer too long",
"complaint.changed": "This case has changed since you opened it. Please look at it again, then decide",
"complaint.decision_required": "A decision is required",
"complaint.awaiting_answer": "The tasker has 48 hours to answer; until then only a release can be decided",
"complaint.note_too_long": "Note too long",
"complaint.split_out_of_range": "A split returns more than nothing and less than the task amount",
"review.rating_out_of_range": "Rating must be between 1 and 5", "review.comment_too_long": "Comment too long",
"review.not_own": "You can only review as yourself", "review.not_party": "Only the two parties of a booking can review it",
"review.person_deleted": "This person has deleted their account, so there is nobody to review any more",
"review.not_completed": "Only a completed booking can be reviewed",
"review.complaint_open": "A review can be written once the complaint is decided",
"review.too_late_after_decision": "A review can be written within 14 days of the decision",
"review.too_late_after_date": "A review can be written within 14 days of the agreed time",
"review.too_late_after_completion": "A review can be written within 14 days of completion",
"review.already_written": "You have already reviewed this booking",
"review.reviewee_invalid": "You can only review the other party of the booking",
"review.task_invalid": "The task is not that of the booking", "message.empty": "Message cannot be empty",
"message.too_long": "Message too long (max 1000 characters)", "message.not_own": "You can only write as yourself",
"message.not_allowed": "Messages can be sent between the two parties once a booking is accepted",
"message.photo_missing": "The photo of a message must be uploaded first",
"email.failure_reason_invalid": "reason must be server, later or refused", "email.subscribed_required": "subscribed must be true or false",
"email.unsubscribe_link_invalid": "This link is not valid any more. Sign in to choose which e-mails you get.",
"email.unsubscribe_failed": "You could not be unsubscribed. Please try again in a moment.",
"mail_event.id_invalid": "event_id must have 1 to 500 characters", "mail_event.type_invalid": "type must be bounced or complained",
"mail_event.cause_invalid": "cause must be address, temporary or message",
"mail_event.address_invalid": "address must be an e-mail address",
"push.key_invalid": "p256dh must be a public key of P-256 in base64url: 65 bytes, the first of them 4",
"push.secret_invalid": "auth_secret must be 16 bytes in base64url", "push.failure_reason_invalid": "reason must be gone, later or refused",
"push.endpoint_not_https": "endpoint must be the address of a push service: it begins with https://",
"push.endpoint_too_long": "endpoint must be the address of a push service: at most 1000 characters",
"push.endpoint_not_ascii": "endpoint must be the address of a push service: without spaces and letters beyond ASCII",
"push.endpoint_port_invalid": "endpoint must be the address of a push service: at port 443",
"push.endpoint_host_invalid": "endpoint must be the address of a push service: its host has a public name",
"receipt.permanent": "Receipts and statements are kept", "photo.list_invalid": "Photos are a list of names",
"photo.too_many": "At most {{max}} photos", "photo.duplicate": "Each photo can be added once",
"photo.not_found": "A photo is not there any more. Please remove it and add it again.",
"photo.not_completing": "Photos are added when the task is marked complete", "photo.not_answering": "Photos are added with the answer",
"file.too_many": "You have stored {{count}} files here, as many as your account can. Please remove some first.",
"file.too_large": "Your files here would take more than {{megabytes}} MB, as much as your account can store. Please remove some first.",
"file.too_many_unused": "You have added {{count}} photos that are not used yet. Please use some of them, or try again tomorrow.",
"search.sort_unknown": "Sort must be newest, pay or soonest",
"search.position_incomplete": "The last tasker's rating, number of reviews and id are given together",
"search.availability_invalid": "Availability must be available, busy or unavailable", "place.unknown": "Choose a place from the list",
"search.radius_out_of_range": "Choose a distance between 5 and 200 km",
"search.after_incomplete": "The last task's id, created_at, pay_amount, public_latitude and public_longitude are given together",
"search.near_sort_unknown": "Sort must be distance, newest or pay",
"point.invalid": "A position needs a latitude and a longitude in degrees", "point.outside": "This position is outside the province",
"travel_area.radius": "Choose a distance between 5 and 200 km", "hours.only_taskers": "Only taskers have working hours",
"hours.invalid": "Hours need a weekday from 1 to 7 and times such as 09:00", "hours.too_many": "Too many hours on one day",
"hours.time_zone_unknown": "Unknown time zone", "hours.buffer_out_of_range": "The time between jobs must be between 0 and 240 minutes",
"hours.overlap": "Hours of the same day must not overlap", "hours.end_before_start": "The end must be later than the start",
"hours_exception.day_out_of_range": "Choose a day from today to two years from now",
"hours_exception.too_many": "You have too many special days: remove past ones first",
"favourite.not_own": "You can only save taskers for yourself", "favourite.not_tasker": "Only a tasker can be saved",
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
"saved_search.day_order": "The last day must not be before the first", "saved_search.two_places": "Search in a place or near one, not both",
"saved_search.empty": "Search for something: words, a category, a place, pay or days", "question.empty": "Write your question",
"question.too_long": "Question too long (max 500 characters)", "question.not_own": "You can only ask for yourself",
"question.only_taskers": "Only taskers can ask about a task", "question.own_task": "This is your own task",
"question.task_not_open": "Questions can only be asked while the task is open", "question.exists": "You have asked this already",
"question.too_many": "You can ask at most {{limit}} questions about a task",
"question.answered": "This question is answered and can no longer be removed", "answer.empty": "Write your answer",
"answer.too_long": "Answer too long (max 500 characters)", "answer.not_giver": "Only the giver of the task can answer",
"answer.question_gone": "This question is no longer there", "answer.task_not_open": "Questions can only be answered while the task is open",
"answer.exists": "You have answered this question already",
"answer.too_late": "An answer can be changed for {{minutes}} minutes after it was given",
"application_text.not_own": "You can only save texts for yourself", "application_text.title_missing": "Give the text a name",
"application_text.title_too_long": "Name too long (max 60 characters)",
"application_text.text_missing": "Write the text that you want to save",
"application_text.text_too_long": "Text too long (max 1000 characters)",
"application_text.title_exists": "You have a text with this name already",
"application_text.too_many": "You can save at most {{limit}} texts. Remove one first.",
"calendar.not_own": "You can only import calendars for yourself", "calendar.only_taskers": "Only taskers import calendars",
"calendar.not_found": "You have removed this calendar", "calendar.address_invalid": "The address must begin with https:// or webcal://",
"calendar.address_too_long": "Address too long (max {{max}} characters)",
"calendar.name_too_long": "Name too long (max {{max}} characters)", "calendar.address_exists": "You have added this calendar already",
"calendar.too_many": "You can add at most {{limit}} calendars. Remove one first.",
"calendar.refresh_too_soon": "This calendar was read a moment ago. Try again in five minutes.",
"report.not_authenticated": "Please sign in to report something",
"report.kind_invalid": "Only a task, a message, a profile, a review, a question or an answer can be reported",
"report.reason_too_short": "Please say what is wrong in at least 10 characters",
"report.reason_too_long": "Reason too long (max 1000 characters)", "report.subject_gone": "This is no longer there",
"report.own": "This is your own", "report.not_found": "Report not found", "report.decision_required": "A decision is required",
"report.already_hidden": "This is hidden already", "report.already_dismissed": "This is dismissed already",
"report.already_reported": "You have already reported this",
"report.daily_limit": "You have reported 10 things within a day. Please try again tomorrow.",
"audit_log.append_only": "The audit log is append-only",
"data_export.daily_limit": "You can request your data once a day. Please try again tomorrow.",
"data_export.failed": "The export could not be put together",
"service.database_unavailable": "The database cannot be reached just now; try again in a moment",
"change.not_found": "Change of the price not found", "change.kind_invalid": "A proposal is an increase, a decrease or an expense",
"change.not_tasker": "Only the tasker can ask for more or add an expense",
"change.not_under_way": "The price can change only while the work is paid and under way",
"change.one_at_a_time": "Another proposal of this kind is still open",
"change.too_many": "A booking can have at most {{max}} changes of its price",
"change.no_expense_limit": "The task giver sets a limit for expenses first",
"change.amount_too_low": "The amount must be at least {{min, price}}",
"change.amount_too_high": "The amount can be at most {{max, price}} here",
"change.amount_too_precise": "An amount can have two decimals at most", "change.reason_required": "Give a reason",
"change.reason_too_long": "Reason too long (max {{max}} characters)", "change.receipt_required": "Add a photo of the receipt",
"change.own": "Only the other side can answer a proposal", "change.answer_required": "Accept or decline: accept must be true or false",
"change.not_open": "This change of the price is not open any more", "change.lapsed": "The time for this change of the price is over",
"change.amount_differs": "This change is {{price, price}}. Please look at it again.",
"change.not_own": "Only the person who proposed it can withdraw it", "change.already_paid": "This change is already paid",
"change.limit_not_giver": "Only the task giver can set a limit for expenses",
"change.limit_too_low": "The limit must be at least {{min, price}}",
"change.limit_lowered": "A limit for expenses can be raised, not lowered. It is now {{limit, price}}.",
"change.tip_not_giver": "Only the task giver can give a tip", "change.tip_too_early": "A tip can be given after the payment was released",
"change.tip_too_late": "A tip can be given within {{days}} days of the release",
"change.too_many_tips": "A booking can have at most {{max}} tips", "change.person_left": "This person has deleted their account",
"payment.follows_booking": "An extra payment is released with the payment of its booking",
"complaint.extras_undecided": "Decide whether the extra payments go back, too"
}$json$::jsonb
$$;

create or replace function public.set_expense_limit(booking_id uuid, amount numeric) returns void
language plpgsql security definer set search_path = '' as $$
declare
  booking public.bookings;
  lowest constant numeric := private.rule('limits.change.min');
  highest constant numeric := private.rule('limits.expenses.max');
begin
  booking := private.lock_own_booking(set_expense_limit.booking_id);
  perform private.require(booking.id is not null, 'booking.not_found', 'booking_id');
  perform private.require_active_account();
  perform private.allow(auth.uid() = booking.task_giver_id, 'change.limit_not_giver');
  perform private.require(booking.status in ('accepted', 'in_progress'), 'change.not_under_way', 'booking_id');
  if booking.expense_limit is not distinct from amount then
    return;
  end if;
  perform private.require(coalesce(amount, 0) >= coalesce(booking.expense_limit, 0), 'change.limit_lowered', 'amount',
    jsonb_build_object('limit', booking.expense_limit));
  perform private.require(amount >= lowest, 'change.limit_too_low', 'amount', jsonb_build_object('min', lowest));
  perform private.require(amount <= highest, 'change.amount_too_high', 'amount', jsonb_build_object('max', highest));
  perform private.require(amount = round(amount, 2), 'change.amount_too_precise', 'amount');
  update public.bookings set expense_limit = amount where id = booking.id;
  perform private.notify_person(booking.task_doer_id, 'expense_limit_set', jsonb_build_object('amount', round(amount, 2),
    'person', private.named(booking.task_giver_id), 'task', private.task_title(booking.id)), private.booking_link(booking.id));
end $$;

-- The events of notifications and e-mails: the English texts, kind and topic of each.

create table private.notification_texts (
  key text primary key,
  title text not null,
  message text not null,
  kind public.notification_kind not null default 'bookings' references private.notification_kinds (kind),
  subject text,
  button text not null default 'Open Meadowlark',
  amounts text check (amounts in ('total', 'payout', 'refund')),
  by_email boolean not null default true,
  part text,
  topic text
);
alter table private.notification_texts enable row level security;

comment on table private.notification_texts is 'The events of notifications and e-mails, with their English texts (ADR 0035)';
comment on column private.notification_texts.key is 'Name of the event, also of its translations in shared/texts';
comment on column private.notification_texts.title is 'With {parameters}, like message, subject and button';
comment on column private.notification_texts.message is 'The text below the title';
comment on column private.notification_texts.kind is 'The kind that people choose to receive or turn off';
comment on column private.notification_texts.subject is 'The e-mail''s subject; null for the title and the task';
comment on column private.notification_texts.button is 'Label of the e-mail''s button';
comment on column private.notification_texts.amounts is
  'Which amounts an e-mail lists: total (the giver pays), payout (the tasker receives) or refund; null for none';
comment on column private.notification_texts.by_email is
  'Whether the event is e-mailed; messages are mailed separately, once they have been unread for a while';
comment on column private.notification_texts.part is
  'Part of the booking that the link opens (next, answer), as in web/lib/paths.ts; null for the whole';
comment on column private.notification_texts.topic is
  'Unread events of one topic about the same task and tasker replace each other; null: each event is a notification';

create index notification_texts_of_kind on private.notification_texts (kind);

insert into private.notification_texts (key, kind, title, message, subject, button, amounts, by_email, part, topic) values
  ('application_accepted', 'applications', 'Application accepted', '{person} accepted your application for "{task}".', '{person} accepted your application for "{task}"', 'Open the booking', null, true, null, 'answer'),
  ('application_declined', 'applications', 'Application declined', 'Your application for "{task}" was not chosen.', 'Your application for "{task}" was not chosen', 'See your bookings', null, true, null, 'answer'),
  ('application_expired', 'applications', 'Application closed', 'Your application for "{task}" was not answered in time.', 'Your application for "{task}" was not answered', 'See your bookings', null, true, null, null),
  ('application_received', 'applications', 'New application', '{person} applied to "{task}".', '{person} applied to "{task}"', 'See the application', null, true, null, 'application'),
  ('application_received_unverified', 'applications', 'New application', '{person} applied to "{task}". {person} is not verified yet.', '{person} applied to "{task}"', 'See the application', null, true, null, 'application'),
  ('application_withdrawn', 'applications', 'Application withdrawn', '{person} withdrew the application for "{task}".', '{person} withdrew the application for "{task}"', 'See your bookings', null, true, null, 'application'),
  ('asked_task_changed', 'applications', 'A task was changed', '{person} changed "{task}", which you are asked to do: {changes}.', '"{task}" was changed', 'See the task', null, true, null, 'request'),
  ('decline_undone', 'applications', 'Application open again', 'Your application for "{task}" is being considered again.', 'Your application for "{task}" is open again', 'See your bookings', null, true, null, 'answer'),
  ('request_declined', 'applications', 'Your task is open to everyone', '{person} cannot do "{task}". Every tasker sees it now.', '{person} cannot do "{task}"', 'See the task', null, true, null, null),
  ('request_expired', 'applications', 'Your task is open to everyone', '{person} did not answer in time. Every tasker sees "{task}" now.', '{person} did not answer about "{task}"', 'See the task', null, true, null, null),
  ('request_withdrawn', 'applications', 'Task withdrawn', '{person} withdrew "{task}", which you were asked to do.', '"{task}" was withdrawn', 'Open your dashboard', null, true, null, 'request'),
  ('task_asked', 'applications', 'You are asked first', '{person} asks you to do "{task}". Nobody else sees it until you answer or the time is over.', '{person} asks you to do "{task}"', 'See the task', null, true, null, 'request'),
  ('task_changed', 'applications', 'A task was changed', '{person} changed "{task}": {changes}. If that does not suit you, you can withdraw your application.', '"{task}" was changed', 'See the task', null, true, null, 'change'),
  ('task_withdrawn', 'applications', 'Task withdrawn', '"{task}" was withdrawn, so your application has ended.', '"{task}" was withdrawn', 'See your bookings', null, true, null, null),
  ('booking_cancelled', 'bookings', 'Booking cancelled', '{person} cancelled the booking for "{task}".', '{person} cancelled the booking for "{task}"', 'Open the booking', null, true, null, 'cancellation'),
  ('booking_expired', 'bookings', 'Booking closed', 'The booking for "{task}" was closed, because it was not paid in time.', 'The booking for "{task}" was closed: it was not paid in time', 'Open the booking', null, true, null, null),
  ('task_expired', 'bookings', 'Task closed', 'Nobody was chosen for "{task}" in time, so it was closed. You can post it again.', '"{task}" was closed: nobody was chosen in time', 'Open your dashboard', null, true, null, null),
  ('task_started', 'bookings', 'Task started', '"{task}" is paid into escrow. You can start the work.', '"{task}" is paid into escrow: you can start', 'Open the booking', null, true, null, null),
  ('work_reminder', 'bookings', 'Work coming up', '"{task}" with {person} is on {when}, Saskatchewan time.', 'Coming up: "{task}" on {when}', 'Open the booking', null, true, null, null),
  ('booking_cancelled_refund', 'payments', 'Booking cancelled', '{person} cancelled the booking for "{task}". Fee ${fee}, refund ${refund}.', '"{task}" was cancelled: ${refund} goes back to you', 'Open the booking', 'refund', true, null, null),
  ('booking_cancelled_share', 'payments', 'Booking cancelled', '{person} cancelled the booking for "{task}". Your share of the cancellation fee is ${share}.', '"{task}" was cancelled: your share of the fee is ${share}', 'Open the booking', 'payout', true, null, null),
  ('chargeback_lost', 'payments', 'Payment taken back', 'The bank of the card holder took back the payment for "{task}".', 'The payment for "{task}" was taken back by the bank', 'Open the booking', null, true, null, null),
  ('chargeback_opened', 'payments', 'Payment disputed', 'The bank of the card holder is looking into the payment for "{task}". The money is frozen: until the bank has decided, nobody can release, refund or split it. Work that is not done yet can wait; we tell both of you what the bank decides.', 'The payment for "{task}" is disputed and frozen', 'Open the booking', null, true, null, null),
  ('chargeback_won', 'payments', 'Payment held again', 'The bank has decided: the payment for "{task}" is held in escrow again.', 'The payment for "{task}" is held in escrow again', 'Open the booking', null, true, null, null),
  ('confirm_reminder', 'payments', 'Please confirm', '"{task}" was marked complete. Please confirm, or tell us what is wrong. After 7 days the payment is released.', 'Please confirm "{task}", or tell us what is wrong', 'Confirm or complain', null, true, 'next', null),
  ('confirmed_by_time', 'payments', 'Payment released', 'The payment for "{task}" was released, 7 days after completion.', 'The payment for "{task}" was released', 'Open the booking', 'total', true, null, null),
  ('loss_decided', 'payments', 'The payment was decided', 'An administrator has decided what becomes of the payment for "{task}".', 'The payment for "{task}" was decided', 'Open the booking', null, true, null, null),
  ('marked_complete_on_hold', 'payments', 'Task marked complete', '{person} marked "{task}" complete. The payment is frozen, so there is nothing to confirm yet; we tell you when it is decided what happens to it.', '"{task}" is marked complete; the payment is frozen', 'Open the booking', null, true, null, null),
  ('pay_reminder', 'payments', 'Payment due', 'Pay ${amount} for "{task}" by {when}, Saskatchewan time. Otherwise the booking with {person} is closed.', 'Please pay for "{task}" by {when}', 'Pay', null, true, 'next', null),
  ('payment_held', 'payments', 'Payment secured', 'The payment of ${amount} for "{task}" is held in escrow.', 'You paid ${amount} for "{task}": it is held in escrow', 'Open the booking', 'total', true, null, null),
  ('payment_lost_in_part', 'payments', 'Payment on hold', 'A part of the payment for "{task}" was taken back. The rest is frozen until an administrator has decided.', 'The payment for "{task}" is on hold', 'Open the booking', null, true, null, null),
  ('payment_released', 'payments', 'Payment released', '{person} released ${amount} for "{task}".', '{person} released ${amount} to you for "{task}"', 'Open the booking', 'payout', true, null, null),
  ('payment_released_by_time', 'payments', 'Payment released', '${amount} for "{task}" was released, 7 days after completion.', '${amount} was released to you for "{task}"', 'Open the booking', 'payout', true, null, null),
  ('payment_sent_back', 'payments', 'Payment sent back', 'The whole payment for "{task}" was sent back to the card.', 'The payment for "{task}" was sent back to the card', 'Open the booking', null, true, null, null),
  ('payout_failed', 'payments', 'Payout failed', 'The payout of ${amount} for "{task}" did not go through. {reason}', 'The payout of ${amount} for "{task}" did not go through', 'See your payouts', 'payout', true, null, null),
  ('payout_given_up', 'payments', 'Payout delayed', 'The payout of ${amount} for "{task}" still has not gone through, and is not tried by itself any more. {reason}', 'The payout of ${amount} for "{task}" takes longer', 'See your payouts', 'payout', true, null, null),
  ('payout_returned', 'payments', 'Your bank sent a payout back', '${amount} came back: {reason} Please update your bank details.', 'Your bank sent ${amount} back', 'Update your bank details', null, true, null, null),
  ('payout_sent', 'payments', 'Payout sent', '${amount} for "{task}" is on its way to your bank account.', 'You were paid out ${amount} for "{task}"', 'See your payouts', 'payout', true, null, null),
  ('payout_waiting', 'payments', 'Set up your payout account', '${amount} for "{task}" is waiting. Add your bank details to receive it.', '${amount} for "{task}" waits for your bank details', 'Add your bank details', 'payout', true, null, null),
  ('refund_failed', 'payments', 'Refund delayed', 'Your refund of ${amount} for "{task}" has not gone through yet. {reason}', 'Your refund of ${amount} for "{task}" is delayed', 'Open the booking', 'refund', true, null, null),
  ('refund_given_up', 'payments', 'Refund delayed', 'Your refund of ${amount} for "{task}" still has not gone through. It is not tried by itself any more: an administrator sends it, and we tell you when it is sent. If you have a question, write to us.', 'Your refund of ${amount} for "{task}" takes longer', 'Open the booking', 'refund', true, null, null),
  ('refund_returned', 'payments', 'Refund came back', 'Your refund of ${amount} for "{task}" did not reach your card and came back to us. An administrator looks for another way to send it, and we tell you when it is sent. If you have a question, write to us.', 'Your refund of ${amount} for "{task}" came back to us', 'Open the booking', 'refund', true, null, null),
  ('refund_sent', 'payments', 'Refund sent', 'Your refund of ${amount} for "{task}" takes 5 to 10 business days.', 'Your refund of ${amount} for "{task}" is on its way', 'Open the booking', 'refund', true, null, null),
  ('refund_spared', 'payments', 'Refund already with you', '${amount} of your refund for "{task}" went back to your card already, through your bank or the payment provider. We do not send it once more.', 'Your refund of ${amount} for "{task}" is with you already', 'Open the booking', 'refund', true, null, null),
  ('task_marked_complete', 'payments', 'Task marked complete', '{person} marked "{task}" complete. Please confirm and release the payment.', 'Please confirm: "{task}" is marked complete', 'Confirm or complain', null, true, 'next', null),
  ('task_marked_complete_early', 'payments', 'Is the work already done?', '{person} marked "{task}" complete, which was agreed for {when}, Saskatchewan time. Release the payment only once you have seen the work.', 'Is "{task}" already done?', 'Confirm or complain', null, true, 'next', null),
  ('complaint_answered', 'complaints', 'Your complaint was answered', '{person} answered your complaint about "{task}".', '{person} answered your complaint about "{task}"', 'Read the answer', null, true, null, null),
  ('complaint_decided_giver', 'complaints', 'Your complaint was decided', 'For "{task}", ${refund} goes back to you.', 'Your complaint about "{task}" was decided: ${refund} goes back to you', 'See the decision', 'refund', true, null, null),
  ('complaint_decided_tasker', 'complaints', 'A complaint was decided', 'For "{task}", ${share} goes to you.', 'The complaint about "{task}" was decided: ${share} goes to you', 'See the decision', 'payout', true, null, null),
  ('complaint_opened', 'complaints', 'A complaint was opened', '{person} says that something is wrong with "{task}". The payment is frozen until it is decided; you can answer.', '{person} complains about "{task}": please answer within 48 hours', 'Answer the complaint', null, true, 'answer', null),
  ('complaint_split_giver', 'complaints', 'Your complaint was decided: a split', 'The payment for "{task}" is split: {person} gets ${share}, and ${refund} goes back to you.', 'The payment for "{task}" is split: ${refund} goes back to you', 'See the decision', 'refund', true, null, null),
  ('complaint_split_tasker', 'complaints', 'A complaint was decided: a split', 'The payment for "{task}" is split: ${share} goes to you, and {person} gets ${refund} back.', 'The payment for "{task}" is split: ${share} goes to you', 'See the decision', 'payout', true, null, null),
  ('report_handled', 'complaints', 'Your report was looked at', 'An administrator has looked at the {what} that you reported and {outcome}. Thank you for telling us.', 'Your report was looked at', 'Open Meadowlark', null, true, null, null),
  ('message_received', 'messages', 'New message', '{person}: {text}', '{person} wrote to you about "{task}"', 'Read and answer', null, false, null, null),
  ('review_asked', 'reviews', 'How did it go?', 'Please review {person} for "{task}". Your review is shown once both of you have written, or after 14 days.', 'How did it go with {person}?', 'Write your review', null, true, null, null),
  ('review_received', 'reviews', 'New review', '{person} reviewed you for "{task}".', '{person} reviewed you for "{task}"', 'Read the review', null, true, null, null),
  ('badge_removed', 'verification', 'Verified badge removed', 'An administrator removed the verified badge from your profile.', 'Your verified badge was removed', 'Open your profile', null, true, null, null),
  ('name_under_review', 'verification', 'Verified badge under review', 'You changed your name from "{before}" to "{name}". The verified badge is off until an administrator has looked at it.', 'Your verified badge is under review', 'Open your profile', null, true, null, null),
  ('verification_approved', 'verification', 'You are verified', 'Your verification was approved.', 'You are verified', 'Open your dashboard', null, true, null, null),
  ('verification_refused', 'verification', 'Verification refused', 'Your verification was refused: {reason}', 'Your verification was refused', 'Correct and hand in again', null, true, null, null),
  ('verification_submitted', 'verification', 'Verification submitted', 'Your verification is under review. We will tell you what is decided.', 'Your verification is under review', 'Open your dashboard', null, true, null, null),
  ('verification_withdrawn', 'verification', 'Verification taken back', 'You are no longer verified: {reason} You can correct it and hand in again.', 'You are no longer verified', 'Correct and hand in again', null, true, null, null),
  ('account_suspended', 'account', 'Your account is suspended', 'You cannot post tasks, apply, hire or write messages until an administrator lifts it. You can sign in and finish what is under way. The reason: {reason}', 'Your Meadowlark account is suspended', 'Open Meadowlark', null, true, null, null),
  ('content_hidden', 'account', 'Your {what} is hidden', 'Somebody reported it, and an administrator has hidden it from others: {reason}', 'Your {what} is hidden', 'Open Meadowlark', null, true, null, null),
  ('content_shown', 'account', 'Your {what} is shown again', 'An administrator has looked at it once more and shows it again.', 'Your {what} is shown again', 'Open Meadowlark', null, true, null, null),
  ('data_export_failed', 'account', 'Your data export did not work', 'We could not put your data together. You can request it again now.', 'Your data export did not work', 'Try again', null, true, null, null),
  ('data_export_ready', 'account', 'Your data is ready', 'Everything that Meadowlark keeps about you can be downloaded for {days} days. If you did not ask for it, change your password.', 'Your data is ready to download', 'Download your data', null, true, null, null),
  ('emails_resumed', 'account', 'We are emailing you again', 'This is the first email to this address since we stopped. If you can read it, everything works.', 'We are emailing you again', 'Open your settings', null, true, null, null),
  ('emails_stopped', 'account', 'We stopped emailing you', 'Emails to {address} came back, or one was marked as spam. Your notification settings say more, and let you have emails sent again.', null, 'Open your settings', null, false, null, null),
  ('factors_removed', 'account', 'Two-step verification is off', 'We took the second factors of your account away and signed you out everywhere. If you did not ask us to, change your password at once and write to us.', 'Two-step verification was turned off for your account', 'Check your security settings', null, true, null, null),
  ('recovery_code_used', 'account', 'Two-step verification is off', 'A recovery code was used to sign in to your account, and took your second factors away. If it was not you, change your password at once.', 'A recovery code was used on your account', 'Check your security settings', null, true, null, null),
  ('first_recovery_codes_made', 'account', 'New recovery codes', 'Ten new recovery codes were made for your account. If it was not you, change your password at once.', 'New recovery codes were made for your account', 'Check your security settings', null, true, null, null),
  ('recovery_codes_made', 'account', 'New recovery codes', 'Ten new recovery codes were made for your account, and older ones no longer work. If it was not you, change your password at once.', 'New recovery codes were made for your account', 'Check your security settings', null, true, null, null),
  ('role_changed', 'account', 'Your role has changed', 'An administrator has made you a {role}.', 'Your role at Meadowlark has changed', 'Open your dashboard', null, true, null, null),
  ('suspension_lifted', 'account', 'Your account is open again', 'An administrator has lifted the suspension. Everything works as before.', 'Your Meadowlark account is open again', 'Open Meadowlark', null, true, null, null),
  ('chargeback_ended_lost', 'admin', 'A chargeback was lost', 'The bank of the card holder keeps ${amount} for "{task}".', 'A chargeback was lost: ${amount} for "{task}"', 'Open chargebacks', null, true, null, null),
  ('chargeback_ended_won', 'admin', 'A chargeback was won', 'The chargeback of ${amount} for "{task}" ended in our favour.', 'A chargeback was won: ${amount} for "{task}"', 'Open chargebacks', null, true, null, null),
  ('chargeback_inquiry', 'admin', 'A question from a bank', 'The bank of the card holder asks about ${amount} for "{task}". No money has moved. Answer it at the payment provider, or it may become a chargeback.', 'A bank asks about ${amount} for "{task}"', 'Open chargebacks', null, true, null, null),
  ('chargeback_inquiry_closed', 'admin', 'A question from a bank is closed', 'The bank of the card holder asks no more about ${amount} for "{task}". No money has moved.', 'A bank asks no more about ${amount} for "{task}"', 'Open chargebacks', null, true, null, null),
  ('chargeback_to_answer', 'admin', 'A chargeback to answer', 'The bank of the card holder took back ${amount} for "{task}". Send the evidence to the payment provider.', 'A chargeback to answer: ${amount} for "{task}"', 'Open chargebacks', null, true, null, null),
  ('complaint_to_decide', 'admin', 'A complaint to decide', '{person} complains about "{task}".', 'A complaint to decide: "{task}"', 'Open the complaint', null, true, null, null),
  ('content_reported', 'admin', 'A report to decide', '{person} reported a {what}: {reason}', 'A report to decide: a {what}', 'Open the report', null, true, null, null),
  ('email_undeliverable', 'admin', 'An e-mail could not be delivered', 'An e-mail to {person} was given up: {reason}', null, 'Open Meadowlark', null, false, null, null),
  ('loss_to_decide', 'admin', 'A payment to decide', '${lost} of ${total} for "{task}" went back to the card holder for good. Decide what becomes of the rest.', 'A payment to decide: ${lost} of ${total} for "{task}" went back', 'Decide', null, true, null, null),
  ('money_came_back', 'admin', 'Money came back', '${amount} for "{task}" came back after the payment was settled. Decide at the payment provider whose it is.', '${amount} for "{task}" came back after it was settled', 'Open chargebacks', null, true, null, null),
  ('transfer_failed', 'admin', 'Money could not be sent', 'The {transfer} of ${amount} for "{task}" did not go through.', 'The {transfer} of ${amount} for "{task}" did not go through', 'Open the back office', null, true, null, null),
  ('verification_waiting', 'admin', 'Verification to review', '{person} handed in a verification.', 'A verification to review: {person}', 'Review it', null, true, null, null),
  ('verified_name_changed', 'admin', 'A verified person changed their name', '"{before}" is now called "{name}" and no longer verified. Please compare the name with the ID.', 'A verified person changed their name: {name}', 'Compare the name', null, true, null, null),
  ('verified_photo_changed', 'admin', 'A verified person changed their photo', '{person} has another profile photo now.', 'A verified person changed their photo: {person}', 'Look at it', null, true, null, null);

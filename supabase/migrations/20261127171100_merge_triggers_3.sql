-- Replaces the triggers of each table by one function for each moment, composed of the steps, and gives policies plain names (3 of 3).
set check_function_bodies = off;

grant execute on function private.tidy_task_address(public.task_addresses) to authenticated;
grant execute on function private.tidy_task_address(public.task_addresses) to service_role;
grant execute on function private.tidy_verification(public.verifications) to authenticated;
grant execute on function private.tidy_verification(public.verifications) to service_role;
grant execute on function private.time_zone() to anon;
grant execute on function private.time_zone() to authenticated;
grant execute on function private.time_zone() to service_role;
grant execute on function private.touch_task(public.tasks) to authenticated;
grant execute on function private.touch_task(public.tasks) to service_role;

comment on column private.email_events.params is 'Values for the {{parameters}} of the texts; amounts are dollars';
comment on column private.figures.starts_on is 'First day of the week (Monday) or month by the marketplace''s clock';
comment on column private.issuer.gst_number is 'Registration number of the sales tax, as the Canada Revenue Agency assigns it: nine digits, RT, four digits; left out while it is null';
comment on column private.notification_texts.title is 'With {{parameters}}, like message, subject and button';
comment on column private.profiles.email is 'The account''s address, copied by private.sync_profile_email; null for accounts without one';
comment on column private.profiles.hourly_rate is 'Dollars an hour, rounded to cents; null if not given';
comment on column private.push_messages.params is 'Values for the {{parameters}} of the texts; amounts are dollars';
comment on column public.bookings.task_giver_id is 'The task''s giver, copied from the task so that policies need no join';
comment on column public.ledger_entries.amount is 'Dollars; debits are positive';
comment on column public.notifications.params is 'Values for the {{parameters}} of the texts; amounts are dollars';
comment on column public.payments.currency is 'In capitals, such as CAD; the marketplace has one';
comment on column public.payments.gst is 'Dollars of sales tax that the giver pays on top of amount, from private.fees';
comment on column public.quiet_hours.ends is 'By the marketplace''s clock; before starts if the hours span midnight';
comment on column public.quiet_hours.starts is 'By the marketplace''s clock';
comment on column public.reviews.reviewee_id is 'The other party of the booking, set from the booking';
comment on column public.reviews.task_id is 'The booking''s task, set from the booking';
comment on column public.tasks.pay_amount is 'Dollars before fees, rounded to cents';
comment on column public.verifications.age_verified is 'Always true, because younger people are refused';
comment on column public.verifications.date_of_birth is 'At least 18 years ago by the marketplace''s calendar';
comment on function private.rules() is 'The limits and lists of the product''s rules, as shared/rules.ts has them';
comment on table private.issuer is 'The company that receipts and statements name, if an installation differs from marketplace.config.ts; one row';
comment on table private.public_figures is 'Figures of the marketing pages, shown when marketplace.config.ts says counted; one row, counted once a day';

-- Existing texts in the new syntax, with the marketplace's clock as a value.
update private.notification_texts set
  title = regexp_replace(regexp_replace(title, '\$\{(\w+)\}', '{{\1, money}}', 'g'), '\{(\w+)\}', '{{\1}}', 'g'),
  message = replace(regexp_replace(regexp_replace(message, '\$\{(\w+)\}', '{{\1, money}}', 'g'), '\{(\w+)\}', '{{\1}}', 'g'),
    'Saskatchewan time', '{{clock}}'),
  subject = regexp_replace(regexp_replace(subject, '\$\{(\w+)\}', '{{\1, money}}', 'g'), '\{(\w+)\}', '{{\1}}', 'g');

-- The limits and lists of the product's rules, each defined once, and the fees calculated from marketplace.config.ts. SQL reads
-- them with private.rule(); `npm run types:database` writes them to shared/rules.ts for forms and edge functions. Lengths are in
-- characters, files in bytes, durations in the unit of their name.

create function private.rules() returns json language sql immutable set search_path = '' as $$ select json '{
  "recommendation": {"preferredCategory": 10, "skill": 5},
  "categories": ["Snow Removal", "Cleaning", "Moving", "Delivery", "Handyman", "Gardening", "Pet Care", "Other"],
  "languages": ["en", "es", "fr", "de", "hi", "zh", "ru", "ar", "pt", "id"],
  "phonePattern": "^\\+?[1-9][0-9]{1,14}$",
  "limits": {
    "name": {"min": 2, "max": 100},
    "email": {"max": 255},
    "password": {"min": 8},
    "phone": {"max": 50},
    "city": {"max": 100},
    "bio": {"max": 2000},
    "avatarAddress": {"max": 2000},
    "photoFile": {"max": 20971520, "side": 512},
    "photos": {"count": 5},
    "skills": {"count": 50, "length": 60},
    "experienceYears": {"max": 80},
    "hourlyRate": {"max": 100000},
    "title": {"min": 5, "max": 200},
    "description": {"min": 20, "max": 5000},
    "location": {"min": 3, "max": 200},
    "address": {"min": 3, "max": 300},
    "toolsDescription": {"max": 1000},
    "durationMinutes": {"min": 1, "max": 10080},
    "calendars": {"count": 3, "name": 60, "address": 2000},
    "radiusKm": {"min": 5, "max": 200},
    "applicationMessage": {"max": 1000},
    "offer": {"options": 3, "hours": 72, "counterHours": 48, "moreHours": 24, "daysAhead": 365},
    "offerReason": {"max": 500},
    "counterMessage": {"max": 500},
    "timeProposal": {"hours": 48, "daysAhead": 365, "message": 500},
    "arrival": {"hoursBefore": 12, "arrivalHoursBefore": 2, "windowMinutes": 120, "graceMinutes": 15},
    "noShow": {"taskerAfterMinutes": 30, "giverAfterMinutes": 15, "answerHours": 12},
    "change": {"min": 1, "reason": 500, "hours": 48, "perBooking": 30},
    "expenses": {"max": 5000},
    "tip": {"max": 500, "days": 14, "count": 3},
    "repeat": {"visits": 52, "days": 366, "snowCm": 100},
    "applicationTexts": {"count": 20, "title": 60},
    "question": {"max": 500, "perTask": 5, "changeMinutes": 10},
    "chatMessage": {"max": 1000},
    "completionNotes": {"max": 2000},
    "cancellationReason": {"max": 1000},
    "reviewStars": {"min": 1, "max": 5},
    "reviewComment": {"max": 2000},
    "reviewDays": 14,
    "complaint": {"min": 10, "max": 2000, "hours": 24, "answerHours": 48},
    "decisionReason": {"max": 2000},
    "releaseAfterDays": 7,
    "minimumAge": 18,
    "identityDocument": {"max": 10485760, "count": 4},
    "insuranceProvider": {"max": 200},
    "insurancePolicyNumber": {"max": 100},
    "verificationSkills": {"count": 50, "length": 100},
    "taxInformationAbove": 500,
    "savedSearches": 20,
    "alertsPerDay": 10,
    "bankAccount": {"institution": 3, "transit": 5, "account": {"max": 12}}
  }
}' $$;

-- A number of the rules by its path, such as 'limits.title.min'. Raises an error if there is none.
create function private.rule(path text) returns integer
language plpgsql immutable set search_path = '' as $$
declare
  rules constant jsonb := private.rules()::jsonb;
  value constant integer := rules #>> string_to_array(path, '.');
begin
  if value is null then
    raise exception 'There is no rule %', path;
  end if;
  return value;
end $$;

-- A number of the marketplace's values by its path, such as 'tax.percent'. Raises an error if there is none.
create function private.marketplace_number(path text) returns numeric
language plpgsql immutable set search_path = '' as $$
declare
  value constant numeric := private.marketplace() #>> string_to_array(path, '.');
begin
  if value is null then
    raise exception 'The marketplace has no number %', path;
  end if;
  return value;
end $$;

-- A list of the rules by its name, such as 'categories'.
create function private.rule_list(name text) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return array(select json_array_elements_text(private.rules() -> name));
end $$;

create function private.categories() returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return private.rule_list('categories');
end $$;

create function private.languages() returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return private.rule_list('languages');
end $$;

-- Whether the text is a phone number: an optional plus, a first digit from 1 to 9, 2 to 15 digits in all.
create function private.is_phone(phone text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return phone ~ (private.rules() ->> 'phonePattern');
end $$;

-- The fees in dollars, each rounded to the cent. The giver pays both on top of the amount, the tasker receives the amount less
-- both. shared/fees.ts computes the same in cents; tests/database/fees.test.ts checks that the two agree.
create function private.fees(amount numeric)
returns table (platform_fee numeric, gst numeric, total numeric, payout_amount numeric)
language sql immutable set search_path = '' as $$
  select fee, tax, amount + fee + tax, amount - fee - tax
  from (select round(amount * private.marketplace_number('fees.platformPercent') / 100, 2) as fee,
    round(amount * private.marketplace_number('tax.percent') / 100, 2) as tax) as parts
$$;

-- The share of the amount that a giver pays for a cancellation, in dollars, by the time left; null if no share applies.
create function private.cancellation_share(amount numeric, scheduled timestamptz, at timestamptz)
returns numeric language sql immutable set search_path = '' as $$
  select round(amount * percent / 100, 2)
  from jsonb_to_recordset(private.marketplace() #> '{fees,cancellation}') as step ("underHours" numeric, percent numeric)
  where scheduled - at < "underHours" * interval '1 hour' order by "underHours" limit 1
$$;

-- The fee of a giver who cancels a paid booking, in dollars: a share of the amount that depends on the time left.
-- Otherwise (also if no time is set) it is a flat fee. It is never more than was paid.
create function private.cancellation_fee(amount numeric, paid numeric, scheduled timestamptz, at timestamptz)
returns numeric language sql immutable set search_path = '' as $$
  select least(paid, coalesce(
    private.cancellation_share(amount, scheduled, at),
    round(private.marketplace_number('fees.cancellationFlatCents') / 100, 2)))
$$;

comment on function private.rules() is 'The limits and lists of the product''s rules, as shared/rules.ts has them';

grant execute on function
  private.rule(text), private.marketplace_number(text), private.rule_list(text), private.categories(), private.languages(),
  private.is_phone(text), private.rules()
to anon, authenticated, service_role;

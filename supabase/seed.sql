-- The demo: Saskatchewan people, their open tasks, and bookings in every state for Grace and Theo.
-- Runs once, in one transaction, on a new database. Each life is played by the people it is about, signed in, through
-- the calls of the app, and then moved into the past as a whole: what depends on time (a cancellation fee, say) is decided
-- at the distance from the task's time at which it is shown. Ids of people and tasks come from their names.

-- People ------------------------------------------------------------------------------------------------

create temp table demo_people (
  name text, email text, role text, city text, joined_days int, phone text, bio text,
  skills text[], categories text[], years int, rate numeric, id uuid
) on commit drop;

insert into demo_people values
  ('Grace M.', 'grace@example.com', 'task_giver', 'Saskatoon', 240, '+13065550101',
   'Two kids, one driveway and never enough Saturdays. Nutana, near the river.', '{}', '{}', null, null,
   '00000000-0000-4000-8000-00000000000a'),
  ('Theo K.', 'theo@example.com', 'task_doer', 'Saskatoon', 310, '+13065550102',
   'Carpenter by trade, happiest outside. I bring my own tools, a half-ton and a thermos, and I text before I come.',
   '{Carpentry,Snow removal,Drywall,Hauling,Furniture assembly}', '{Handyman,Snow Removal,Moving}', 9, 42,
   '00000000-0000-4000-8000-00000000000b'),
  ('Ada W.', 'ada@example.com', 'task_giver', 'Regina', 400, '+13065550103', 'Looks after Meadowlark.',
   '{}', '{}', null, null, '00000000-0000-4000-8000-00000000000c'),
  ('Sam P.', 'sam@example.com', 'task_giver', 'Regina', 12, null, null, '{}', '{}', null, null,
   '00000000-0000-4000-8000-00000000000d'),
  -- taskers
  ('Marta L.', 'marta@example.com', 'task_doer', 'Saskatoon', 280, '+13065550111',
   'Move-out cleans, ovens, windows: the jobs nobody wants. Fifteen years with a mop and still fussy about corners.',
   '{Deep cleaning,Windows,Laundry,Organizing}', '{Cleaning}', 15, 38, null),
  ('Dwayne B.', 'dwayne@example.com', 'task_doer', 'Regina', 265, '+13065550112',
   'Snowblower, skid steer, salt. Driveways in Lakeview and Harbour Landing done before you leave for work.',
   '{Snow removal,Skid steer,Lawn care,Eavestroughs}', '{Snow Removal,Gardening}', 11, 45, null),
  ('Priya S.', 'priya@example.com', 'task_doer', 'Regina', 198, '+13065550113',
   'Nursing student who loves dogs more than coffee. Walks, visits and overnight stays, with photos.',
   '{Dog walking,Cat sitting,First aid,Overnight stays}', '{Pet Care}', 4, 24, null),
  ('Ole H.', 'ole@example.com', 'task_doer', 'Prince Albert', 330, '+13065550114',
   'Retired millwright. If it squeaks, leaks or will not close, I have probably fixed one like it.',
   '{Plumbing,Doors and locks,Small engines,Welding}', '{Handyman}', 35, 48, null),
  ('Chantelle R.', 'chantelle@example.com', 'task_doer', 'Moose Jaw', 150, '+13065550115',
   'Perennials, raised beds, honest pruning. I leave the yard cleaner than I found it.',
   '{Pruning,Raised beds,Lawn care,Weeding}', '{Gardening}', 8, 32, null),
  ('Bogdan T.', 'bogdan@example.com', 'task_doer', 'Saskatoon', 175, '+13065550116',
   'Cube van, straps, blankets and a second pair of hands when you need one. Pianos too.',
   '{Moving,Loading,Furniture assembly,Driving}', '{Moving,Delivery}', 6, 55, null),
  ('Lucy N.', 'lucy@example.com', 'task_doer', 'Swift Current', 122, '+13065550117',
   'Groceries, prescriptions, parcels from the depot. A small car and a good memory for gate codes.',
   '{Driving,Shopping,Parcel pickup}', '{Delivery,Other}', 3, 22, null),
  ('Emmett D.', 'emmett@example.com', 'task_doer', 'Yorkton', 205, '+13065550118',
   'Farm kid turned handyman: fences, decks, shingles, and the list on your fridge.',
   '{Fencing,Decks,Painting,Drywall}', '{Handyman,Gardening}', 12, 40, null),
  ('Nadia F.', 'nadia@example.com', 'task_doer', 'North Battleford', 96, '+13065550119',
   'Weekly cleans for busy houses. Fragrance-free products on request.',
   '{Cleaning,Ironing,Windows}', '{Cleaning}', 7, 30, null),
  ('Jesse C.', 'jesse@example.com', 'task_doer', 'Estevan', 88, '+13065550120',
   'Days off from the rigs, a pickup and a hitch. Dump runs, hauling, heavy lifting.',
   '{Hauling,Dump runs,Loading,Towing}', '{Moving,Delivery,Snow Removal}', 5, 44, null),
  ('Wren A.', 'wren@example.com', 'task_doer', 'Weyburn', 140, '+13065550121',
   'Dog walker, cat whisperer, chicken sitter. Farm animals welcome.',
   '{Dog walking,Farm animals,Cat sitting}', '{Pet Care}', 6, 21, null),
  ('Gurpreet J.', 'gurpreet@example.com', 'task_doer', 'Lloydminster', 160, '+13065550122',
   'Furniture, TV mounts, smart locks. Neat cables are a matter of honour.',
   '{Furniture assembly,TV mounting,Smart home,Electronics}', '{Handyman,Other}', 5, 39, null),
  ('Hannah V.', 'hannah@example.com', 'task_doer', 'Humboldt', 77, '+13065550123',
   'Gardens in summer, driveways in winter, bread all year.',
   '{Snow removal,Weeding,Lawn care}', '{Gardening,Snow Removal}', 4, 28, null),
  ('Tomas E.', 'tomas@example.com', 'task_doer', 'Warman', 64, '+13065550124',
   'Evenings and weekends: painting, patching, hanging and levelling.',
   '{Painting,Drywall,Picture hanging}', '{Handyman}', 10, 36, null),
  -- their neighbours, who post
  ('Ruth B.', 'ruth@example.com', 'task_giver', 'Saskatoon', 300, '+13065550131', 'Varsity View since 1988.', '{}', '{}', null, null, null),
  ('Karim D.', 'karim@example.com', 'task_giver', 'Regina', 210, '+13065550132', null, '{}', '{}', null, null, null),
  ('Joan T.', 'joan@example.com', 'task_giver', 'Prince Albert', 190, '+13065550133', null, '{}', '{}', null, null, null),
  ('Mei C.', 'mei@example.com', 'task_giver', 'Moose Jaw', 160, '+13065550134', 'Bakery on Main Street, always short of hands.', '{}', '{}', null, null, null),
  ('Pete S.', 'pete@example.com', 'task_giver', 'Swift Current', 130, '+13065550135', null, '{}', '{}', null, null, null),
  ('Ivana O.', 'ivana@example.com', 'task_giver', 'Yorkton', 145, '+13065550136', null, '{}', '{}', null, null, null),
  ('Colin F.', 'colin@example.com', 'task_giver', 'Estevan', 100, '+13065550137', null, '{}', '{}', null, null, null),
  ('Doris W.', 'doris@example.com', 'task_giver', 'Lloydminster', 170, '+13065550138', null, '{}', '{}', null, null, null);

create function pg_temp.id(kind text, name text) returns uuid language sql as $$
  select overlay(overlay(md5(kind || ' ' || name) placing '4' from 13) placing '8' from 17)::uuid
$$;
create function pg_temp.person(email_name text) returns uuid language sql as $$
  select id from demo_people where email = email_name || '@example.com'
$$;
update demo_people set id = pg_temp.id('person', email) where id is null;

insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, confirmation_token,
  recovery_token, email_change_token_new, email_change, raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
select '00000000-0000-0000-0000-000000000000', id, 'authenticated', 'authenticated', email,
  extensions.crypt('Meadowlark1', '$2a$06$' || left(md5(email), 22)),
  now() - joined_days * interval '1 day', '', '', '', '', '{"provider": "email", "providers": ["email"]}',
  jsonb_build_object('full_name', name, 'phone', phone, 'role', role, 'email', email, 'sub', id,
    'email_verified', true, 'phone_verified', false),
  now() - joined_days * interval '1 day', now() - joined_days * interval '1 day'
from demo_people order by email;

insert into auth.identities (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
select pg_temp.id('identity', email), id::text, id,
  jsonb_build_object('sub', id, 'email', email, 'full_name', name, 'email_verified', true, 'phone_verified', false),
  'email', null, now() - joined_days * interval '1 day', now() - joined_days * interval '1 day'
from demo_people order by email;

update public.profiles p set city = d.city, bio = d.bio, skills = d.skills, preferred_categories = d.categories,
  experience_years = d.years, hourly_rate = d.rate, created_at = now() - d.joined_days * interval '1 day',
  updated_at = now() - d.joined_days * interval '1 day', last_active = now() - d.joined_days * interval '7 minutes'
from demo_people d where d.id = p.id;

delete from public.user_roles where user_id = pg_temp.person('ada');
insert into public.user_roles (user_id, role) values (pg_temp.person('ada'), 'admin');

insert into public.verifications (user_id, terms_accepted, terms_accepted_at, privacy_accepted, privacy_accepted_at,
  legal_name, date_of_birth, id_type, background_check_consent, has_insurance, insurance_provider,
  insurance_policy_number, insurance_expiry_date, skills, certifications, sin_provided, created_at)
select id, true, now() - (joined_days - 1) * interval '1 day', true, now() - (joined_days - 1) * interval '1 day',
  name, (now() - (22 + coalesce(years, 0)) * interval '366 days')::date,
  (array['driver_license', 'passport', 'health_card'])[1 + years % 3], true, years >= 6,
  case when years >= 6 then 'SGI Canada' end, case when years >= 6 then 'SGI-' || right(phone, 4) end,
  case when years >= 6 then (now() + interval '200 days')::date end, skills, '{}', true,
  now() - (joined_days - 1) * interval '1 day'
from demo_people where role = 'task_doer' order by email;

update public.verifications v set verification_status = 'verified', id_verified = true,
  background_check_status = case when d.years >= 4 then 'verified' else 'pending' end,
  decided_at = now() - (d.joined_days - 3) * interval '1 day', decided_by = pg_temp.person('ada')
from demo_people d where d.id = v.user_id;

update public.profiles p set verified_by_admin = true, verified_by = pg_temp.person('ada'),
  verified_at = now() - (d.joined_days - 3) * interval '1 day', verification_notes = 'Met in person, licence checked.'
from demo_people d where d.id = p.id and d.email = 'theo@example.com';

insert into public.payout_accounts (user_id, stripe_account_id, bank_last4, account_status, account_type, created_at, updated_at)
select id, 'acct_demo_' || split_part(email, '@', 1), right(phone, 4), 'active', 'custom',
  now() - (joined_days - 4) * interval '1 day', now() - (joined_days - 4) * interval '1 day'
from demo_people where role = 'task_doer' order by email;

insert into public.payment_methods (id, user_id, stripe_payment_method_id, card_brand, card_last4, card_exp_month,
  card_exp_year, is_default)
values (pg_temp.id('card', 'grace'), pg_temp.person('grace'), 'pm_demo_grace', 'visa', '4242', 12,
  extract(year from now())::int + 3, true);

-- What was said of people above is no news to them.
update public.notifications set read = true, created_at = now() - interval '60 days';

-- Open tasks --------------------------------------------------------------------------------------------

create function pg_temp.day_at(days int, hour int) returns timestamptz language sql as $$
  select ((now() at time zone 'America/Regina')::date + days + make_interval(hours => hour)) at time zone 'America/Regina'
$$;

insert into public.tasks (id, task_giver_id, title, description, category, location, pay_amount, scheduled_date,
  duration_minutes, tools_provided, tools_description, created_at, updated_at)
select pg_temp.id('task', title), pg_temp.person(giver), title, description, category, location, pay,
  pg_temp.day_at(in_days, at_hour), minutes, tools is not null, tools,
  now() - hours_ago * interval '1 hour', now() - hours_ago * interval '1 hour'
from (values
  ('grace', 'Clear the driveway and the front walk', 'Two-car driveway in Nutana plus the walk to the side door. Plough ridge at the street too, please. Salt is by the step.', 'Snow Removal', 'Nutana, Saskatoon', 45, 1, 7, 90, 'Shovels and salt; a blower if you have one', 3),
  ('grace', 'Hang four kitchen shelves', 'Floating shelves, hardware included, on a plaster wall that does not forgive. Studs are marked. Level matters more to me than speed.', 'Handyman', 'Nutana, Saskatoon', 120, 3, 17, 120, null, 20),
  ('grace', 'Walk Biscuit at noon, all week', 'Biscuit is a nine-year-old beagle who pulls towards every bakery. Forty minutes along the river, Monday to Friday.', 'Pet Care', 'Nutana, Saskatoon', 110, 4, 12, 60, 'Leash, treats and a towel for the paws', 30),
  ('ruth', 'Shovel the steps after each snowfall this week', 'Six concrete steps and a narrow walk. I use a cane, so down to bare concrete, please. Sand is in the pail.', 'Snow Removal', 'Varsity View, Saskatoon', 60, 1, 8, 45, 'Shovel, sand', 2),
  ('karim', 'Corner lot sidewalk and double driveway', 'The city wants the sidewalk clear within 24 hours and I am away. About forty metres of sidewalk on two sides.', 'Snow Removal', 'Harbour Landing, Regina', 75, 1, 6, 120, null, 5),
  ('colin', 'Snow off a flat garage roof', 'Single garage, ladder here. It has drifted to knee height and the door is starting to complain.', 'Snow Removal', 'Estevan', 90, 2, 10, 90, 'Ladder and roof rake', 26),
  ('joan', 'Move-out clean of a one-bedroom', 'Third floor, no elevator. Oven, fridge, bathroom, inside the cupboards. Landlord inspects the next morning.', 'Cleaning', 'Midtown, Prince Albert', 180, 5, 9, 300, null, 8),
  ('mei', 'Deep clean of a small bakery kitchen', 'After closing on Sunday. Hoods, floors, racks. We supply degreaser and cinnamon buns.', 'Cleaning', 'Main Street, Moose Jaw', 260, 6, 18, 240, 'Degreaser, mops, gloves', 11),
  ('ruth', 'Wash inside windows, twelve of them', 'Older wooden frames, so gently around the glazing. Outside can wait for spring.', 'Cleaning', 'Varsity View, Saskatoon', 95, 7, 13, 150, 'Squeegee and cloths', 40),
  ('ivana', 'Weekly clean, three-bedroom bungalow', 'First visit of what I hope becomes every second Friday. Two bathrooms, one toddler, much jam.', 'Cleaning', 'Yorkton', 130, 8, 9, 180, null, 50),
  ('doris', 'Carpet shampoo in two rooms', 'Living room and hall, about forty square metres. Machine is rented and here.', 'Cleaning', 'Lloydminster', 85, 3, 14, 120, 'Rented shampooer', 15),
  ('karim', 'Two people to load a 20-foot truck', 'Ground floor to truck, boxes are packed and labelled. One upright piano, not going far.', 'Moving', 'Cathedral, Regina', 240, 9, 9, 240, 'Dollies and blankets', 6),
  ('pete', 'Sofa from the store to a second floor', 'Picked up at the furniture store, fifteen minutes away, up one turn of stairs. It fits, I measured twice.', 'Moving', 'Swift Current', 80, 4, 16, 75, null, 18),
  ('joan', 'Bring my mother''s furniture into storage', 'Bed, dresser, table and six chairs from East Hill to the storage yard. Straps needed.', 'Moving', 'East Hill, Prince Albert', 170, 11, 10, 180, null, 33),
  ('doris', 'Move a chest freezer out of the basement', 'Emptied and dry. Straight stairs, wide door, stubborn freezer.', 'Moving', 'Lloydminster', 65, 2, 18, 45, 'Appliance dolly', 9),
  ('mei', 'Bread to four cafés before eight', 'Saturday run: pick up at six, four stops in town, home before the coffee is cold. Trays come back to me.', 'Delivery', 'Moose Jaw', 70, 5, 6, 90, null, 4),
  ('pete', 'Pick up a prescription and groceries', 'One pharmacy, one list of about twenty things, paid by phone. Leave on the porch and ring.', 'Delivery', 'Swift Current', 35, 1, 15, 60, null, 1),
  ('ruth', 'Drive two boxes of books to the library sale', 'Heavy boxes, short drive to the Frances Morrison branch. They expect you at the loading door.', 'Delivery', 'Saskatoon', 40, 3, 11, 45, null, 22),
  ('colin', 'Parts run from Weyburn to Estevan', 'A pump and a box of fittings are waiting at the counter in Weyburn. Signature needed.', 'Delivery', 'Weyburn', 95, 2, 9, 120, null, 7),
  ('ivana', 'Replace two bathroom taps', 'New taps are here, shut-offs work. The old ones are corroded on, so bring patience and a basin wrench.', 'Handyman', 'Yorkton', 140, 4, 10, 120, null, 12),
  ('joan', 'Fix a storm door that will not latch', 'It bangs all night in a west wind. Closer and latch are bent; I bought both.', 'Handyman', 'Prince Albert', 75, 2, 13, 60, null, 28),
  ('karim', 'Mount a TV and hide the cables', 'Sixty-five inches on drywall with steel studs. Bracket is here, cable channel too.', 'Handyman', 'Harbour Landing, Regina', 110, 6, 18, 90, 'Bracket and screws', 16),
  ('grace', 'Assemble a bunk bed before the weekend', 'Six boxes, one allen key, two impatient children. Instructions are in Swedish but the pictures help.', 'Handyman', 'Nutana, Saskatoon', 90, 2, 18, 120, 'Drill and a set of hex keys', 10),
  ('doris', 'Patch and paint a hallway', 'A few dents from the last move and one door-knob hole. Paint is matched and here.', 'Handyman', 'Lloydminster', 220, 10, 9, 360, 'Paint, rollers, drop sheets', 44),
  ('mei', 'Build two raised beds', 'Cedar boards are cut, soil arrives Thursday. Each bed is 1.2 by 2.4 metres, against the south fence.', 'Gardening', 'Moose Jaw', 160, 7, 10, 240, 'Boards, screws, level', 21),
  ('ruth', 'Prune the old apple tree', 'It has not been touched for six years and leans on the garage. Somebody who knows where to stop, please.', 'Gardening', 'Varsity View, Saskatoon', 130, 12, 11, 150, null, 60),
  ('ivana', 'Rake and bag the last leaves', 'Big elm, medium yard, about twelve bags. City picks them up on Wednesday.', 'Gardening', 'Yorkton', 55, 2, 14, 120, 'Rakes and bags', 14),
  ('colin', 'Take down a dead spruce, four metres', 'Open lawn, nothing to hit. Cut to stove length and stacked, brush to the pile.', 'Gardening', 'Estevan', 210, 9, 12, 180, null, 37),
  ('karim', 'Cat visits while we are away', 'Two shy cats, one of whom is fed under the couch. Once a day for six days, water the fern too.', 'Pet Care', 'Harbour Landing, Regina', 150, 5, 17, 45, null, 13),
  ('pete', 'Feed hens and collect eggs for four days', 'Twelve hens, one rooster with opinions. Keep the eggs. Heat lamp must stay on.', 'Pet Care', 'Swift Current', 80, 6, 8, 45, 'Feed and gloves', 25),
  ('doris', 'Take Otto to the groomer and back', 'A very large, very calm Newfoundland. He needs a car with a flat back.', 'Pet Care', 'Lloydminster', 50, 4, 10, 120, null, 17),
  ('joan', 'Help my father with his new phone', 'Contacts, photos, video calls with the grandchildren. He writes things down, so slowly and twice.', 'Other', 'Prince Albert', 60, 3, 14, 90, null, 5),
  ('mei', 'Extra hands at the Saturday market stall', 'Set-up at seven, selling until one. You will smell of bread all day.', 'Other', 'Moose Jaw', 120, 5, 7, 360, null, 19),
  ('colin', 'Scan a shoebox of slides', 'About three hundred slides, scanner is here. Dates are on the frames, mostly.', 'Other', 'Estevan', 140, 14, 10, 300, 'Scanner and laptop', 70)
) as t (giver, title, description, category, location, pay, in_days, at_hour, minutes, tools, hours_ago)
order by title;

insert into public.task_addresses (task_id, address)
select pg_temp.id('task', title), address from (values
  ('Clear the driveway and the front walk', '1114 Temperance Street, Saskatoon; side door, left of the garage'),
  ('Hang four kitchen shelves', '1114 Temperance Street, Saskatoon'),
  ('Assemble a bunk bed before the weekend', '1114 Temperance Street, Saskatoon; upstairs')
) as a (title, address);

-- Bookings ----------------------------------------------------------------------------------------------

-- Acts as a signed-in person, until pg_temp.done().
create function pg_temp.sign_in(person uuid) returns void language sql as $$
  select set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', person)::text, true),
    set_config('meadowlark.sown_by', current_user, true), set_config('role', 'authenticated', true)
$$;
-- Back to who sows.
create function pg_temp.done() returns void language plpgsql as $$
begin
  perform set_config('role', current_setting('meadowlark.sown_by'), true), set_config('request.jwt.claims', '', true);
end $$;
grant execute on function pg_temp.done() to authenticated;

create function pg_temp.giver_of(booking uuid) returns uuid language sql as $$
  select task_giver_id from public.bookings where id = booking
$$;
create function pg_temp.tasker_of(booking uuid) returns uuid language sql as $$
  select task_doer_id from public.bookings where id = booking
$$;

create function pg_temp.apply(task uuid, tasker uuid, words text) returns uuid language plpgsql as $$
declare
  booking uuid;
begin
  perform pg_temp.sign_in(tasker);
  insert into public.bookings (task_id, task_doer_id, message, status, agreed_amount)
  select id, tasker, words, 'pending', pay_amount from public.tasks where id = task returning id into booking;
  perform pg_temp.done();
  return booking;
end $$;

create function pg_temp.move(booking uuid, person uuid, step public.booking_status, notes text default null)
returns void language plpgsql as $$
begin
  perform pg_temp.sign_in(person);
  update public.bookings set status = step, completion_notes = notes where id = booking;
  perform pg_temp.done();
end $$;

-- Pays as the app does: prepare, an intent, and the provider's event that it succeeded.
create function pg_temp.pay(booking uuid) returns void language plpgsql as $$
declare
  mark text := substr(md5(booking::text), 1, 16);
  due jsonb;
begin
  perform pg_temp.sign_in(pg_temp.giver_of(booking));
  due := public.prepare_payment(booking);
  perform pg_temp.done();
  perform public.attach_payment_intent((due ->> 'payment_id')::uuid, 'pi_demo_' || mark);
  perform public.record_stripe_event(jsonb_build_object('id', 'evt_demo_' || mark, 'object', 'event',
    'type', 'payment_intent.succeeded', 'created', extract(epoch from now())::bigint, 'data', jsonb_build_object('object',
      jsonb_build_object('id', 'pi_demo_' || mark, 'object', 'payment_intent', 'amount', due -> 'total_cents',
        'amount_received', due -> 'total_cents', 'currency', 'cad', 'latest_charge', 'ch_demo_' || mark,
        'metadata', jsonb_build_object('payment_id', due -> 'payment_id', 'booking_id', booking)))));
end $$;

create function pg_temp.release(booking uuid) returns void language plpgsql as $$
begin
  perform pg_temp.sign_in(pg_temp.giver_of(booking));
  update public.payments set escrow_status = 'released', released_at = now() where booking_id = booking;
  perform pg_temp.done();
end $$;

-- Cancels for the giver, who then takes the task off the market.
create function pg_temp.cancel(booking uuid, why text) returns void language plpgsql as $$
begin
  perform pg_temp.sign_in(pg_temp.giver_of(booking));
  perform public.cancel_booking(booking, why);
  update public.tasks t set status = 'cancelled' from public.bookings b where b.id = booking and t.id = b.task_id;
  perform pg_temp.done();
end $$;

-- What the queue would do: send the transfer and the refund that are due. The jobs have nothing left to do.
create function pg_temp.settle(booking uuid) returns void language plpgsql as $$
declare
  payment public.payments;
begin
  select * into payment from public.payments where booking_id = booking;
  if payment.payout_status = 'queued' then
    perform public.finish_payout(payment.id, 'tr_demo_' || substr(md5(booking::text), 1, 16));
    perform graphile_worker.remove_job('payout-' || payment.id);
  end if;
  if payment.refund_status = 'queued' then
    perform public.finish_refund(payment.id, 're_demo_' || substr(md5(booking::text), 1, 16));
    perform graphile_worker.remove_job('refund-' || payment.id);
  end if;
end $$;

create function pg_temp.review(booking uuid, reviewer uuid, stars int, words text) returns void language plpgsql as $$
begin
  perform pg_temp.sign_in(reviewer);
  insert into public.reviews (booking_id, reviewer_id, rating, comment) values (booking, reviewer, stars, words);
  perform pg_temp.done();
end $$;

-- Moves a life that was just played to its times: what was reached has one, in this order. The task is moved to
-- `scheduled`, if that is said.
create function pg_temp.set_times(booking uuid, applied timestamptz, answered timestamptz default null,
  started timestamptz default null, completed timestamptz default null, settled timestamptz default null,
  reviewed timestamptz default null, scheduled timestamptz default null)
returns void language plpgsql as $$
declare
  payment uuid := (select id from public.payments where booking_id = booking);
begin
  update public.tasks t set scheduled_date = coalesce(scheduled, t.scheduled_date),
    updated_at = greatest(applied, answered, started, completed, settled)
  from public.bookings b where b.id = booking and t.id = b.task_id;
  update public.bookings b set created_at = applied, updated_at = greatest(applied, answered, started, completed, settled),
    answered_at = case when answered_at is not null then answered end,
    accepted_at = case when accepted_at is not null then answered end,
    started_at = case when started_at is not null then started end,
    completed_at = case when completed_at is not null then completed end,
    cancelled_at = case when cancelled_at is not null then settled end,
    period = case when period is not null then private.task_period(t) end
  from public.tasks t where b.id = booking and t.id = b.task_id;
  update public.payments set created_at = started, held_at = started,
    released_at = case when released_at is not null then settled end,
    refunded_at = case when refunded_at is not null then settled end
  where id = payment;
  update public.stripe_events set received_at = started where payment_id = payment;
  update public.ledger_entries set created_at = case when kind = 'charge' then started else settled end
  where payment_id = payment;
  update public.reviews set created_at = reviewed,
    visible_from = case when visible_from <= now() then reviewed else completed + interval '14 days' end
  where booking_id = booking;
  update public.notifications set created_at = case
    when key = 'application_received' then applied
    when key in ('application_accepted', 'application_declined') then answered
    when key in ('payment_held', 'task_started') then started
    when key = 'task_marked_complete' then completed
    when key = 'review_received' then reviewed
    else settled end
  where created_at = now();
end $$;

-- The ledger refuses changes; its dates are moved here once, before anybody could have read them.
alter table public.ledger_entries disable trigger refuse_ledger_change;

-- Jobs that were done: one row plays one whole life.
do $$
declare
  life record;
  task uuid;
  booking uuid;
  done_at timestamptz;
begin
  for life in select * from (values
    ('grace', 'theo', 'Build a ramp over the back steps', 'Plywood and two-by-sixes are in the garage. Grandpa visits on Sunday with his walker, so sturdy before pretty.', 'Handyman', 'Nutana, Saskatoon', 185, 40, 5, 'Theo measured twice, built once, and sanded the edges without being asked. Grandpa approves.', 5, 'Materials ready, coffee too. Clear about what she wanted.'),
    ('grace', 'theo', 'Haul away the old swing set', 'Cut the bolts, load it, take it to the metal yard. Legs are concreted in.', 'Moving', 'Nutana, Saskatoon', 140, 95, 5, 'Gone in a morning, and he filled the holes.', 5, 'Paid the same evening. Thank you, Grace.'),
    ('ruth', 'theo', 'New handrail for the porch', 'The old one is loose. Matching spindles are in the shed.', 'Handyman', 'Varsity View, Saskatoon', 160, 130, 5, 'Solid as a church. He explained everything.', 5, 'Lovely porch, lovely company.'),
    ('ruth', 'theo', 'Clear the lane after the blizzard', 'Drifts up to the fence. The garage door must open by noon.', 'Snow Removal', 'Varsity View, Saskatoon', 90, 290, 4, 'Came a little later than we said, but stayed until it was all done.', 5, 'Told me where the flower bed hides. Good giver.'),
    ('ruth', 'marta', 'Spring clean of the whole main floor', 'Kitchen, two rooms, hall. Cupboards wiped inside and out.', 'Cleaning', 'Varsity View, Saskatoon', 220, 55, 5, 'I did not know my oven was blue inside.', 5, 'Everything ready when I came.'),
    ('grace', 'marta', 'Clean after the renovation', 'Drywall dust everywhere, two rooms and the stairs.', 'Cleaning', 'Nutana, Saskatoon', 200, 110, 5, 'Not a grain of dust left, even on the baseboards.', 5, 'Kind, and honest about the mess.'),
    ('ruth', 'marta', 'Windows before the holidays', 'Main floor, inside and out.', 'Cleaning', 'Varsity View, Saskatoon', 110, 200, 4, 'Very good. One streak, fixed with a smile.', 5, 'Always a pleasure.'),
    ('karim', 'dwayne', 'Driveway and walk, first big snow', 'Before seven, if at all possible.', 'Snow Removal', 'Harbour Landing, Regina', 70, 35, 5, 'Done before my alarm rang.', 5, 'Easy access, fast payment.'),
    ('karim', 'dwayne', 'Clean the eavestroughs', 'One storey, about thirty metres, two downspouts blocked.', 'Gardening', 'Harbour Landing, Regina', 125, 70, 5, 'Found a tennis ball from 2009. Runs like a river now.', 5, 'Good instructions.'),
    ('karim', 'dwayne', 'Level a patch of lawn', 'Six square metres that hold water.', 'Gardening', 'Harbour Landing, Regina', 180, 160, 4, 'Good work, took a second visit.', 4, 'Changed his mind on the way, but fair.'),
    ('karim', 'priya', 'Dog visits over a long weekend', 'Two visits a day, three days. Miso needs drops in the left eye.', 'Pet Care', 'Harbour Landing, Regina', 190, 45, 5, 'Photos at every visit, and the drops were never a fight.', 5, 'Miso is a gentleman.'),
    ('grace', 'priya', 'Puppy at home for a day', 'Eleven weeks old and opinionated. Out every two hours.', 'Pet Care', 'Nutana, Saskatoon', 120, 80, 5, 'She came home with us in her pocket. Figuratively.', 5, 'Best puppy in the province.'),
    ('joan', 'ole', 'Kitchen tap drips, and the door sticks', 'Both have done so for a year.', 'Handyman', 'Prince Albert', 95, 30, 5, 'Both fixed inside an hour. He took his boots off.', 5, 'Straight talker.'),
    ('joan', 'ole', 'Rehang the garage side door', 'Frame moved in the frost. Plane and hinges here.', 'Handyman', 'East Hill, Prince Albert', 150, 140, 5, 'Closes with one finger.', 5, 'Coffee was strong.'),
    ('joan', 'ole', 'Start the old snowblower', 'It ran last March, more or less.', 'Other', 'Prince Albert', 80, 21, 4, 'Runs again. He warned me the belt is next.', 5, 'No complaints.'),
    ('mei', 'chantelle', 'Tidy the beds behind the shop', 'Weeds out, mulch in. Bags are there.', 'Gardening', 'Main Street, Moose Jaw', 140, 65, 5, 'Customers ask who did it.', 5, 'And buns to take home.'),
    ('mei', 'chantelle', 'Plant forty tulip bulbs', 'South side, three rows, labels please.', 'Gardening', 'Moose Jaw', 75, 42, 5, 'Straight rows, neat labels, good company.', 5, 'Everything was ready.'),
    ('karim', 'bogdan', 'One-bedroom move across town', 'Second floor to ground floor. Boxes are packed.', 'Moving', 'Cathedral, Regina', 320, 50, 5, 'Nothing broken, not even my back.', 5, 'Well packed boxes are a joy.'),
    ('ruth', 'bogdan', 'Piano from the living room to the church', 'Upright, on wheels, two steps at the church.', 'Moving', 'Saskatoon', 240, 120, 5, 'He hummed the whole way. The piano is still in tune.', 5, 'A lovely old instrument.'),
    ('grace', 'bogdan', 'Pick up a used table and six chairs', 'From Warman to Nutana. The seller helps to load.', 'Delivery', 'Warman', 85, 28, 4, 'Careful and friendly, half an hour late because of the road.', 5, 'She held the door in a blizzard.'),
    ('pete', 'lucy', 'Groceries for the week', 'Twenty items, two of them frozen.', 'Delivery', 'Swift Current', 40, 26, 5, 'Every single thing right, and good tomatoes.', 5, 'Quick replies.'),
    ('pete', 'lucy', 'Fetch a parcel from the depot', 'Ten kilos, and they need my slip.', 'Delivery', 'Swift Current', 30, 75, 5, 'In and out. Very polite.', 5, 'Slip was ready.'),
    ('ivana', 'emmett', 'Replace nine fence boards', 'Wind took them. Boards are delivered.', 'Handyman', 'Yorkton', 165, 60, 5, 'You cannot tell which ones are new, and he stained them too.', 5, 'Clear and kind.'),
    ('ivana', 'emmett', 'Paint a small bedroom', 'One colour, ceiling stays. Furniture is out.', 'Handyman', 'Yorkton', 260, 125, 4, 'Clean lines. Would book again.', 5, 'Room was really empty, as promised.'),
    ('joan', 'nadia', 'Clean before the baby comes', 'Two-bedroom condo, everything at nose height.', 'Cleaning', 'North Battleford', 150, 48, 5, 'Gentle products, spotless result.', 5, 'What a happy house.'),
    ('doris', 'nadia', 'Oven and fridge only', 'Both overdue, neither proud of it.', 'Cleaning', 'Lloydminster', 70, 90, 5, 'Shining.', 5, 'Good to work for.'),
    ('colin', 'jesse', 'Dump run with a trailer', 'Old fence, a mattress, half a shed.', 'Moving', 'Estevan', 130, 33, 5, 'Loaded, gone, swept. He does not waste a minute.', 5, 'All piled up ready.'),
    ('colin', 'jesse', 'Tow a boat to winter storage', 'Fifteen kilometres, lights work.', 'Other', 'Estevan', 110, 62, 4, 'Good driver.', 5, 'Good trailer.'),
    ('colin', 'wren', 'Look after goats for a weekend', 'Four goats who will lie to you about breakfast.', 'Pet Care', 'Weyburn', 140, 72, 5, 'The goats asked when Wren comes back.', 5, 'They did lie.'),
    ('doris', 'gurpreet', 'Assemble three bookcases', 'And fix them to the wall, please. Earthquakes named Otto live here.', 'Handyman', 'Lloydminster', 135, 38, 5, 'Level, anchored, tidy. He even hid the lamp cable.', 5, 'Clear space to work in.'),
    ('doris', 'gurpreet', 'Set up a doorbell camera', 'Wired, transformer in the basement.', 'Handyman', 'Lloydminster', 95, 105, 5, 'Works, and he showed me how three times.', 5, 'Patient and kind.'),
    ('joan', 'hannah', 'Weed the long border', 'Twelve metres, knee-high in places.', 'Gardening', 'Humboldt', 90, 58, 5, 'She left the poppies. Thank you.', 5, 'Sun hat provided!'),
    ('ruth', 'tomas', 'Hang a wall of photographs', 'Twenty-two frames, paper template is taped up.', 'Handyman', 'Saskatoon', 105, 44, 5, 'Straight as a ruler, all twenty-two.', 5, 'Her template made it easy.')
  ) as l (giver, tasker, title, description, category, location, pay, days_ago, stars, words, back_stars, back_words)
  loop
    task := pg_temp.id('task', life.title);
    insert into public.tasks (id, task_giver_id, title, description, category, location, pay_amount, scheduled_date,
      duration_minutes, tools_provided, created_at, updated_at)
    values (task, pg_temp.person(life.giver), life.title, life.description, life.category, life.location, life.pay,
      pg_temp.day_at(-life.days_ago, 10), 180, false, pg_temp.day_at(-life.days_ago - 4, 10), now());
    booking := pg_temp.apply(task, pg_temp.person(life.tasker), 'I can do that, and I am free that day.');
    perform pg_temp.move(booking, pg_temp.person(life.giver), 'accepted');
    perform pg_temp.pay(booking);
    perform pg_temp.move(booking, pg_temp.person(life.tasker), 'completed');
    perform pg_temp.release(booking);
    perform pg_temp.settle(booking);
    perform pg_temp.review(booking, pg_temp.person(life.giver), life.stars, life.words);
    perform pg_temp.review(booking, pg_temp.person(life.tasker), life.back_stars, life.back_words);
    done_at := pg_temp.day_at(-life.days_ago, 13);
    perform pg_temp.set_times(booking, done_at - interval '83 hours', done_at - interval '73 hours',
      done_at - interval '63 hours', done_at, done_at + interval '5 hours', done_at + interval '20 hours');
  end loop;
end $$;

-- Grace and Theo, one booking in each state that is still going on, and two that ended early.
create temp table demo_chats (booking uuid, sender text, hours_ago numeric, words text) on commit drop;

do $$
declare
  now_on record;
  task uuid;
  booking uuid;
  other uuid;
  state text;
  applied timestamptz;
begin
  for now_on in select * from (values
    ('accepted', 'Fix the back gate before the dog finds out', 'It hangs from one hinge. New hinges and a bag of screws are on the bench in the garage.', 'Handyman', 95, 5, 10, 90, null, 50),
    ('in_progress', 'Drywall a corner of the basement', 'Four sheets, framed and insulated. Taping too; I will paint.', 'Handyman', 320, 1, 9, 300, null, 96),
    ('completed', 'Assemble the new desk and move the old one', 'New desk is flat-packed in the study, the old one goes to the curb.', 'Moving', 110, -1, 17, 90, 'Desk is up and level, the old one is at the curb. The spare screws are in the top drawer.', 120),
    ('rejected', 'Paint the nursery ceiling', 'Small room, high ceiling, one coat of white over pale yellow.', 'Handyman', 150, -8, 9, 180, null, 300),
    ('cancelled', 'Carry firewood to the cabin', 'Two cords from the road to the shed, about forty metres, uphill of course.', 'Moving', 200, -12, 10, 240, null, 420),
    ('refunded', 'Put up the outdoor lights', 'Along the eaves and the big spruce. Lights and clips are here, ladder too.', 'Handyman', 130, -18, 15, 120, null, 560)
  ) as n (state, title, description, category, pay, in_days, at_hour, minutes, notes, hours_ago)
  loop
    state := now_on.state;
    task := pg_temp.id('task', now_on.title);
    -- A paid booking is cancelled five hours before its time, then all of it is moved to that day.
    applied := case state when 'refunded' then pg_temp.day_at(now_on.in_days, now_on.at_hour) - interval '130 hours'
      else now() - now_on.hours_ago * interval '1 hour' end;
    insert into public.tasks (id, task_giver_id, title, description, category, location, pay_amount, scheduled_date,
      duration_minutes, tools_provided, created_at, updated_at)
    values (task, pg_temp.person('grace'), now_on.title, now_on.description, now_on.category, 'Nutana, Saskatoon',
      now_on.pay, case state when 'refunded' then now() + interval '5 hours'
        when 'completed' then date_trunc('hour', now() - interval '5 hours') else pg_temp.day_at(now_on.in_days, now_on.at_hour) end,
      now_on.minutes, true, applied - interval '8 hours', applied);
    insert into public.task_addresses (task_id, address) values (task, '1114 Temperance Street, Saskatoon');
    booking := pg_temp.apply(task, pg_temp.person('theo'), case state
      when 'accepted' then 'I pass by on Thursday and have the right chisel for it.'
      when 'in_progress' then 'Taping is my favourite part, oddly. I bring the mud.'
      when 'completed' then 'Happy to. I will bring a mate for the heavy one.'
      when 'rejected' then 'I could do this between two other jobs.'
      else 'Sure, count me in.' end);
    if state = 'accepted' then
      other := pg_temp.apply(task, pg_temp.person('tomas'), 'Could come on Saturday morning.');
    end if;
    perform pg_temp.move(booking, pg_temp.person('grace'),
      case state when 'rejected' then 'rejected' else 'accepted' end::public.booking_status);
    if state in ('in_progress', 'completed', 'refunded') then
      perform pg_temp.pay(booking);
    end if;
    if state = 'completed' then
      perform pg_temp.move(booking, pg_temp.person('theo'), 'completed', now_on.notes);
    elsif state = 'cancelled' then
      perform pg_temp.cancel(booking, 'My brother came by with his tractor after all.');
    elsif state = 'refunded' then
      perform pg_temp.cancel(booking, 'The forecast says minus thirty-four. Not worth a finger.');
      perform pg_temp.settle(booking);
    elsif state = 'rejected' then
      perform pg_temp.sign_in(pg_temp.person('grace'));
      update public.tasks set status = 'cancelled' where id = task;
      perform pg_temp.done();
    elsif state = 'accepted' then
      perform pg_temp.set_times(other, applied + interval '1 hour', applied + interval '5 hours');
    end if;
    perform pg_temp.set_times(booking, applied, applied + interval '5 hours', applied + interval '20 hours',
      now() - interval '3 hours', case state when 'refunded' then applied + interval '125 hours' else applied + interval '30 hours' end,
      scheduled => case when state = 'refunded' then pg_temp.day_at(now_on.in_days, now_on.at_hour) end);
    insert into demo_chats select booking, c.sender, c.hours_ago, c.words from (values
      ('accepted', 'grace', 40, 'Hi Theo, glad you can do it. The gate is the one towards the lane.'),
      ('accepted', 'theo', 39.5, 'Found it on the map. Do you want it to close by itself?'),
      ('accepted', 'grace', 39.3, 'If that is possible, yes please!'),
      ('accepted', 'theo', 2, 'I have a spring closer left over. I will bring it on Thursday.'),
      ('in_progress', 'theo', 30, 'First two sheets are up. The corner by the window is out of square, I will shim it.'),
      ('in_progress', 'grace', 29, 'That corner has been out of square since 1952. Thank you!'),
      ('in_progress', 'theo', 5, 'Back tomorrow at nine for the taping.'),
      ('completed', 'grace', 26, 'Door is open, the dog is friendly.'),
      ('completed', 'theo', 3.2, 'All done. Have a look when you are home and let me know.')
    ) as c (state, sender, hours_ago, words) where c.state = now_on.state;
  end loop;

  -- Waiting for an answer: three for Grace, and one of Theo's elsewhere.
  perform pg_temp.set_times(pg_temp.apply(pg_temp.id('task', 'Hang four kitchen shelves'), pg_temp.person('theo'),
    'Plaster is fine, I pre-drill and use the proper anchors. Thursday after five works for me.'), now() - interval '14 hours');
  perform pg_temp.set_times(pg_temp.apply(pg_temp.id('task', 'Hang four kitchen shelves'), pg_temp.person('tomas'),
    'I did twenty-two picture frames last month and own three levels.'), now() - interval '9 hours');
  perform pg_temp.set_times(pg_temp.apply(pg_temp.id('task', 'Walk Biscuit at noon, all week'), pg_temp.person('priya'),
    'Beagles are my people. I can do all five days.'), now() - interval '6 hours');
  perform pg_temp.set_times(pg_temp.apply(pg_temp.id('task', 'Shovel the steps after each snowfall this week'),
    pg_temp.person('theo'), 'I live six blocks away and I am up at six anyway.'), now() - interval '1 hour');
end $$;

update public.notifications set read = true where created_at < now() - interval '3 days' and not read;
set constraints all immediate;
alter table public.ledger_entries enable trigger refuse_ledger_change;

insert into public.messages (id, booking_id, sender_id, receiver_id, message, created_at, status, read_at)
select pg_temp.id('message', words), c.booking, pg_temp.person(c.sender),
  case when b.task_giver_id = pg_temp.person(c.sender) then b.task_doer_id else b.task_giver_id end, c.words,
  now() - c.hours_ago * interval '1 hour',
  case when c.hours_ago > 4 then 'read' else 'sent' end::public.message_status,
  case when c.hours_ago > 4 then now() - (c.hours_ago - 0.2) * interval '1 hour' end
from demo_chats c join public.bookings b on b.id = c.booking order by c.hours_ago desc;

select private.recount_person(id) from demo_people;
-- The payment provider's side, when the sandbox stands in for it ---------------------------------------------

do $$
begin
  if to_regclass('sandbox.stripe_objects') is null then
    return;
  end if;

  insert into sandbox.stripe_objects (id, object, data, created)
  select a.stripe_account_id, 'account', jsonb_build_object('id', a.stripe_account_id, 'object', 'account',
    'type', 'custom', 'country', 'CA', 'default_currency', 'cad', 'email', p.email, 'business_type', 'individual',
    'business_profile', '{}'::jsonb, 'controller', '{"type": "application", "is_controller": true}'::jsonb, 'settings', '{}'::jsonb,
    'capabilities', '{"transfers": "active"}'::jsonb, 'charges_enabled', false, 'payouts_enabled', true,
    'details_submitted', true, 'created', extract(epoch from a.created_at)::bigint,
    'individual', jsonb_build_object('first_name', split_part(p.full_name, ' ', 1), 'last_name', split_part(p.full_name, ' ', 2),
      'dob', '{"day": 4, "month": 5, "year": 1988}'::jsonb),
    'tos_acceptance', jsonb_build_object('date', extract(epoch from a.created_at)::bigint, 'ip', '127.0.0.1'),
    'requirements', '{"alternatives": [], "current_deadline": null, "currently_due": [], "disabled_reason": null, "errors": [], "eventually_due": [], "past_due": [], "pending_verification": []}'::jsonb,
    'future_requirements', '{"alternatives": [], "current_deadline": null, "currently_due": [], "disabled_reason": null, "errors": [], "eventually_due": [], "past_due": [], "pending_verification": []}'::jsonb,
    'external_accounts', jsonb_build_object('object', 'list', 'has_more', false, 'total_count', 1,
      'url', '/v1/accounts/' || a.stripe_account_id || '/external_accounts', 'data', jsonb_build_array(jsonb_build_object(
        'id', 'ba_demo_' || substr(a.stripe_account_id, 11), 'object', 'bank_account', 'account', a.stripe_account_id,
        'country', 'CA', 'currency', 'cad', 'bank_name', 'STRIPE TEST BANK', 'last4', a.bank_last4,
        'default_for_currency', true, 'status', 'new', 'routing_number', '11000-000', 'metadata', '{}'::jsonb))),
    'metadata', jsonb_build_object('user_id', a.user_id)), a.created_at
  from public.payout_accounts a join public.profiles p on p.id = a.user_id;

  insert into sandbox.stripe_objects (id, object, data, created)
  select 'cus_demo_' || split_part(p.email, '@', 1), 'customer', jsonb_build_object(
    'id', 'cus_demo_' || split_part(p.email, '@', 1), 'object', 'customer', 'email', p.email, 'name', p.full_name,
    'balance', 0, 'created', extract(epoch from p.created_at)::bigint, 'livemode', false,
    'invoice_settings', '{"default_payment_method": null}'::jsonb, 'preferred_locales', '[]'::jsonb,
    'metadata', jsonb_build_object('user_id', p.id)), p.created_at
  from public.profiles p where p.email = 'grace@example.com';

  insert into sandbox.stripe_objects (id, object, data, created)
  select 'pm_demo_' || payer, 'payment_method', jsonb_build_object(
    'id', 'pm_demo_' || payer, 'object', 'payment_method', 'type', 'card', 'livemode', false, 'metadata', '{}'::jsonb,
    'customer', case when payer = 'grace' then 'cus_demo_grace' end, 'created', extract(epoch from now())::bigint,
    'billing_details', '{"address": {"city": null, "country": null, "line1": null, "line2": null, "postal_code": null, "state": null}, "email": null, "name": null, "phone": null}'::jsonb,
    'card', jsonb_build_object('brand', 'visa', 'display_brand', 'visa', 'last4', '4242', 'exp_month', 12,
      'exp_year', extract(year from now())::int + 3, 'country', 'US', 'funding', 'credit',
      'fingerprint', 'demo' || left(md5(payer), 12), 'networks', '{"available": ["visa"], "preferred": null}'::jsonb,
      'checks', '{"cvc_check": "pass"}'::jsonb, 'three_d_secure_usage', '{"supported": true}'::jsonb)), now()
  from (select distinct split_part(g.email, '@', 1) as payer from public.payments p join public.profiles g on g.id = p.payer_id) as payers;

  -- Intents, charges, refunds and transfers of every payment, each with its movement on the balance.
  create temp table demo_money on commit drop as
  select p.*, (p.total * 100)::bigint as cents, split_part(g.email, '@', 1) as payer,
    substr(p.stripe_payment_intent_id, 9) as mark, extract(epoch from p.held_at)::bigint as paid_at,
    extract(epoch from coalesce(p.released_at, p.refunded_at))::bigint as settled_at, a.stripe_account_id
  from public.payments p join public.profiles g on g.id = p.payer_id
  left join public.payout_accounts a on a.user_id = p.payee_id where p.stripe_charge_id is not null;

  insert into sandbox.stripe_objects (id, object, data, created)
  select stripe_payment_intent_id, 'payment_intent', jsonb_build_object('id', stripe_payment_intent_id,
    'object', 'payment_intent', 'amount', cents, 'amount_received', cents, 'amount_capturable', 0, 'currency', 'cad',
    'status', 'succeeded', 'client_secret', stripe_payment_intent_id || '_secret_demo', 'capture_method', 'automatic_async',
    'confirmation_method', 'automatic', 'customer', case when payer = 'grace' then 'cus_demo_grace' end,
    'payment_method', 'pm_demo_' || payer, 'payment_method_types', '["card"]'::jsonb, 'latest_charge', stripe_charge_id,
    'last_payment_error', null, 'next_action', null, 'setup_future_usage', null, 'canceled_at', null,
    'cancellation_reason', null, 'transfer_group', booking_id, 'livemode', false, 'created', paid_at,
    'metadata', jsonb_build_object('payment_id', id, 'booking_id', booking_id, 'task_id', task_id)), held_at
  from demo_money;

  insert into sandbox.stripe_objects (id, object, data, created)
  select stripe_charge_id, 'charge', jsonb_build_object('id', stripe_charge_id, 'object', 'charge', 'amount', cents,
    'amount_captured', cents, 'amount_refunded', (refunded_amount * 100)::bigint, 'refunded', refunded_amount = total,
    'currency', 'cad', 'status', 'succeeded', 'paid', true, 'captured', true, 'disputed', false, 'livemode', false,
    'customer', case when payer = 'grace' then 'cus_demo_grace' end, 'payment_intent', stripe_payment_intent_id,
    'payment_method', 'pm_demo_' || payer, 'transfer_group', booking_id, 'balance_transaction', 'txn_demo_ch_' || mark,
    'billing_details', '{}'::jsonb, 'payment_method_details', '{"type": "card", "card": {"brand": "visa", "last4": "4242"}}'::jsonb,
    'created', paid_at, 'metadata', jsonb_build_object('payment_id', id, 'booking_id', booking_id)), held_at
  from demo_money;

  insert into sandbox.stripe_objects (id, object, data, created)
  select stripe_refund_id, 'refund', jsonb_build_object('id', stripe_refund_id, 'object', 'refund',
    'amount', (refund_amount * 100)::bigint, 'currency', 'cad', 'charge', stripe_charge_id, 'status', 'succeeded',
    'payment_intent', stripe_payment_intent_id, 'balance_transaction', 'txn_demo_re_' || mark, 'reason', null,
    'created', settled_at, 'metadata', jsonb_build_object('payment_id', id)), refunded_at
  from demo_money where stripe_refund_id is not null;

  insert into sandbox.stripe_objects (id, object, data, created)
  select stripe_transfer_id, 'transfer', jsonb_build_object('id', stripe_transfer_id, 'object', 'transfer',
    'amount', (payout_amount * 100)::bigint, 'amount_reversed', 0, 'reversed', false, 'currency', 'cad',
    'destination', stripe_account_id, 'destination_payment', 'py_demo_' || mark, 'source_transaction', stripe_charge_id,
    'source_type', 'card', 'transfer_group', booking_id, 'balance_transaction', 'txn_demo_tr_' || mark, 'livemode', false,
    'description', null, 'reversals', jsonb_build_object('object', 'list', 'data', '[]'::jsonb, 'has_more', false,
      'total_count', 0, 'url', '/v1/transfers/' || stripe_transfer_id || '/reversals'),
    'created', settled_at, 'metadata', jsonb_build_object('payment_id', id, 'booking_id', booking_id)),
    coalesce(released_at, refunded_at)
  from demo_money where stripe_transfer_id is not null;

  insert into sandbox.stripe_objects (id, object, data, created)
  select 'txn_demo_' || m.prefix || '_' || d.mark, 'balance_transaction', jsonb_build_object(
    'id', 'txn_demo_' || m.prefix || '_' || d.mark, 'object', 'balance_transaction', 'type', m.type, 'source', m.source,
    'amount', m.cents, 'fee', m.fee, 'net', m.cents - m.fee, 'currency', 'cad', 'status', 'available',
    'reporting_category', m.type, 'fee_details', '[]'::jsonb, 'created', m.at, 'available_on', m.at), to_timestamp(m.at)
  from demo_money d cross join lateral (values
    ('ch', 'charge', d.stripe_charge_id, d.cents, round(d.cents * 0.029)::bigint + 30, d.paid_at),
    ('re', 'refund', d.stripe_refund_id, -(d.refund_amount * 100)::bigint, 0, d.settled_at),
    ('tr', 'transfer', d.stripe_transfer_id, -(d.payout_amount * 100)::bigint, 0, d.settled_at)
  ) as m (prefix, type, source, cents, fee, at) where m.source is not null;
end $$;

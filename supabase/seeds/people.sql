-- The demo, first part: Saskatchewan people and their open tasks. Runs once, in one transaction, on a new database. Ids of
-- people and tasks come from their names.

-- People ------------------------------------------------------------------------------------------------

create temp table demo_people (
  name text, email text, role text, city text, joined_days int, phone text, bio text,
  skills text[], categories text[], years int, rate numeric, id uuid
) on commit drop;

insert into demo_people values
  ('Grace Morin', 'grace@example.com', 'task_giver', 'Saskatoon', 240, '+13065550101',
   'Two kids, one driveway and never enough Saturdays. Nutana, near the river.', '{}', '{}', null, null,
   '00000000-0000-4000-8000-00000000000a'),
  ('Theo Kowalchuk', 'theo@example.com', 'task_doer', 'Saskatoon', 310, '+13065550102',
   'Carpenter by trade, happiest outside. I bring my own tools, a half-ton and a thermos, and I text before I come.',
   '{Carpentry,Snow removal,Drywall,Hauling,Furniture assembly}', '{Handyman,Snow Removal,Moving}', 9, 42,
   '00000000-0000-4000-8000-00000000000b'),
  ('Ada Wiens', 'ada@example.com', 'task_giver', 'Regina', 400, '+13065550103', 'Looks after Meadowlark.',
   '{}', '{}', null, null, '00000000-0000-4000-8000-00000000000c'),
  ('Sam Parenteau', 'sam@example.com', 'task_giver', 'Regina', 12, null, null, '{}', '{}', null, null,
   '00000000-0000-4000-8000-00000000000d'),
  -- taskers
  ('Marta Lewandowska', 'marta@example.com', 'task_doer', 'Saskatoon', 280, '+13065550111',
   'Move-out cleans, ovens, windows: the jobs nobody wants. Fifteen years with a mop and still fussy about corners.',
   '{Deep cleaning,Windows,Laundry,Organizing}', '{Cleaning}', 15, 38, null),
  ('Dwayne Bear', 'dwayne@example.com', 'task_doer', 'Regina', 265, '+13065550112',
   'Snowblower, skid steer, salt. Driveways in Lakeview and Harbour Landing done before you leave for work.',
   '{Snow removal,Skid steer,Lawn care,Eavestroughs}', '{Snow Removal,Gardening}', 11, 45, null),
  ('Priya Sandhu', 'priya@example.com', 'task_doer', 'Regina', 198, '+13065550113',
   'Nursing student who loves dogs more than coffee. Walks, visits and overnight stays, with photos.',
   '{Dog walking,Cat sitting,First aid,Overnight stays}', '{Pet Care}', 4, 24, null),
  ('Ole Halvorson', 'ole@example.com', 'task_doer', 'Prince Albert', 330, '+13065550114',
   'Retired millwright. If it squeaks, leaks or will not close, I have probably fixed one like it.',
   '{Plumbing,Doors and locks,Small engines,Welding}', '{Handyman}', 35, 48, null),
  ('Chantelle Roy', 'chantelle@example.com', 'task_doer', 'Moose Jaw', 150, '+13065550115',
   'Perennials, raised beds, honest pruning. I leave the yard cleaner than I found it.',
   '{Pruning,Raised beds,Lawn care,Weeding}', '{Gardening}', 8, 32, null),
  ('Bo Tkachuk', 'bogdan@example.com', 'task_doer', 'Saskatoon', 175, '+13065550116',
   'Cube van, straps, blankets and a second pair of hands when you need one. Pianos too.',
   '{Moving,Loading,Furniture assembly,Driving}', '{Moving,Delivery}', 6, 55,
   -- Their folder in identity-documents/ next to this file.
   '6706eeec-4da0-4486-805b-682bba43f288'),
  ('Lucy Nguyen', 'lucy@example.com', 'task_doer', 'Swift Current', 122, '+13065550117',
   'Groceries, prescriptions, parcels from the depot. A small car and a good memory for gate codes.',
   '{Driving,Shopping,Parcel pickup}', '{Delivery,Other}', 3, 22, null),
  ('Emmett Dyck', 'emmett@example.com', 'task_doer', 'Yorkton', 205, '+13065550118',
   'Farm kid turned handyman: fences, decks, shingles, and the list on your fridge.',
   '{Fencing,Decks,Painting,Drywall}', '{Handyman,Gardening}', 12, 40, null),
  ('Nadia Farouk', 'nadia@example.com', 'task_doer', 'North Battleford', 96, '+13065550119',
   'Weekly cleans for busy houses. Fragrance-free products on request.',
   '{Cleaning,Ironing,Windows}', '{Cleaning}', 7, 30, null),
  ('Jesse Cardinal', 'jesse@example.com', 'task_doer', 'Estevan', 88, '+13065550120',
   'Days off from the rigs, a pickup and a hitch. Dump runs, hauling, heavy lifting.',
   '{Hauling,Dump runs,Loading,Towing}', '{Moving,Delivery,Snow Removal}', 5, 44, null),
  ('Wren Arcand', 'wren@example.com', 'task_doer', 'Weyburn', 140, '+13065550121',
   'Dog walker, cat whisperer, chicken sitter. Farm animals welcome.',
   '{Dog walking,Farm animals,Cat sitting}', '{Pet Care}', 6, 21, null),
  ('Gurpreet Johal', 'gurpreet@example.com', 'task_doer', 'Lloydminster', 160, '+13065550122',
   'Furniture, TV mounts, smart locks. Neat cables are a matter of honour.',
   '{Furniture assembly,TV mounting,Smart home,Electronics}', '{Handyman,Other}', 5, 39, null),
  ('Hannah Vogel', 'hannah@example.com', 'task_doer', 'Humboldt', 77, '+13065550123',
   'Gardens in summer, driveways in winter, bread all year.',
   '{Snow removal,Weeding,Lawn care}', '{Gardening,Snow Removal}', 4, 28, null),
  ('Tomas Epp', 'tomas@example.com', 'task_doer', 'Warman', 64, '+13065550124',
   'Evenings and weekends: painting, patching, hanging and levelling.',
   '{Painting,Drywall,Picture hanging}', '{Handyman}', 10, 36, null),
  -- their neighbours, who post
  ('Ruth Brandt', 'ruth@example.com', 'task_giver', 'Saskatoon', 300, '+13065550131', 'Varsity View since 1988.', '{}', '{}', null, null, null),
  ('Karim Daoud', 'karim@example.com', 'task_giver', 'Regina', 210, '+13065550132', null, '{}', '{}', null, null, null),
  ('Joan Thomson', 'joan@example.com', 'task_giver', 'Prince Albert', 190, '+13065550133', null, '{}', '{}', null, null, null),
  ('Mei Chen', 'mei@example.com', 'task_giver', 'Moose Jaw', 160, '+13065550134', 'Bakery on Main Street, always short of hands.', '{}', '{}', null, null, null),
  ('Pete Schmidt', 'pete@example.com', 'task_giver', 'Swift Current', 130, '+13065550135', null, '{}', '{}', null, null, null),
  ('Ivana Olynyk', 'ivana@example.com', 'task_giver', 'Yorkton', 145, '+13065550136', null, '{}', '{}', null, null, null),
  ('Colin Fraser', 'colin@example.com', 'task_giver', 'Estevan', 100, '+13065550137', null, '{}', '{}', null, null, null),
  ('Doris Wolfe', 'doris@example.com', 'task_giver', 'Lloydminster', 170, '+13065550138', null, '{}', '{}', null, null, null);

create or replace function pg_temp.id(kind text, name text) returns uuid language sql as $$
  select overlay(overlay(md5(kind || ' ' || name) placing '4' from 13) placing '8' from 17)::uuid
$$;
create or replace function pg_temp.person(email_name text) returns uuid language sql as $$
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
  updated_at = now() - d.joined_days * interval '1 day', last_active = now() - d.joined_days * interval '7 minutes',
  -- Drawn ones, which the web app carries (web/public/portraits); who has just arrived has none yet.
  avatar_url = case when d.email <> 'sam@example.com' then '/portraits/' || split_part(d.email, '@', 1) || '.svg' end
from demo_people d where d.id = p.id;

delete from public.user_roles where user_id = pg_temp.person('ada');
insert into public.user_roles (user_id, role) values (pg_temp.person('ada'), 'admin');
-- Everybody knows her password: here, and nowhere else, an admin does without a second factor.
insert into private.admins_without_second_factor values (pg_temp.person('ada'));

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

-- As their drawn ID says.
update public.verifications set legal_name = 'Bogdan Tkachuk', date_of_birth = '1998-04-17', id_type = 'driver_license'
where user_id = pg_temp.person('bogdan');

insert into public.payout_accounts (user_id, stripe_account_id, bank_last4, account_status, account_type, created_at, updated_at)
select id, 'acct_demo_' || split_part(email, '@', 1), right(phone, 4), 'active', 'custom',
  now() - (joined_days - 4) * interval '1 day', now() - (joined_days - 4) * interval '1 day'
from demo_people where role = 'task_doer' order by email;

insert into private.payment_customers (user_id, stripe_customer_id) values (pg_temp.person('grace'), 'cus_demo_grace');
insert into public.payment_methods (id, user_id, stripe_payment_method_id, card_brand, card_last4, card_exp_month,
  card_exp_year, is_default)
values (pg_temp.id('card', 'grace'), pg_temp.person('grace'), 'pm_demo_grace', 'visa', '4242', 12,
  extract(year from now())::int + 3, true);

-- Old notifications are marked as read.
update public.notifications set read = true, created_at = now() - interval '60 days';

-- Open tasks --------------------------------------------------------------------------------------------

create or replace function pg_temp.day_at(days int, hour int) returns timestamptz language sql as $$
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

-- Whom Grace would ask again.
insert into public.favourites (user_id, tasker_id) values
  (pg_temp.person('grace'), pg_temp.person('theo')), (pg_temp.person('grace'), pg_temp.person('priya'));

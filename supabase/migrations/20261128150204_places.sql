-- Places as data: a table of cities, towns and neighbourhoods, and a search by name, spelling, sound and postal code.
set check_function_bodies = off;

create extension if not exists fuzzystrmatch with schema extensions;

create table public.places (
  id text primary key,
  name text not null,
  kind text not null check (kind in ('city', 'town', 'neighbourhood')),
  city text,
  latitude double precision not null check (latitude between -90 and 90),
  longitude double precision not null check (longitude between -180 and 180),
  time_zone text not null,
  population integer,
  postal_prefixes text[] not null default '{}',
  other_names text[] not null default '{}'
);
alter table public.places enable row level security;

create function private.load_places() returns void
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
end $$;

create function private.place_data() returns jsonb language sql immutable set search_path = '' as $$ select jsonb '[
{"id":"assiniboia","name":"Assiniboia","kind":"town","latitude":49.6334,"longitude":-105.9845,"population":2320},
{"id":"balgonie","name":"Balgonie","kind":"town","latitude":50.4834,"longitude":-104.2678},
{"id":"battleford","name":"Battleford","kind":"town","latitude":52.7349,"longitude":-108.3091},
{"id":"biggar","name":"Biggar","kind":"town","latitude":52.0598,"longitude":-107.9884,"population":2068},
{"id":"buffalo-narrows","name":"Buffalo Narrows","kind":"town","latitude":55.8609,"longitude":-108.479},
{"id":"canora","name":"Canora","kind":"town","latitude":51.6333,"longitude":-102.4343,"population":2055},
{"id":"carlyle","name":"Carlyle","kind":"town","latitude":49.6333,"longitude":-102.2677,"population":1177},
{"id":"creighton","name":"Creighton","kind":"town","latitude":54.7501,"longitude":-101.9008},
{"id":"dalmeny","name":"Dalmeny","kind":"town","latitude":52.3408,"longitude":-106.7712,"population":1504},
{"id":"davidson","name":"Davidson","kind":"town","latitude":51.2668,"longitude":-105.9845},
{"id":"delisle","name":"Delisle","kind":"town","latitude":51.9236,"longitude":-107.1352},
{"id":"esterhazy","name":"Esterhazy","kind":"town","latitude":50.65,"longitude":-102.0843,"population":2194},
{"id":"estevan","name":"Estevan","kind":"city","latitude":49.1334,"longitude":-102.9842,"population":9904,"postalPrefixes":["S4A"]},
{"id":"foam-lake","name":"Foam Lake","kind":"town","latitude":51.65,"longitude":-103.5343,"population":1138},
{"id":"fort-qu-appelle","name":"Fort Qu''Appelle","kind":"town","latitude":50.7668,"longitude":-103.801},
{"id":"gravelbourg","name":"Gravelbourg","kind":"town","latitude":49.8834,"longitude":-106.5512,"population":1109},
{"id":"hudson-bay","name":"Hudson Bay","kind":"town","latitude":52.85,"longitude":-102.3842,"population":1661},
{"id":"humboldt","name":"Humboldt","kind":"city","latitude":52.2,"longitude":-105.1255,"population":4822},
{"id":"indian-head","name":"Indian Head","kind":"town","latitude":50.5334,"longitude":-103.6677,"population":1642},
{"id":"kamsack","name":"Kamsack","kind":"town","latitude":51.5667,"longitude":-101.9009,"population":1775},
{"id":"kerrobert","name":"Kerrobert","kind":"town","latitude":51.9168,"longitude":-109.1348,"population":1038},
{"id":"kindersley","name":"Kindersley","kind":"town","latitude":51.4668,"longitude":-109.1682,"population":4249},
{"id":"la-ronge","name":"La Ronge","kind":"town","latitude":55.1001,"longitude":-105.2842,"population":5671},
{"id":"langenburg","name":"Langenburg","kind":"town","latitude":50.85,"longitude":-101.7176,"population":1034},
{"id":"langham","name":"Langham","kind":"town","latitude":52.3589,"longitude":-106.9617,"population":1070},
{"id":"lanigan","name":"Lanigan","kind":"town","latitude":51.8501,"longitude":-105.0344,"population":1204},
{"id":"lloydminster","name":"Lloydminster","kind":"city","latitude":53.2724,"longitude":-110.0226,"population":31400,"timeZone":"America/Edmonton","postalPrefixes":["S9V","T9V"]},
{"id":"lumsden","name":"Lumsden","kind":"town","latitude":50.6501,"longitude":-104.8678,"population":1477},
{"id":"macklin","name":"Macklin","kind":"town","latitude":52.3334,"longitude":-109.9348,"population":1257},
{"id":"maple-creek","name":"Maple Creek","kind":"town","latitude":49.9063,"longitude":-109.4809,"population":2121},
{"id":"martensville","name":"Martensville","kind":"city","latitude":52.2834,"longitude":-106.6679,"population":4078},
{"id":"meadow-lake","name":"Meadow Lake","kind":"city","latitude":54.1335,"longitude":-108.4347,"population":5266,"postalPrefixes":["S9X"]},
{"id":"melfort","name":"Melfort","kind":"city","latitude":52.8667,"longitude":-104.6177,"population":5778},
{"id":"melville","name":"Melville","kind":"city","latitude":50.9167,"longitude":-102.801,"population":4127},
{"id":"moose-jaw","name":"Moose Jaw","kind":"city","latitude":50.4001,"longitude":-105.5345,"population":32166,"postalPrefixes":["S6H","S6J","S6K"]},
{"id":"moosomin","name":"Moosomin","kind":"town","latitude":50.1426,"longitude":-101.6667,"population":2206},
{"id":"nipawin","name":"Nipawin","kind":"town","latitude":53.3668,"longitude":-104.0009,"population":3994},
{"id":"north-battleford","name":"North Battleford","kind":"city","latitude":52.7797,"longitude":-108.2967,"population":19440,"postalPrefixes":["S9A"]},
{"id":"outlook","name":"Outlook","kind":"town","latitude":51.488,"longitude":-107.0564,"population":1989},
{"id":"oxbow","name":"Oxbow","kind":"town","latitude":49.2334,"longitude":-102.1676,"population":1058},
{"id":"pelican-narrows","name":"Pelican Narrows","kind":"town","latitude":55.1668,"longitude":-102.9341,"population":1942},
{"id":"pilot-butte","name":"Pilot Butte","kind":"town","latitude":50.4801,"longitude":-104.4191,"population":1728},
{"id":"preeceville","name":"Preeceville","kind":"town","latitude":51.95,"longitude":-102.6677,"population":1003},
{"id":"prince-albert","name":"Prince Albert","kind":"city","latitude":53.2001,"longitude":-105.7677,"population":35102,"postalPrefixes":["S6V","S6W","S6X"]},
{"id":"regina","name":"Regina","kind":"city","latitude":50.4501,"longitude":-104.6178,"population":176183,"postalPrefixes":["S4L","S4N","S4P","S4R","S4S","S4T","S4V","S4W","S4X","S4Y","S4Z"]},
{"id":"regina-al-ritchie","name":"Al Ritchie","kind":"neighbourhood","city":"Regina","latitude":50.4425,"longitude":-104.585},
{"id":"regina-albert-park","name":"Albert Park","kind":"neighbourhood","city":"Regina","latitude":50.4073,"longitude":-104.6311},
{"id":"regina-arcola-east","name":"Arcola East","kind":"neighbourhood","city":"Regina","latitude":50.4331,"longitude":-104.536},
{"id":"regina-argyle-park","name":"Argyle Park","kind":"neighbourhood","city":"Regina","latitude":50.4903,"longitude":-104.6283},
{"id":"regina-beach","name":"Regina Beach","kind":"town","latitude":50.7915,"longitude":-104.9801,"population":1629},
{"id":"regina-boothill","name":"Boothill","kind":"neighbourhood","city":"Regina","latitude":50.4343,"longitude":-104.5716},
{"id":"regina-cathedral","name":"Cathedral","kind":"neighbourhood","city":"Regina","latitude":50.4451,"longitude":-104.6312},
{"id":"regina-centre-square","name":"Centre Square","kind":"neighbourhood","city":"Regina","latitude":50.4426,"longitude":-104.6081},
{"id":"regina-coronation-park","name":"Coronation Park","kind":"neighbourhood","city":"Regina","latitude":50.4784,"longitude":-104.6256},
{"id":"regina-dewdney-east","name":"Dewdney East","kind":"neighbourhood","city":"Regina","latitude":50.4543,"longitude":-104.5467},
{"id":"regina-dieppe-westerra","name":"Dieppe-Westerra","kind":"neighbourhood","city":"Regina","latitude":50.4573,"longitude":-104.6761},
{"id":"regina-eastview","name":"Eastview","kind":"neighbourhood","city":"Regina","latitude":50.4639,"longitude":-104.5894},
{"id":"regina-gladmer-park","name":"Gladmer Park","kind":"neighbourhood","city":"Regina","latitude":50.4362,"longitude":-104.6016},
{"id":"regina-harbour-landing","name":"Harbour Landing","kind":"neighbourhood","city":"Regina","latitude":50.4074,"longitude":-104.6523},
{"id":"regina-heritage","name":"Heritage","kind":"neighbourhood","city":"Regina","latitude":50.4482,"longitude":-104.6008},
{"id":"regina-hillsdale","name":"Hillsdale","kind":"neighbourhood","city":"Regina","latitude":50.42,"longitude":-104.6089},
{"id":"regina-lakeview","name":"Lakeview","kind":"neighbourhood","city":"Regina","latitude":50.4314,"longitude":-104.6233},
{"id":"regina-mcnab","name":"McNab","kind":"neighbourhood","city":"Regina","latitude":50.4504,"longitude":-104.6611},
{"id":"regina-normanview","name":"Normanview","kind":"neighbourhood","city":"Regina","latitude":50.4806,"longitude":-104.6625},
{"id":"regina-normanview-west","name":"Normanview West","kind":"neighbourhood","city":"Regina","latitude":50.4778,"longitude":-104.6756},
{"id":"regina-north-central","name":"North Central","kind":"neighbourhood","city":"Regina","latitude":50.4571,"longitude":-104.6278},
{"id":"regina-northeast-regina","name":"Northeast Regina","kind":"neighbourhood","city":"Regina","latitude":50.4768,"longitude":-104.6069},
{"id":"regina-prairie-view","name":"Prairie View","kind":"neighbourhood","city":"Regina","latitude":50.4767,"longitude":-104.6861},
{"id":"regina-regent-park","name":"Regent Park","kind":"neighbourhood","city":"Regina","latitude":50.4734,"longitude":-104.6464},
{"id":"regina-rosemont-mount-royal","name":"Rosemont-Mount Royal","kind":"neighbourhood","city":"Regina","latitude":50.4629,"longitude":-104.6648},
{"id":"regina-sherwood-mccarthy","name":"Sherwood-McCarthy","kind":"neighbourhood","city":"Regina","latitude":50.4917,"longitude":-104.6805},
{"id":"regina-twin-lakes","name":"Twin Lakes","kind":"neighbourhood","city":"Regina","latitude":50.5007,"longitude":-104.6753},
{"id":"regina-uplands","name":"Uplands","kind":"neighbourhood","city":"Regina","latitude":50.4934,"longitude":-104.6058},
{"id":"regina-walsh-acres-lakeridge-garden-ridge","name":"Walsh Acres-Lakeridge-Garden Ridge","kind":"neighbourhood","city":"Regina","latitude":50.497,"longitude":-104.6566},
{"id":"regina-whitmore-park","name":"Whitmore Park","kind":"neighbourhood","city":"Regina","latitude":50.4042,"longitude":-104.6067},
{"id":"rosetown","name":"Rosetown","kind":"town","latitude":51.5501,"longitude":-108.0014,"population":2309},
{"id":"rosthern","name":"Rosthern","kind":"town","latitude":52.6668,"longitude":-106.3345,"population":1405},
{"id":"saskatoon","name":"Saskatoon","kind":"city","latitude":52.1324,"longitude":-106.6689,"population":198958,"postalPrefixes":["S7H","S7J","S7K","S7L","S7M","S7N","S7P","S7R","S7S","S7T","S7V"]},
{"id":"saskatoon-adelaide-churchill","name":"Adelaide/Churchill","kind":"neighbourhood","city":"Saskatoon","latitude":52.1,"longitude":-106.6451},
{"id":"saskatoon-arbor-creek","name":"Arbor Creek","kind":"neighbourhood","city":"Saskatoon","latitude":52.1315,"longitude":-106.5718},
{"id":"saskatoon-aspen-ridge","name":"Aspen Ridge","kind":"neighbourhood","city":"Saskatoon","latitude":52.1777,"longitude":-106.552},
{"id":"saskatoon-avalon","name":"Avalon","kind":"neighbourhood","city":"Saskatoon","latitude":52.0967,"longitude":-106.6562},
{"id":"saskatoon-blairmore","name":"Blairmore","kind":"neighbourhood","city":"Saskatoon","latitude":52.1308,"longitude":-106.7428},
{"id":"saskatoon-blairmore-urban-centre","name":"Blairmore Urban Centre","kind":"neighbourhood","city":"Saskatoon","latitude":52.1281,"longitude":-106.7589},
{"id":"saskatoon-brevoort-park","name":"Brevoort Park","kind":"neighbourhood","city":"Saskatoon","latitude":52.11,"longitude":-106.6103},
{"id":"saskatoon-briarwood","name":"Briarwood","kind":"neighbourhood","city":"Saskatoon","latitude":52.1111,"longitude":-106.5591},
{"id":"saskatoon-brighton","name":"Brighton","kind":"neighbourhood","city":"Saskatoon","latitude":52.1274,"longitude":-106.5605},
{"id":"saskatoon-buena-vista","name":"Buena Vista","kind":"neighbourhood","city":"Saskatoon","latitude":52.1112,"longitude":-106.6659},
{"id":"saskatoon-caswell-hill","name":"Caswell Hill","kind":"neighbourhood","city":"Saskatoon","latitude":52.1403,"longitude":-106.6756},
{"id":"saskatoon-central-business-district","name":"Central Business District","kind":"neighbourhood","city":"Saskatoon","latitude":52.1303,"longitude":-106.6623},
{"id":"saskatoon-city-park","name":"City Park","kind":"neighbourhood","city":"Saskatoon","latitude":52.1382,"longitude":-106.6545},
{"id":"saskatoon-college-park","name":"College Park","kind":"neighbourhood","city":"Saskatoon","latitude":52.1214,"longitude":-106.5948},
{"id":"saskatoon-college-park-east","name":"College Park East","kind":"neighbourhood","city":"Saskatoon","latitude":52.1195,"longitude":-106.5756},
{"id":"saskatoon-confederation","name":"Confederation","kind":"neighbourhood","city":"Saskatoon","latitude":52.1391,"longitude":-106.7036},
{"id":"saskatoon-confederation-park","name":"Confederation Park","kind":"neighbourhood","city":"Saskatoon","latitude":52.1403,"longitude":-106.7367},
{"id":"saskatoon-confederation-urban-centre","name":"Confederation Urban Centre","kind":"neighbourhood","city":"Saskatoon","latitude":52.1321,"longitude":-106.7229},
{"id":"saskatoon-core-neighbourhoods","name":"Core Neighbourhoods","kind":"neighbourhood","city":"Saskatoon","latitude":52.1304,"longitude":-106.6723},
{"id":"saskatoon-downtown","name":"Downtown","kind":"neighbourhood","city":"Saskatoon","latitude":52.1264,"longitude":-106.6637},
{"id":"saskatoon-dundonald","name":"Dundonald","kind":"neighbourhood","city":"Saskatoon","latitude":52.1484,"longitude":-106.7284},
{"id":"saskatoon-eastview","name":"Eastview","kind":"neighbourhood","city":"Saskatoon","latitude":52.0945,"longitude":-106.6145},
{"id":"saskatoon-erindale","name":"Erindale","kind":"neighbourhood","city":"Saskatoon","latitude":52.1412,"longitude":-106.57},
{"id":"saskatoon-evergreen","name":"Evergreen","kind":"neighbourhood","city":"Saskatoon","latitude":52.1669,"longitude":-106.5672},
{"id":"saskatoon-exhibition","name":"Exhibition","kind":"neighbourhood","city":"Saskatoon","latitude":52.0986,"longitude":-106.6756},
{"id":"saskatoon-fairhaven","name":"Fairhaven","kind":"neighbourhood","city":"Saskatoon","latitude":52.1214,"longitude":-106.7284},
{"id":"saskatoon-forest-grove","name":"Forest Grove","kind":"neighbourhood","city":"Saskatoon","latitude":52.142,"longitude":-106.5909},
{"id":"saskatoon-greystone-heights","name":"Greystone Heights","kind":"neighbourhood","city":"Saskatoon","latitude":52.1187,"longitude":-106.6117},
{"id":"saskatoon-grosvenor-park","name":"Grosvenor Park","kind":"neighbourhood","city":"Saskatoon","latitude":52.1181,"longitude":-106.6284},
{"id":"saskatoon-hampton-village","name":"Hampton Village","kind":"neighbourhood","city":"Saskatoon","latitude":52.1542,"longitude":-106.7175},
{"id":"saskatoon-haultain","name":"Haultain","kind":"neighbourhood","city":"Saskatoon","latitude":52.11,"longitude":-106.6464},
{"id":"saskatoon-holiday-park","name":"Holiday Park","kind":"neighbourhood","city":"Saskatoon","latitude":52.1075,"longitude":-106.6984},
{"id":"saskatoon-holliston","name":"Holliston","kind":"neighbourhood","city":"Saskatoon","latitude":52.11,"longitude":-106.6301},
{"id":"saskatoon-holmwood","name":"Holmwood","kind":"neighbourhood","city":"Saskatoon","latitude":52.1234,"longitude":-106.539},
{"id":"saskatoon-hudson-bay-park","name":"Hudson Bay Park","kind":"neighbourhood","city":"Saskatoon","latitude":52.1453,"longitude":-106.6895},
{"id":"saskatoon-kensington","name":"Kensington","kind":"neighbourhood","city":"Saskatoon","latitude":52.1335,"longitude":-106.7596},
{"id":"saskatoon-king-george","name":"King George","kind":"neighbourhood","city":"Saskatoon","latitude":52.1178,"longitude":-106.6858},
{"id":"saskatoon-lakeridge","name":"Lakeridge","kind":"neighbourhood","city":"Saskatoon","latitude":52.0948,"longitude":-106.5756},
{"id":"saskatoon-lakeview","name":"Lakeview","kind":"neighbourhood","city":"Saskatoon","latitude":52.0953,"longitude":-106.5978},
{"id":"saskatoon-lakewood","name":"Lakewood","kind":"neighbourhood","city":"Saskatoon","latitude":52.1085,"longitude":-106.5903},
{"id":"saskatoon-lakewood-urban-centre","name":"Lakewood Urban Centre","kind":"neighbourhood","city":"Saskatoon","latitude":52.0996,"longitude":-106.5665},
{"id":"saskatoon-lawson","name":"Lawson","kind":"neighbourhood","city":"Saskatoon","latitude":52.1643,"longitude":-106.6388},
{"id":"saskatoon-lawson-heights","name":"Lawson Heights","kind":"neighbourhood","city":"Saskatoon","latitude":52.1711,"longitude":-106.6195},
{"id":"saskatoon-lawson-heights-urban-centre","name":"Lawson Heights Urban Centre","kind":"neighbourhood","city":"Saskatoon","latitude":52.17,"longitude":-106.6342},
{"id":"saskatoon-massey-place","name":"Massey Place","kind":"neighbourhood","city":"Saskatoon","latitude":52.1414,"longitude":-106.7192},
{"id":"saskatoon-meadowgreen","name":"Meadowgreen","kind":"neighbourhood","city":"Saskatoon","latitude":52.1189,"longitude":-106.7114},
{"id":"saskatoon-montgomery-place","name":"Montgomery Place","kind":"neighbourhood","city":"Saskatoon","latitude":52.1112,"longitude":-106.7289},
{"id":"saskatoon-mount-royal","name":"Mount Royal","kind":"neighbourhood","city":"Saskatoon","latitude":52.1359,"longitude":-106.7006},
{"id":"saskatoon-north-park","name":"North Park","kind":"neighbourhood","city":"Saskatoon","latitude":52.1473,"longitude":-106.645},
{"id":"saskatoon-nutana","name":"Nutana","kind":"neighbourhood","city":"Saskatoon","latitude":52.1189,"longitude":-106.6562},
{"id":"saskatoon-nutana-park","name":"Nutana Park","kind":"neighbourhood","city":"Saskatoon","latitude":52.0945,"longitude":-106.6301},
{"id":"saskatoon-nutana-sector","name":"Nutana Sector","kind":"neighbourhood","city":"Saskatoon","latitude":52.1,"longitude":-106.6371},
{"id":"saskatoon-nutana-urban-centre","name":"Nutana Urban Centre","kind":"neighbourhood","city":"Saskatoon","latitude":52.1022,"longitude":-106.6084},
{"id":"saskatoon-pacific-heights","name":"Pacific Heights","kind":"neighbourhood","city":"Saskatoon","latitude":52.1348,"longitude":-106.742},
{"id":"saskatoon-parkridge","name":"Parkridge","kind":"neighbourhood","city":"Saskatoon","latitude":52.1242,"longitude":-106.7512},
{"id":"saskatoon-pleasant-hill","name":"Pleasant Hill","kind":"neighbourhood","city":"Saskatoon","latitude":52.1256,"longitude":-106.6995},
{"id":"saskatoon-queen-elizabeth","name":"Queen Elizabeth","kind":"neighbourhood","city":"Saskatoon","latitude":52.1045,"longitude":-106.6568},
{"id":"saskatoon-river-heights","name":"River Heights","kind":"neighbourhood","city":"Saskatoon","latitude":52.1625,"longitude":-106.6342},
{"id":"saskatoon-riversdale","name":"Riversdale","kind":"neighbourhood","city":"Saskatoon","latitude":52.125,"longitude":-106.6787},
{"id":"saskatoon-rosewood","name":"Rosewood","kind":"neighbourhood","city":"Saskatoon","latitude":52.0927,"longitude":-106.5542},
{"id":"saskatoon-silverspring","name":"Silverspring","kind":"neighbourhood","city":"Saskatoon","latitude":52.1562,"longitude":-106.5923},
{"id":"saskatoon-silverwood-heights","name":"Silverwood Heights","kind":"neighbourhood","city":"Saskatoon","latitude":52.1798,"longitude":-106.6201},
{"id":"saskatoon-stonebridge","name":"Stonebridge","kind":"neighbourhood","city":"Saskatoon","latitude":52.0845,"longitude":-106.6227},
{"id":"saskatoon-sutherland","name":"Sutherland","kind":"neighbourhood","city":"Saskatoon","latitude":52.139,"longitude":-106.604},
{"id":"saskatoon-u-of-s-lands-south-management-area","name":"U of S Lands South Management Area","kind":"neighbourhood","city":"Saskatoon","latitude":52.1271,"longitude":-106.6204},
{"id":"saskatoon-university-heights","name":"University Heights","kind":"neighbourhood","city":"Saskatoon","latitude":52.1443,"longitude":-106.5787},
{"id":"saskatoon-university-heights-urban-centre","name":"University Heights Urban Centre","kind":"neighbourhood","city":"Saskatoon","latitude":52.1508,"longitude":-106.5751},
{"id":"saskatoon-varsity-view","name":"Varsity View","kind":"neighbourhood","city":"Saskatoon","latitude":52.1217,"longitude":-106.6403},
{"id":"saskatoon-westmount","name":"Westmount","kind":"neighbourhood","city":"Saskatoon","latitude":52.1337,"longitude":-106.6862},
{"id":"saskatoon-westview","name":"Westview","kind":"neighbourhood","city":"Saskatoon","latitude":52.1481,"longitude":-106.7031},
{"id":"saskatoon-wildwood","name":"Wildwood","kind":"neighbourhood","city":"Saskatoon","latitude":52.1098,"longitude":-106.5945},
{"id":"saskatoon-willowgrove","name":"Willowgrove","kind":"neighbourhood","city":"Saskatoon","latitude":52.1468,"longitude":-106.5547},
{"id":"shaunavon","name":"Shaunavon","kind":"town","latitude":49.6501,"longitude":-108.4181,"population":1658},
{"id":"shellbrook","name":"Shellbrook","kind":"town","latitude":53.2168,"longitude":-106.4011,"population":1192},
{"id":"swift-current","name":"Swift Current","kind":"city","latitude":50.2834,"longitude":-107.8013,"population":14703,"postalPrefixes":["S9H"]},
{"id":"tisdale","name":"Tisdale","kind":"town","latitude":52.85,"longitude":-104.051,"population":2862},
{"id":"unity","name":"Unity","kind":"town","latitude":52.4501,"longitude":-109.1682,"population":2475},
{"id":"wadena","name":"Wadena","kind":"town","latitude":51.95,"longitude":-103.801,"population":1319},
{"id":"waldheim","name":"Waldheim","kind":"town","latitude":52.621,"longitude":-106.653},
{"id":"warman","name":"Warman","kind":"city","latitude":52.3168,"longitude":-106.5679,"population":10961},
{"id":"watrous","name":"Watrous","kind":"town","latitude":51.6668,"longitude":-105.4679,"population":1865},
{"id":"weyburn","name":"Weyburn","kind":"city","latitude":49.6668,"longitude":-103.8511,"population":9362,"postalPrefixes":["S4H"]},
{"id":"white-city","name":"White City","kind":"town","latitude":50.4334,"longitude":-104.3678,"population":1813},
{"id":"wilkie","name":"Wilkie","kind":"town","latitude":52.4168,"longitude":-108.7014,"population":1198},
{"id":"wynyard","name":"Wynyard","kind":"town","latitude":51.7667,"longitude":-104.1844,"population":1793},
{"id":"yorkton","name":"Yorkton","kind":"city","latitude":51.2167,"longitude":-102.4677,"population":15669,"postalPrefixes":["S3N"]}
]' $$;

create function private.place_rank(place public.places, words text, code text) returns integer
language plpgsql stable set search_path = '' as $$
declare
  name constant text := private.search_text(place.name);
  label constant text := private.search_text(concat_ws(', ', place.name, place.city));
begin
  return case
    when words in (name, label) or exists (select from unnest(place.postal_prefixes) prefix where starts_with(prefix, code)) then 0
    when starts_with(label, words) or exists (
      select from unnest(place.other_names) other where starts_with(private.search_text(other), words)) then 1
    when position(' ' || words in name) > 0 then 2
    when length(words) >= 3 and extensions.dmetaphone(words) = extensions.dmetaphone(name)
      and extensions.similarity(words, name) >= 0.2 then 3
    when extensions.similarity(words, name) >= 0.4 then 4
  end;
end $$;

create function public.search_places(term text, max_results integer default 8) returns setof public.places
language sql stable set search_path = '' as $$
  select p.* from public.places p
  cross join (select private.search_text(private.trimmed(left(term, 100))) as words,
    left(substring(upper(left(term, 100)) from '^\s*([A-Z][0-9][A-Z]?)(?:\s*[0-9].*)?\s*$'), 3) as code) asked
  cross join lateral private.place_rank(p, asked.words, asked.code) as found (rank)
  where found.rank is not null
  order by found.rank, p.population desc nulls last, p.name, p.id
  limit least(greatest(coalesce(max_results, 8), 0), 20)
$$;

create policy "places are public" on public.places for select to anon, authenticated using (true);

grant select on public.places to anon;
grant select on public.places to authenticated;
grant delete, insert, references, select, trigger, truncate, update on public.places to service_role;
grant execute on function private.place_rank(public.places,text,text) to anon;
grant execute on function private.place_rank(public.places,text,text) to authenticated;
grant execute on function private.place_rank(public.places,text,text) to service_role;
grant execute on function public.search_places(text,integer) to anon;
grant execute on function public.search_places(text,integer) to authenticated;
grant execute on function public.search_places(text,integer) to service_role;

comment on column public.places.city is 'Name of the city of a neighbourhood; null for other places';
comment on column public.places.id is 'Short name that stays the same, such as saskatoon-nutana';
comment on column public.places.kind is 'city, town (every smaller place) or neighbourhood';
comment on column public.places.latitude is 'Degrees north of the centre, WGS 84';
comment on column public.places.longitude is 'Degrees east of the centre, WGS 84; negative in the west';
comment on column public.places.other_names is 'Other spellings and former names, which searches find, too';
comment on column public.places.population is 'Residents by the source of the data; null if not known';
comment on column public.places.postal_prefixes is 'First three characters of its postal codes, such as S4P';
comment on column public.places.time_zone is 'IANA name, such as America/Regina';
comment on table public.places is 'Cities, towns and neighbourhoods of the marketplace, written by private.load_places from supabase/places.json';

select private.load_places();

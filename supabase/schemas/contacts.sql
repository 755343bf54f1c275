-- Contact details and links in texts that people write before an application is accepted: questions, answers and the text of an
-- application. They are stored masked, so that no way of reading a text reveals them. Forms show the same before sending, by
-- shared/contacts.ts. tests/database/contacts.test.ts holds the two equal. docs/security.md lists what is
-- caught.

-- The text as it looks, a character for each: digits of all scripts, look-alike letters, dashes and spaces become ASCII. A text
-- of ASCII takes the first branch, because long lists make translate() slow.
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

-- One digit, also as a word in English, French, Spanish and German.
create function private.spoken_digit() returns text
language sql immutable set search_path = '' as $$
  select private.folded_contacts('(?:[0-9]|zero|one|two|three|four|five|six|seven|eight|nine|zéro|deux|trois|quatre|cinq|sept|huit|neuf|une|uno|un|cero|dos|tres|'
    'cuatro|cinco|seis|siete|ocho|nueve|null|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun)')
$$;

-- Digits that may be a phone number: seven at least, with at most four signs between two of them.
create function private.number_pattern() returns text
language sql immutable set search_path = '' as $$
  select '((?:\+ ?|\( ?)?' || private.spoken_digit() || '(?:(?:[ .,;:/|_*~•()+''"\u20e3-]|dash|tiret){0,4}' || private.spoken_digit() || '){6,}(?![0-9]*(?:st|nd|rd|th))\u20e3*)'
$$;

-- Patterns of links, addresses, handles and, as the last one, numbers, in the order in which they are masked. They are folded
-- like the text.
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

-- Whether digits are a phone number. `after` is the text behind them. Dates, times, years and amounts, alone or in a row, and lists
-- such as "10, 20, 30" are none. Seven or eight digits are one in some forms only, and not before a street.
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

-- The text with each contact detail and link replaced with "•••".
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

grant execute on function
  private.folded_contacts(text), private.contact_patterns(), private.spoken_digit(), private.number_pattern(),
  private.is_phone_like(text, text), private.masked_contacts(text)
to authenticated, service_role;

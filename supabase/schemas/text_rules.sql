-- Rules for texts that people enter: white space and invisible characters, names, addresses, and texts that pose as official.
-- shared/text.ts has the same rules for white space, invisible characters and the badge.

-- For bracket expressions: white space as in JavaScript's trim().
create function private.space_characters() returns text
language sql immutable set search_path = '' as $$
  select '\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'
$$;

-- For bracket expressions: Unicode's control characters, its default ignorable code points and the Braille blank.
create function private.hidden_characters() returns text
language sql immutable set search_path = '' as $$
  select '\u0001-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f'
    '\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufffb'
    '\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff'
$$;

-- Text without surrounding white space; '' if none of its characters is visible.
create function private.trimmed(value text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  space constant text := private.space_characters();
begin
  return case when value !~ ('[^' || space || private.hidden_characters() || ']') then ''
    else regexp_replace(value, '^[' || space || ']+|[' || space || ']+$', '', 'g') end;
end $$;

-- The number of characters, without invisible ones.
create function private.visible_length(value text) returns integer
language plpgsql immutable set search_path = '' as $$
begin
  return length(regexp_replace(value, '[' || private.hidden_characters() || '\ufeff]', '', 'g'));
end $$;

-- A name without invisible characters (except joiners, which scripts and emoji need) and with single spaces. Names that differ
-- only in these are the same name. Same as plainName in shared/text.ts.
create function private.plain_name(name text) returns text
language sql immutable set search_path = '' as $$
  select private.trimmed(regexp_replace(
    regexp_replace(name, '(?![\u200c\u200d\ufe0f])[' || private.hidden_characters() || ']', '', 'g'),
    '[' || private.space_characters() || ']+', ' ', 'g'))
$$;

-- Characters in a name that would pass for the verified badge; same as looksVerified in shared/text.ts.
create function private.forged_badge() returns text
language sql immutable set search_path = '' as $$
  select '[\u2705\u2611\u2713\u2714\U0001f5f8\U0001f5f9]'
$$;

-- Raises an error if a name breaks the rules for names. The name is passed as it will be stored, without surrounding white space.
create function private.require_name(name text) returns void
language plpgsql immutable set search_path = '' as $$
begin
  perform private.require(private.visible_length(name) >= private.rule('limits.name.min'),
    'profile.name_too_short', 'full_name');
  perform private.require(length(name) <= private.rule('limits.name.max'), 'profile.name_too_long', 'full_name');
  perform private.require(name !~ private.forged_badge(),
    'profile.name_check_mark', 'full_name');
  perform private.require(not private.has_hidden_characters(name),
    'profile.name_hidden_characters', 'full_name');
  perform private.require(not private.has_address(name),
    'profile.name_address', 'full_name');
  perform private.require(not private.poses_as_official(name, true),
    'profile.name_official', 'full_name');
end $$;

-- A list without empty entries and duplicates (ignoring case), in the given order.
create function private.distinct_words(words text[]) returns text[]
language sql immutable set search_path = '' as $$
  select coalesce(array_agg(word order by place), '{}') from (
    select distinct on (lower(word)) word, place
    from (select private.trimmed(w) as word, place from unnest(words) with ordinality as given (w, place)) as trimmed
    where word <> '' order by lower(word), place
  ) as kept
$$;

-- The length of the longest word; 0 if there are none.
create function private.longest_word(words text[]) returns integer
language sql immutable set search_path = '' as $$
  select coalesce(max(length(word)), 0) from unnest(words) word
$$;

-- Names and titles are part of e-mails. They must not contain addresses that a mail program turns into links, pose as
-- official, or contain invisible characters or ones that change the reading direction. The rules apply to new and changed
-- values only: a person or task whose older name or title breaks them can still be changed in every other way.

-- IANA's list of top-level domains (https://data.iana.org/TLD/tlds-alpha-by-domain.txt), and the reserved ones.
create function private.top_level_domains() returns text[]
language sql immutable set search_path = '' as $$
  select string_to_array(
    'aaa aarp abb abbott abbvie abc able abogado abudhabi ac academy accenture accountant accountants aco actor ad ads adult '
    'ae aeg aero aetna af afl africa ag agakhan agency ai aig airbus airforce airtel akdn al alibaba alipay allfinanz '
    'allstate ally alsace alstom am amazon americanexpress americanfamily amex amfam amica amsterdam analytics android anquan '
    'anz ao aol apartments app apple aq aquarelle ar arab aramco archi army arpa art arte as asda asia associates at athleta '
    'attorney au auction audi audible audio auspost author auto autos aw aws ax axa az azure ba baby baidu banamex band bank '
    'bar barcelona barclaycard barclays barefoot bargains baseball basketball bauhaus bayern bb bbc bbt bbva bcg bcn bd be '
    'beats beauty beer berlin best bestbuy bet bf bg bh bharti bi bible bid bike bing bingo bio biz bj black blackfriday '
    'blockbuster blog bloomberg blue bm bms bmw bn bnpparibas bo boats boehringer bofa bom bond boo book booking bosch bostik '
    'boston bot boutique box br bradesco bridgestone broadway broker brother brussels bs bt build builders business buy buzz '
    'bv bw by bz bzh ca cab cafe cal call calvinklein cam camera camp canon capetown capital capitalone car caravan cards '
    'care career careers cars casa case cash casino cat catering catholic cba cbn cbre cc cd center ceo cern cf cfa cfd cg ch '
    'chanel channel charity chase chat cheap chintai christmas chrome church ci cipriani circle cisco citadel citi citic city '
    'ck cl claims cleaning click clinic clinique clothing cloud club clubmed cm cn co coach codes coffee college cologne com '
    'commbank community company compare computer comsec condos construction consulting contact contractors cooking cool coop '
    'corsica country coupon coupons courses cpa cr credit creditcard creditunion cricket crown crs cruise cruises cu '
    'cuisinella cv cw cx cy cymru cyou cz dad dance data date dating datsun day dclk dds de deal dealer deals degree delivery '
    'dell deloitte delta democrat dental dentist desi design dev dhl diamonds diet digital direct directory discount discover '
    'dish diy dj dk dm dnp do docs doctor dog domains dot download drive dtv dubai dupont durban dvag dvr dz earth eat ec eco '
    'edeka edu education ee eg email emerck energy engineer engineering enterprises epson equipment er ericsson erni es esq '
    'estate et eu eurovision eus events exchange expert exposed express extraspace fage fail fairwinds faith family fan fans '
    'farm farmers fashion fast fedex feedback ferrari ferrero fi fidelity fido film final finance financial fire firestone '
    'firmdale fish fishing fit fitness fj fk flickr flights flir florist flowers fly fm fo foo food football ford forex '
    'forsale forum foundation fox fr free fresenius frl frogans frontier ftr fujitsu fun fund furniture futbol fyi ga gal '
    'gallery gallo gallup game games gap garden gay gb gbiz gd gdn ge gea gent genting george gf gg ggee gh gi gift gifts '
    'gives giving gl glass gle global globo gm gmail gmbh gmo gmx gn godaddy gold goldpoint golf goo goodyear goog google gop '
    'got gov gp gq gr grainger graphics gratis green gripe grocery group gs gt gu gucci guge guide guitars guru gw gy hair '
    'hamburg hangout haus hbo hdfc hdfcbank health healthcare help helsinki here hermes hiphop hisamitsu hitachi hiv hk hkt '
    'hm hn hockey holdings holiday homedepot homegoods homes homesense honda horse hospital host hosting hot hotels hotmail '
    'house how hr hsbc ht hu hughes hyatt hyundai ibm icbc ice icu id ie ieee ifm ikano il im imamat imdb immo immobilien in '
    'inc industries infiniti info ing ink institute insurance insure int international intuit investments io ipiranga iq ir '
    'irish is ismaili ist istanbul it itau itv jaguar java jcb je jeep jetzt jewelry jio jll jm jmp jnj jo jobs joburg jot '
    'joy jp jpmorgan jprs juegos juniper kaufen kddi ke kerryhotels kerryproperties kfh kg kh ki kia kids kim kindle kitchen '
    'kiwi km kn koeln komatsu kosher kp kpmg kpn kr krd kred kuokgroup kw ky kyoto kz la lacaixa lamborghini lamer land '
    'landrover lanxess lasalle lat latino latrobe law lawyer lb lc lds lease leclerc lefrak legal lego lexus lgbt li lidl '
    'life lifeinsurance lifestyle lighting like lilly limited limo lincoln link live living lk llc llp loan loans locker '
    'locus lol london lotte lotto love lpl lplfinancial lr ls lt ltd ltda lu lundbeck luxe luxury lv ly ma madrid maif maison '
    'makeup man management mango map market marketing markets marriott marshalls mattel mba mc mckinsey md me med media meet '
    'melbourne meme memorial men menu merckmsd mg mh miami microsoft mil mini mint mit mitsubishi mk ml mlb mls mm mma mn mo '
    'mobi mobile moda moe moi mom monash money monster mormon mortgage moscow moto motorcycles mov movie mp mq mr ms msd mt '
    'mtn mtr mu museum music mv mw mx my mz na nab nagoya name navy nba nc ne nec net netbank netflix network neustar new '
    'news next nextdirect nexus nf nfl ng ngo nhk ni nico nike nikon ninja nissan nissay nl no nokia norton now nowruz nowtv '
    'np nr nra nrw ntt nu nyc nz obi observer office okinawa olayan olayangroup ollo om omega one ong onl online ooo open '
    'oracle orange org organic origins osaka otsuka ott ovh pa page panasonic paris pars partners parts party pay pccw pe pet '
    'pf pfizer pg ph pharmacy phd philips phone photo photography photos physio pics pictet pictures pid pin ping pink '
    'pioneer pizza pk pl place play playstation plumbing plus pm pn pnc pohl poker politie porn post pr praxi press prime pro '
    'prod productions prof progressive promo properties property protection pru prudential ps pt pub pw pwc py qa qpon quebec '
    'quest racing radio re read realestate realtor realty recipes red redumbrella rehab reise reisen reit reliance ren rent '
    'rentals repair report republican rest restaurant review reviews rexroth rich richardli ricoh ril rio rip ro rocks rodeo '
    'rogers room rs rsvp ru rugby ruhr run rw rwe ryukyu sa saarland safe safety sakura sale salon samsclub samsung sandvik '
    'sandvikcoromant sanofi sap sarl sas save saxo sb sbi sbs sc scb schaeffler schmidt scholarships school schule schwarz '
    'science scot sd se search seat secure security seek select sener services seven sew sex sexy sfr sg sh shangrila sharp '
    'shell shia shiksha shoes shop shopping shouji show si silk sina singles site sj sk ski skin sky skype sl sling sm smart '
    'smile sn sncf so soccer social softbank software sohu solar solutions song sony soy spa space sport spot sr srl ss st '
    'stada staples star statebank statefarm stc stcgroup stockholm storage store stream studio study style su sucks supplies '
    'supply support surf surgery suzuki sv swatch swiss sx sy sydney systems sz tab taipei talk taobao target tatamotors '
    'tatar tattoo tax taxi tc tci td tdk team tech technology tel temasek tennis teva tf tg th thd theater theatre tiaa '
    'tickets tienda tips tires tirol tj tjmaxx tjx tk tkmaxx tl tm tmall tn to today tokyo tools top toray toshiba total '
    'tours town toyota toys tr trade trading training travel travelers travelersinsurance trust trv tt tube tui tunes tushu '
    'tv tvs tw tz ua ubank ubs ug uk unicom university uno uol ups us uy uz va vacations vana vanguard vc ve vegas ventures '
    'verisign vermögensberater vermögensberatung versicherung vet vg vi viajes video vig viking villas vin vip virgin visa '
    'vision viva vivo vlaanderen vn vodka volvo vote voting voto voyage vu wales walmart walter wang wanggou watch watches '
    'weather weatherchannel webcam weber website wed wedding weibo weir wf whoswho wien wiki williamhill win windows wine '
    'winners wme wolterskluwer woodside work works world wow ws wtc wtf xbox xerox xihuan xin xxx xyz yachts yahoo yamaxun '
    'yandex ye yodobashi yoga yokohama you youtube yt yun za zappos zara zero zip zm zone zuerich zw ελ ευ бг бел дети ею '
    'католик ком мкд мон москва онлайн орг рус рф сайт срб укр қаз հայ ישראל קום ابوظبي ارامكو الاردن البحرين الجزائر '
    'السعودية العليان المغرب امارات ایران بارت بازار بيتك بھارت تونس سودان سورية شبكة عراق عرب عمان فلسطين قطر كاثوليك كوم '
    'مصر مليسيا موريتانيا موقع همراه پاکستان ڀارت कॉम नेट भारत भारतम् भारोत संगठन বাংলা ভারত ভাৰত ਭਾਰਤ ભારત ଭାରତ இந்தியா '
    'இலங்கை சிங்கப்பூர் భారత్ ಭಾರತ ഭാരതം ලංකා คอม ไทย ລາວ გე みんな アマゾン クラウド グーグル コム ストア セール ファッション ポイント 世界 中信 中国 中國 中文网 亚马逊 企业 '
    '佛山 信息 健康 八卦 公司 公益 台湾 台灣 商城 商店 商标 嘉里 嘉里大酒店 在线 大拿 天主教 娱乐 家電 广东 微博 慈善 我爱你 手机 招聘 政务 政府 新加坡 新闻 时尚 書籍 机构 淡马锡 游戏 澳門 点看 移动 组织机构 '
    '网址 网店 网站 网络 联通 谷歌 购物 通販 集团 電訊盈科 飞利浦 食品 餐厅 香格里拉 香港 닷넷 닷컴 삼성 한국 example invalid localhost onion test', ' ')
$$;

-- Whether a text contains control characters, invisible characters, or marks that change the reading direction. Joiners
-- (U+200C, U+200D) are allowed after characters of the scripts that need them, such as Persian and Hindi, and in emoji;
-- flags of regions are emoji that end in tag characters.
create function private.has_hidden_characters(value text) returns boolean
language sql immutable set search_path = '' as $$
  select regexp_replace(value, '\U0001f3f4[\U000e0061-\U000e007f]+', '', 'g')
      ~ ('(?![\u200c\u200d\ufe0e\ufe0f])[\t-\r\u2028\u2029\ufeff' || private.hidden_characters() || ']')
    or value ~ '(^|[\u0001-\u05ff\u200c\u200d])[\u200c\u200d]'
$$;

-- Whether a text contains a web or e-mail address, also one written with full-width letters or another script's full stop.
-- 'J.P. Smith', 'Dr.Green', '5.0GHz' and '1.Cleaning' contain none.
create function private.has_address(value text) returns boolean
language plpgsql immutable set search_path = '' as $$
declare
  -- Letters of every script, digits and hyphens.
  label constant text := '0-9a-z\u00c0-\u1fff\u2c00-\u2dff\u3041-\ud7ff\uf900-\ufdff\U00020000-\U0003ffff-';
  -- Full stops of other scripts, which browsers read as a dot or which look like one.
  plain constant text := regexp_replace(
    lower(normalize(regexp_replace(value, '[' || private.hidden_characters() || ']', '', 'g'), NFKC)),
    '[\u3002\u06d4\u0701\u0702\ua4f8\ua60e\U00010a50\U0001d16d]', '.', 'g');
begin
  if plain !~ '[.@:]' then
    return false;
  elsif plain ~ ('[a-z][a-z0-9+.-]*:[/\\]{2}|\m(mailto|tel|sms|skype|whatsapp|tg|bitcoin):[^[:space:]]'
      || '|[^[:space:]@]@[^[:space:]@]*\.[' || label || ']{2}'
      || '|(^|[^' || label || '])www[0-9]?\.[' || label || ']'
      || '|(^|[^0-9.])([0-9]{1,3}\.){3}[0-9]{1,3}[/:]')
  then
    return true;
  end if;
  -- The words on both sides of each dot. An initial, a title or a number before a label that is also a rare domain
  -- ('J.Li', 'Mr.Ford', '2.Moving') is no address.
  return exists (
    with parts as (select part, place from regexp_split_to_table(plain, '\.') with ordinality as split (part, place)),
    labels as (
      select substring(earlier.part from '[^[:space:]()]+$') as word, substring(later.part from '^[' || label || ']{2,}') as label,
        later.part ~ ('^[' || label || ']+/') as has_path
      from parts earlier join parts later on later.place = earlier.place + 1)
    select from labels l
    where word <> '' and (l.label = any (private.top_level_domains()) or l.label like 'xn--%')
      and (has_path or word !~ '^(.|[0-9]{1,2}|mr|mrs|ms|dr|st|prof|no)$'
        or l.label in ('com', 'net', 'org', 'co', 'me', 'ca', 'io', 'ly', 'info', 'link', 'example'))
  );
end $$;

-- How a text looks: lower case, without accents, with look-alikes from other scripts, digits and signs as Latin letters. An i
-- becomes an l, because a capital I looks like one. The first branch has the ASCII characters of the second one's list, whose length
-- makes translate() slow.
create function private.confusable_skeleton(value text) returns text
language sql immutable set search_path = '' as $$
  select case when octet_length(value) = length(value) then translate(lower(value), '013457@$|!i', 'oleastaslll')
  else translate(
    normalize(regexp_replace(normalize(lower(normalize(value, NFKC)), NFKD), '[\u0300-\u036f]', '', 'g'), NFKC),
    '013457аеорсухкмтвніјѕԁԛԝӏгпѡһүԍαεορκωντιυηχγıɑɡɩʟʀᴀʙᴄᴅᴇꜰɢʜɪᴊ'
    'ᴋᴍɴᴏᴘꜱᴛᴜᴠᴡʏᴢƙłøđ@$|!🅐🅑🅒🅓🅔🅕🅖🅗🅘🅙🅚🅛🅜🅝🅞🅟🅠🅡🅢🅣🅤🅥🅦🅧🅨🅩🅰🅱🅲🅳🅴🅵🅶🅷🅸🅹🅺🅻🅼🅽'
    '🅾🅿🆀🆁🆂🆃🆄🆅🆆🆇🆈🆉🄰🄱🄲🄳🄴🄵🄶🄷🄸🄹🄺🄻🄼🄽🄾🄿🅀🅁🅂🅃🅄🅅🅆🅇🅈🅉🇦🇧🇨🇩🇪🇫🇬🇭🇮🇯🇰🇱🇲🇳🇴🇵🇶🇷🇸🇹🇺🇻'
    '🇼🇽🇾🇿i',
    'oleastaeopcyxkmtbhljsdqwlrnwhygaeopkwvtlunxylagllrabcdefghlj'
    'kmnopstuvwyzklodasllabcdefghljklmnopqrstuvwxyzabcdefghljklmn'
    'opqrstuvwxyzabcdefghljklmnopqrstuvwxyzabcdefghljklmnopqrstuv'
    'wxyzl')
  end
$$;

-- Words that suggest speaking for a company, in the languages of the app.
create function private.official_words() returns text[]
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

-- Whether a text poses as coming from the product. A name does if it is the product's name, or contains it and an
-- official word. In a title the two must be next to each other ('Moving help near Meadowlark Drive' is an ordinary
-- task).
create function private.poses_as_official(value text, is_name boolean) returns boolean
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

-- In languages written without spaces, the word can be part of a longer text.
create function private.is_official_word(look text) returns boolean
language sql immutable set search_path = '' as $$
  select exists (select from unnest(private.official_words()) word
    where word = look or (word !~ '^[a-z]' and position(word in look) > 0))
$$;

-- A name as typed, with single spaces: forbidden characters are refused, not removed unnoticed. A name without visible characters
-- becomes ''.
create function private.tidy_name(name text) returns text
language sql immutable set search_path = '' as $$
  select private.trimmed(regexp_replace(name, '[' || private.space_characters() || ']+', ' ', 'g'))
$$;

-- A sign-in provider's name for a person; null if it breaks the rules, so that the sign-in succeeds and the person enters a name
-- when finishing the account.
create function private.provided_name(name text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  kept constant text := left(private.plain_name(
    regexp_replace(private.plain_name(name), private.forged_badge(), '', 'g')), private.rule('limits.name.max'));
begin
  if kept = '' or private.has_hidden_characters(kept) or private.has_address(kept) or private.poses_as_official(kept, true) then
    return null;
  end if;
  return kept;
end $$;

grant execute on function
  private.trimmed(text), private.visible_length(text), private.space_characters(), private.hidden_characters(),
  private.plain_name(text), private.forged_badge(), private.distinct_words(text[]), private.require_name(text),
  private.longest_word(text[]), private.top_level_domains(), private.has_hidden_characters(text), private.has_address(text),
  private.confusable_skeleton(text), private.is_official_word(text), private.poses_as_official(text, boolean),
  private.tidy_name(text), private.official_words()
to anon, authenticated, service_role;

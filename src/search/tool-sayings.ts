// What people say, and the words that tools are declared with for it: the particular for the general, the thing for the deed. A data
// table; it is read from left to right only.

export const SAID = `
  which > list; what > get list; where > search find get; who > list user contact member; whose > owner; when > time date schedule list
  any > list search check; how > get; did > list check get; is > get check status; are > list get; does > get check; why > explain
  tell > message send; write > message post; drop leave > remove; leave > send; let > share allow add; new > latest recent; open > navigate

  know > memory search; forget > delete memory; remind > schedule reminder notification; jot > note store; mind learn > store memory; remembered > memory stored
  told said > recall search memory history; recollect > recall memory; stale outdated obsolete cleanup tidy clean > dream duplicate clear; wedding birthday anniversary > event memory
  remark > note comment memory; subject > topic; everything > all; latest newest > recent list; relevant > context search related; allergic favourite favorite > memory store

  yesterday ago earlier past > history log search; tomorrow tonight today week weekend month > event calendar; upcoming soon > event list; weekly daily nightly hourly monthly > schedule
  monday tuesday wednesday thursday friday saturday sunday > event schedule date; january february march april june july august september october november december > date event
  morning evening noon midnight afternoon > time schedule event; every each > schedule recurring; dentist doctor lunch dinner breakfast party interview exam haircut flight > event calendar
  visit > event navigate; when busy free > availability event; o'clock clock > time; am pm > time event

  offline > unpublish; online live > publish; online > web status; public > visibility publish; everybody everyone family band crowd > group all
  colleague boss manager teacher coworker teammate employee > user member contact; mother father brother sister mum mom dad uncle aunt cousin wife husband son daughter girlfriend boyfriend buddy neighbour > contact message
  someone somebody anyone anybody nobody people folks > contact user person member; person > contact user; aloud spoken voice hear > listen audio speech; radio > audio media; commute > playlist audio listen; unread > feed inbox messages
  newspaper magazine newspapers channel subscription > source feed; follow subscribe > add source; unfollow unsubscribe > remove source; headline headlines > feed news articles; election politics sports economy > news article search
  doi isbn paper book journal > source reference; thesis essay dissertation > project bibliography; apa mla chicago footnote citation > bibliography citation; evidence > source; trustworthy genuine reliable checked > verify verified
  colour color layout look font heading > theme css style; homepage > website page; diary journal > note post; tagline > settings title

  guitar piano ukulele > chord diagram instrument; finger fingering > chord diagram; semitone semitones higher lower > transpose; tune melody hymn > song; rehearsal gig concert show performance > setlist; repertoire > songs songbook
  laptop phone tablet computer desktop > device instance; stolen lost compromised > revoke; retire decommission > revoke remove; enrol > register; hang > close; call ring > room phone invite; video > call room; conference > room meeting
  thumb thumbs heart smile laugh > react reaction like; thumbs > rate like action; like liked love loved > like star react; lead leads client clients customer customers sales deal deals > pipeline prospect customer; dormant engaged contacted > stage
  proposal pitch offer > prospectus; prove own belong claim > identity verify attest; mastodon fediverse bluesky > identity crosspost post; elsewhere networks network platform > crosspost
  parcel > relay; dictate short brief > code; hook plug wire > connect register; unplug > disconnect remove; attached > connected list; redeem > accept; kick > remove; gone > delete; rid > delete; beside > add

  readme txt csv json yaml xml log config notes > file; pdf docx doc invoice contract report letter manual > document file; png jpg jpeg gif svg > image file; mp3 wav > audio file; mp4 > video; zip > archive file; excel xlsx > spreadsheet; powerpoint > presentation
  desk desktop downloads folder disk > directory file; hierarchy nested > tree; big large size heavy > info size metadata; remaining left space quota > storage usage stats; rights > permissions; touch allowed > access permission; permitted may > allowed
  link > url; temporary > link url expiry; website site homepage webpage > navigate page url; login logon > click form; google bing duckduckgo internet online > search web; press hit > click key press; tick > check; previous > back; markdown html > page fetch convert
  picture photo photograph > screenshot image; printable print > pdf; wrong broken fail failed failing > error health status; slow fast performance > explain analyze performance; wait until > wait; buttons > click; paste > type

  crash bug exception broken fault regression > issue error bug; feature request > issue; todo > task issue; crashes exceptions errors > error issue list; propose > create request; stage staged > add commit; tarball > archive; green red passing > build status run
  backlog sprint todo doing done > card list task board; assignee > assign; deadline > due date; comment remark > comment; wiki handbook manual guide documentation > page document; docs > documentation search; sentence quote > text; called used defined > code search reference
  columns fields > describe table schema; rows entries > query table count; join select > query; connections > health; graph > entities; fact facts > observation; 

  lamp lamps light lights bulb > turn_on turn_off light; dark > light; bright brightness dim > brightness light; kitchen bedroom bathroom garage garden hall living > area room entity; warm cold hot degrees heating radiator ac chilly > temperature climate; locked door window doors > state lock sensor; garage blinds shades curtains > cover position
  vacuum fan tv oven kettle > entity turn_on device; scene movie night > scene; jazz rock classical music song album > play music media; louder quieter loud volume > volume; skip > next; playing > now playing current; radio > play media
  restaurant restaurants cafe cafes bar pizza hotel museum pharmacy supermarket shop bakery > place local search; near nearby around closest > local place search; station airport street > place directions; drive walk car bus train bike > directions travel route; far away > distance
  rain raining snow sunny sun umbrella wind windy storm hot weather cloudy > weather forecast; storm hurricane flood > weather alert; coordinates latitude longitude > geocode location; trip journey route > directions; flights flight hotel > travel search booking
  french spanish german english italian portuguese chinese japanese russian > translate language; tokyo london paris york berlin madrid > timezone location; abroad > timezone; meaning > definition; spell > check

  mail mails email emails letter > email message; boss > send; subject > email; label folder > label; bank > account email; spam junk > email delete label; recipient > to; sheet cell formula > spreadsheet; 
  bill bills owe > invoice; pay paid paying > payment customer; money cash funds > balance payment amount; refund reimbursed > refund; subscription > subscription; cheap expensive cost > price; salary > payment; shopping cart basket > order product; buy > order purchase; stock shares > quote price
  containers container nginx image > container; printed output > logs; server > host; crashloop > pod; deploy deployed > deployment; uptime down outage > status incident; memory cpu > metrics usage
  think ponder > reasoning thought; puzzle problem > thinking problem; calculate percent plus minus times sum > calculate math; random dice > random generate; uuid > generate
  paint draw sketch render illustrate > generate image; wallpaper backdrop > background; desktop > background; summary > summarize; transcript > transcript; subtitles > transcript; tweet tweets twitter > post; likes followers > user profile
  password passwords > secret; dns domain > domain; ip > network address; vulnerability hacked > security alert; package library dependency > package version; documentation > docs

  happen happened changed change touched > history changes; typo mistake error > edit update; bigger smaller larger > resize; queued pending waiting > list queue pending; export backup migrate hugo jekyll > export; rate > action
  news story stories headline headlines newspaper press > article media feed news; unread > feed article unread message; mail newsletter > digest; push > notification send; phone > notification
  raise lower increase decrease > update set; editor viewer owner guest > role member; rights allowed permitted may > capability permission role; edited changed > audit history log; cited > source citation bibliography
  random general > channel; together > group; friends > contact group; nostr wss > relay; waiting queued > queued pending list; others > contact user; connection connected > status; people > contact; stored saved kept > list file memory
  vector vectors embedding semantic > embeddings; fire fires > run; nightly > schedule; bin > delete; lately > recent list; shape structure > schema; wish > request; full > get; entire > all; genuine > verify; mine my me > own
  total totals numbers > stats; figure > stats; status > status; working works > status health; quota > stats; chats > group message list; friends > contacts; relays > relay; devices > instances list; synchronise sync synchronisation > sync; clash clashed > conflict
`

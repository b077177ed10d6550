// Words that mean the same of a tool, and turns of speech. A data table, for the index of tools only: what is the same to a tool
// ("drop", "erase") need not be the same in a memory.

/** What tools do. Words of one entry stand for one another. */
export const VERBS = `
  create make new add generate; create write compose draft; create open start begin; create insert register; create build; create record; create post; create set
  add insert append attach put; add register; add include; add enter; add create; add push; add save store; add set; put set place; put write upload store; put move
  register enrol enroll add; configure define set setup; set change update adjust; set assign; set enable
  delete remove erase drop destroy trash discard expunge; delete clear wipe purge empty; remove detach unlink disconnect; dismiss hide clear; delete cancel; delete archive; remove uninstall; unregister deregister remove; unstage reset
  search find lookup query locate; search seek discover explore; find list; find get; search list filter; find match; query ask select run; recall remember retrieve
  get show read view retrieve fetch; get display; get describe; get open; get load; get check; get see inspect; get obtain receive; get download; read open load; read view; list get; show list; view list; list browse enumerate; list all; list see; view watch; describe explain detail details; show display
  update change edit modify alter adjust patch; update correct revise fix rewrite amend; edit amend revise; update set; update upsert; update replace; edit replace; rename move; move relocate transfer; order reorder sort arrange; modify move; reschedule move update; increase raise; decrease lower reduce
  send deliver transmit dispatch; send post; send share forward; send message mail; send write; post publish; post write comment; publish release deploy; publish share; share give grant pass; reply answer respond; say speak; notify alert warn inform
  save store keep persist preserve; save write; save download export; store remember; download fetch get; download export; upload attach import; upload put; upload add; import load; copy duplicate clone fork; backup export; sync synchronise synchronize refresh
  run execute invoke perform; run start launch trigger; run evaluate; start begin; start resume; stop halt end quit terminate kill close; stop pause cancel; pause suspend hold; resume continue unpause; restart reboot rerun retry; play start; play resume; skip next; call invoke
  enable activate turn_on unmute; disable deactivate turn_off mute; cancel abort withdraw; revoke withdraw retract; accept join redeem agree; decline reject refuse; approve accept allow confirm; allow permit grant; block ban deny; lock secure; unlock open
  check verify validate confirm test inspect; verify prove; check status; review approve; check diagnose analyze; analyze analyse examine evaluate; analyze review; measure monitor track; track log record; compare diff
  refresh update reload; fetch pull; push commit upload; merge combine join; split divide separate; count number total; summarize summarise shorten condense; extract parse scrape crawl
  schedule plan arrange book reserve; schedule create; snooze postpone delay defer; assign delegate allocate; unassign remove; invite ask add; connect link attach join; link relate associate; follow subscribe; unsubscribe unfollow; subscribe watch; sign attest certify; rate like; star favourite favorite bookmark; listen hear
  convert transform change; translate convert; transpose convert; compress shrink zip; resize scale; calculate compute solve; type enter input fill; click press tap; navigate go visit open browse; wait sleep; scroll swipe; hover mouse; select choose pick; switch change checkout; think reason reflect consider; guess predict estimate
  pay charge buy purchase; refund return reimburse; bill invoice charge; order buy purchase; book reserve; dim lower; lower decrease; close shut; open show
`

/** What tools do it to. Words of one entry stand for one another. */
export const NOUNS = `
  picture image photo photograph pic; image illustration drawing; screenshot image capture; screenshot snapshot; wallpaper background backdrop; icon logo; gallery album images; video clip movie film; video youtube; diagram chart graph plot
  file document; document doc; attachment file; pdf file document; folder directory; directory path; disk filesystem drive; storage bucket cloud s3; quota capacity space usage; url link address uri; content contents text body; size length; metadata info information details properties; line row
  calendar agenda diary; event appointment meeting; event occasion session; appointment booking reservation; free busy available availability; reminder notification; alarm timer; time hour clock; date day; schedule timetable cron; schedule recurring; deadline due; duration length
  issue ticket bug; issue defect problem error; pr prs pull_request; diff changes patch; change commit; repository repo; repository codebase; repository project; code source; branch version; developer user; ci build workflow pipeline; workflow automation action; release version tag; label tag; milestone sprint cycle; review feedback; log logs history; commit history log
  note memo annotation; memory memories recollection; fact observation memory; insight idea thought; entity node; entity object; relation link relationship edge connection; graph network; knowledge memory
  contact friend person; contact people; user member person; user people; user account profile; account profile; member participant attendee guest; collaborator member; customer client; company organisation organization business; employee user member; role permission; right permission access; capability permission; owner admin; team workspace; team group; group chat; channel room; channel chat
  song track tune; song music; music audio; audio sound; chord chords; lyrics song; setlist programme program; songbook songs; key pitch; volume loudness; album record; artist singer band musician; playlist queue; playlist list; playback player; speaker device player
  feed rss; news headlines headline; news story stories; article story; article post; post entry; podcast episode; source feed; source publication; briefing bulletin; digest newsletter; media music; subscription source
  citation reference; bibliography references citations; source reference; source paper; paper article study publication; book source; quote citation; abstract summary
  blog website site; website webpage page site; theme style appearance; css style; tag topic keyword; slug address; draft unpublished; settings preferences options configuration config; setting option parameter; instruction instructions prompt; context instructions; section part block chapter; paragraph block text
  message dm; message mail email; message chat; email mail; inbox messages; thread conversation; thread discussion; conversation chat; comment remark; comment reply; reply answer response; emoji reaction; call phone; room call; voice audio speech; invite invitation; code token; code pin
  device machine computer; instance server; instance installation; server host; conflict clash collision; sync synchronisation synchronization; identity handle account; handle username nickname; proof attestation; notification alert notice; warning alert; status state condition; health status; statistics stats; stats numbers figures metrics count; total count; summary overview; history activity; audit history log; recent latest newest last
  project workspace; project research; backend connector connection; tool function command; task todo; task job; task issue; subtask task; board kanban; card task; list column; checklist checkbox; priority importance urgency; stage phase step; progress status
  table spreadsheet; spreadsheet sheet workbook excel; sheet tab; cell range; row record entry; record item; column field; field property attribute; database db; database schema; schema structure; query sql; plan explain; index indexes; embedding vector; page document wiki; block paragraph content; slide presentation
  page website; web internet; tab window; form field; button element; option choice; screenshot picture; console log; error exception; error failure crash; request traffic; javascript script code; dialog popup; dropdown select; keyboard key; mouse pointer
  light lamp bulb; light lights; switch socket plug; heating thermostat climate; heating temperature; temperature warmth heat; blind shutter curtain cover; scene mood; automation routine; house home; room area; entity device; sensor reading
  place location; place business; restaurant cafe; map location; route directions way; directions navigation; address location; coordinates latitude longitude position; geocode coordinates; distance far; weather forecast; forecast prediction; alert warning; timezone zone; city town place
  client prospect; prospect lead; lead contact; pipeline funnel; deal opportunity; prospectus proposal pitch; invoice bill; payment charge; subscription plan; price cost; product item; balance funds money; transaction payment; order purchase; stock share; budget cost
  container docker; container instance; pod container; cluster kubernetes; deployment release; log logs output; environment variable; secret credential password; incident outage alert; dashboard panel; metric measure; trace stack; image picture; process job; port network; domain dns
  person human; language translation; text string; word term; definition meaning; transcript captions subtitles; answer reply; question query; problem issue; thought step; step stage; file attachment; model ai llm; prompt question
  multiple several many; bulk multiple; all everything whole entire; complete entire full; current now present; default main; next following; previous last back; recurring repeating repeat periodic; duplicate double twice; local near nearby
`

/** Verbs and their particles, and other turns of speech, with what they mean; a few words may stand between. */
export const PHRASES = `
  put together = create make assemble; hang on to = store keep save; hold on to = store keep save; look up = search get; look for = search find; look into = search get; look at = get show; dig through = search; search through = search; hunt down = search; find out = search get; come across = find
  get rid of = delete remove; throw away = delete; throw out = delete; take out = remove delete; take off = remove; cross out = delete; take down = unpublish delete; do away with = delete
  leave out = remove; kick out = remove; take away = remove revoke; take back = revoke unpublish; take offline = unpublish; bring down = unpublish; put away = archive; set aside = archive save; file away = archive
  turn on = turn_on enable activate; switch on = turn_on enable activate; turn off = turn_off disable; switch off = turn_off disable; power on = turn_on start; power off = turn_off stop; turn up = volume increase set; turn down = volume lower set decline
  shut down = stop turn_off close; light up = turn_on; bring up = start get; spin up = start create run; boot up = start; fire up = start; start up = start
  write down = note store add; note down = note store add; put down = note store; jot down = note store add; keep in mind = store memory; bear in mind = store memory; make a note = note add store
  bring back = recall restore; call off = cancel delete; hang up = close end; set up = create register configure; sign up = register create; come up = list event next; coming up = list event calendar
  fill in = fill form; fill out = fill form; type in = type enter; log in = login; sign in = login; log out = logout; sign out = logout; go to = navigate; go back = navigate_back back; go over to = switch checkout; return to = back; change to = switch set; switch to = switch checkout set
  how many = stats count statistics; how much = stats quota usage balance amount; number of = stats count; how often = stats count; how full = stats status; how big = info size; how large = info size; how far = distance; how long = duration time
  how warm = state temperature; how cold = state temperature; how hot = state temperature; how do i get = directions route; way to = directions route; get from = directions route; what time = time current; step by step = sequential steps
  who am i = me identity profile; at once = multiple bulk all; all at once = all bulk; more than one = multiple; right now = current now; so far = list history; up to date = update refresh sync
  every day = schedule daily; every week = schedule weekly; each day = schedule daily; each night = schedule; every month = schedule monthly; every morning = schedule daily digest; every hour = schedule; per day = daily
  over time = history; sorted by = list sort; list of = list; index of = list; kind of = type; kinds of = types; sort of = type; made up of = list
  pull request = pr pull_request; merge request = pr pull_request; change request = pr pull_request; code base = codebase repository code; source code = code; working copy = status working tree; stack trace = error details issue
  file system = filesystem; data base = database; web site = website; web page = webpage page; e mail = email; to do = task todo; check list = checklist; time zone = timezone; spread sheet = spreadsheet; screen shot = screenshot; play list = playlist
  read out = listen voice speech; read aloud = listen voice speech; out loud = listen voice speech; reads to = listen voice; thumbs up = thumbs_up react like action; thumbs down = thumbs_down action; mark as = action mark update
  put online = publish; go live = publish; make public = publish visibility; make live = publish; send out = send publish; send me = send; sent me = inbox received message; write to me = inbox message received; wrote to me = inbox message received; written to me = inbox message; write to = send message; drop a line = send message; tell that = send message; tell how = get; let know = send message notification
  give access = add share grant member; let in = add accept; let read = share; let see = share show; let have = share; stop sharing = revoke; cut off = revoke; lock out = revoke; back up = backup export; hand over = share transfer; pass on = share
  carry on = resume continue; start over = restart; try again = retry rerun; run again = rerun; put off = snooze delay; bring forward = update move; move to = move update; put in = add create; put on = play add turn_on; put into = add move translate; work out = calculate
  sum up = summary; boil down = summary; point out = comment; talked about = search memory; catch up = feed digest inbox; check off = complete checklist verify; tick off = complete verify checklist; speak about = search
  tell you = recall search memory; told you = recall search memory; know about me = memory search; about me = memory context
  commit to memory = store memory; from now on = store memory; works cited = bibliography; reference list = bibliography references; fact check = verify; do not disturb = notification settings; shut up = notification settings disable; mental note = store memory
  keep track = store log add; keep an eye = watch monitor subscribe; get in touch = send message contact; reach out = send message; talk to = room call message; speak to = room call message; catch up with = message; say to = send message; say that = send message
  subscribe to = add source subscribe; sign off = approve; check in = commit; check out = checkout get; roll back = revert restore; hold off = snooze pause; close down = close stop; wrap up = close complete; run through = list read; go through = list read; bring in = import add; pull in = import add fetch
  search for = search; ask for = request; ask about = search; swap out = replace update; fill up = fill; clean up = dream clear delete; tidy up = dream clear; cut down = reduce; pair up = connect invite; link up = connect; hook up = connect register; team up = add member
  in common = list; look like = theme design snapshot; looks like = theme snapshot; get back = restore return; send back = return reply; come back = resume; give back = return refund; ring up = call room; speed up = performance; slow down = performance
  you know = memory search; you noted = memory; you have on = memory; you saved = memory list; you stored = memory list; you remember = memory list; you learned = memory list; i said = memory search recall; i ever = memory search recall; you keep = memory list; you think = memory
  to all = group message; to everyone = group message; to everybody = group message; with everyone = group share; not see = revoke remove; not have access = revoke remove; no longer = remove update revoke; any more = remove revoke stop; no access = revoke remove; not part = remove member
  anything about = search; anything on = search; anything by = search; something about = search; something on = search; everything about = search; this link = url fetch; running order = setlist; in the papers = news article; in the news = news article; round up = digest briefing; push back = update move snooze
  remember this = store memory; remember that = store memory; remember me = store memory; not forget = store memory remember; take over = assign transfer; more of that = like action; post for me = inbox
  free time = free_busy free; free slot = free_busy free; next to = near; near me = local near place; due date = due; pop up = dialog; drop down = dropdown select; make sure = verify ensure; work on = project; take part = member list; belong to = identity member; money back = refund
`

/** Words that only carry a request; they count little. */
export const CARRYING = `
  please want need like give get let tell help kindly thanks thank hey hi would could should can may might must able currently now
  item items really quickly just still yet already something anything thing things stuff ones exactly actually maybe kind sort way use do done doing
  want wish looking try trying going go take put keep see know bring come tool tools function please possible available somehow
`

/** Words that say when, mostly beside what is meant. */
export const WHENS = `
  monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december
  today tonight tomorrow yesterday morning noon afternoon evening midnight week weekend month
`

// The words people say for the words tools are declared with. A data table, for the index of tools only: what means the same of a
// tool ("drop", "erase") need not mean the same in a memory.

/** Words of one line stand for one another. */
export const ALIKE = `
  create make new add build generate compose draft; create start begin open found establish; add insert append attach include put
  create write record register; add put enter place; register enrol enroll; set configure define; set change adjust
  delete remove erase drop destroy trash discard; delete clear wipe purge; remove detach unlink disconnect; dismiss hide clear discard acknowledge
  search find lookup locate query seek discover; search google hunt dig scan; match matching; recall remember
  list show browse enumerate overview display; get show read view retrieve fetch open see inspect; get obtain; list all; return give
  detail details info information metadata full describe; content contents text body
  update change edit modify alter adjust revise correct fix rewrite amend; rename name title; move relocate transfer; order reorder sort
  send deliver transmit message; send post share; post publish; publish release; share give grant pass; reply answer respond response
  save store keep persist preserve remember; download export fetch; upload attach import; copy duplicate clone fork
  run execute start launch trigger invoke; stop halt end quit terminate close; pause suspend disable; resume continue; restart rerun retry
  enable activate on; disable deactivate off; cancel abort withdraw revoke; revoke withdraw retract; accept join redeem agree; decline reject refuse
  check verify validate confirm test inspect; verify prove genuine trust; confirm approve; approve accept; review approve
  refresh update sync synchronise synchronize reload; fetch pull; push commit upload; merge combine join; compare diff difference changes
  count number total statistics stats figures metrics amount; summary overview digest summarise summarize; status state condition health
  history log past earlier activity audit; recent latest newest last; recurring repeat repeating regular schedule cron periodic
  schedule plan book arrange; snooze postpone delay; assign delegate; invite ask; connect link attach; block ban; follow subscribe subscription
  unsubscribe unfollow; subscribe watch; sign attest certify; rate like thumbs; star favourite favorite bookmark; listen hear audio aloud speech spoken voice
  convert transform translate; transpose key; compress shrink; resize size; calculate compute; type enter input fill; click press tap push
  navigate go visit open browse; wait pause; upload file; scroll page; hover mouse pointer; select choose pick option

  picture image photo photograph pic screenshot illustration; wallpaper background backdrop; icon logo; gallery picture image album
  file document attachment upload pdf; folder directory path; disk filesystem drive; storage bucket cloud s3 space; quota capacity space; url link address
  calendar event appointment meeting date agenda; event occasion; free busy available availability; reminder alarm notification; time hour clock
  issue ticket bug defect problem; pull pr; repository repo codebase project; branch fork; commit change; code source; developer user; ci build workflow pipeline
  note memo annotation remark jotting; memory memories recollection remembered fact; remember memory; idea insight thought; duplicate twice
  contact friend person people acquaintance peer; user member person people account profile; member participant collaborator colleague teammate
  role permission right access capability allowed; owner admin; team workspace organisation organization company; group chat conversation
  song tune track music piece; chord chords fingering; lyrics words text; setlist gig concert programme program set; songbook songs; key pitch semitone
  feed news rss headline headlines stories; article story post entry piece; newspaper paper magazine source feed; podcast episode show; video youtube clip
  channel feed; briefing bulletin; digest newsletter; playlist queue; media music; bookmark save
  citation bibliography reference references cite; source reference paper book publication; paper article study; bibliography works
  blog website site weblog; post article blog entry; theme look style appearance design css; tag label topic keyword; slug address; draft unpublished
  message dm mail email note text; mail email e-mail inbox letter; inbox incoming received; conversation thread discussion chat; comment remark reply
  emoji reaction react smiley; call room phone; video call; voice spoken speak; relay server; invite invitation code; code token pin
  device computer laptop machine phone instance installation; instance server gateway installation; conflict clash collision; sync synchronise synchronize
  identity account handle profile who; handle username nickname; fediverse mastodon; crosspost cross network platform; attestation proof statement
  notification alert notice notify warning; setting settings preference preferences option configuration; instruction instructions context prompt guidance
  section part block paragraph chapter; project research workspace study thesis; backend connector connection data; tool function command action
  task todo job chore; board kanban; card task; list column; checklist checkbox tick; due deadline; label tag; priority urgency importance
  table spreadsheet sheet; row record entry; column field; database db sql; schema structure; query sql; plan explain slow; index search
  page website webpage site web; web internet online; browser tab window; form field input; button link; screenshot capture snapshot; console error
  request http; script javascript; dialog popup alert modal; dropdown select menu; keyboard key
  light lamp bulb; switch socket plug; heating thermostat climate temperature heater; temperature warm cold degrees; blind shutter curtain cover
  lock door; scene mood; automation routine; house home; room area; sensor reading; device entity; music media player; volume loud
  restaurant place business shop local nearby; map route directions location place; weather forecast temperature; distance far
  client customer prospect lead; prospect lead; stage phase step; pipeline funnel sales; proposal prospectus pitch offer; invoice bill payment charge
  payment pay charge; order purchase; price cost; product item; refund return; balance money account

  person human; timezone time zone; convert time; graph knowledge; entity node; relation link edge; observation fact; thought think reason reasoning
  container docker; pod kubernetes cluster; deploy deployment release; log logs; error exception crash failure; server host machine; environment env variable
  staged stage; working status; diff change; checkout switch branch; stash; tag release; secret password credential; alert incident outage
  dashboard chart graph; metric measure; customer user; employee colleague; contract agreement; vector embedding embeddings semantic similarity
  echo repeat; sum add; fetch url page; translate language; summarize shorten; transcript subtitle caption; slide presentation; cell range
`

/** Left of the sign what people say, right of it what tools are declared with; one way only. */
export const SAID = `
  which list; what get list; where search find get; who list user contact member; whose owner; when list schedule time date; any list search check
  how get; did list check get; is get check status; are list get; does get check; why explain
  tell message send; write create post message send; drop remove; leave send remove; let share allow add
  know memory search; forget delete memory; remind schedule notification reminder; jot note store; note note store; mind store memory; learn store memory
  told memory recall search; said memory search message; mentioned memory search; recollection memory; recollect memory recall
  stale dream duplicate; outdated dream stale; cleanup dream; tidy dream clean; clean dream clear
  yesterday history past; tomorrow event calendar; today event calendar list; week event calendar; weekly schedule; daily schedule; nightly schedule cron
  monday schedule event; tuesday schedule event; wednesday schedule event; thursday schedule event; friday schedule event; saturday schedule event; sunday schedule event
  every schedule recurring; morning schedule daily digest; evening schedule daily; hourly schedule cron; noon time; midnight cron
  dentist event calendar; doctor event calendar; lunch event calendar; birthday event memory; visit event; agenda event calendar
  offline unpublish; live publish; online publish web status; public publish visibility
  everybody group all; everyone group all; family group; band group; friends contacts; colleague member user; collaborator member; brother contact; sister contact
  mother contact; father contact; buddy contact; someone contact user; somebody contact user; anyone contact user
  aloud listen audio speech; spoken voice audio; hear listen; radio media audio; commute playlist; unread feed inbox; headline feed news
  newspaper source feed; magazine source feed; channel source; follow source add; unfollow remove source; unsubscribe remove source; subscription source
  doi source; isbn source; thesis project; essay bibliography; apa bibliography; mla bibliography; chicago bibliography; footnote citation; quote note quote
  evidence source; trustworthy verify; genuine verify; colour color theme; layout theme; look theme; wordpress blog; diary post note
  guitar chord diagram; piano chord diagram; semitone transpose; higher transpose; lower transpose set; tune song; melody song; rehearsal setlist; repertoire songbook
  laptop device instance; phone device; stolen revoke; lost revoke; paired instance; machine instance
  hang close end; call room invite; video room video; conference room
  thumb react action like; heart react emoji; love react; smile react
  proposal prospectus stage; lead consulting pipeline prospect; client consulting pipeline; customer pipeline; sales consulting pipeline; deal pipeline stage
  lamp light turn; kitchen light entity; bedroom entity; warm temperature state; cold temperature state; locked state; dim brightness light; bright brightness
  garage cover; jazz media; radiator temperature; ac temperature; ticket issue; crash issue; bug issue; green build
  google search web; internet web; lookup search; online web; look search get; pizza local restaurant; near local; nearby local; photo image; tutorial video
  button click; press click key; tap click; website page navigate; webpage page navigate; url navigate; login click form; back back
  wrong error; slow explain; broken health; many count stats; much stats usage; number stats count; total stats; full status stats; left remaining quota
  disk file storage; hierarchy tree; nested tree; big info size; large size info; permission capability
  propose create request; backlog card list; done card; board list; assignee assign; deadline due
  vector embedding; semantic embedding; retire revoke; redeem accept; kick remove member; fire run next; fires run; trash delete; bin delete; gone remove
  backup export; migrate export; hugo export; jekyll export; leave remove; away remove; rid delete; lately recent list; soon upcoming; pending queued list
  prove attest identity; own identity; belong verify identity; claim verify identity; fediverse identity crosspost; mastodon identity crosspost
  elsewhere crosspost; network crosspost; platform crosspost transform
  parcel relay; dictate short code; brief short; hook register connect; plug connect; unplug remove disconnect; attached list connected
  sentence text; paragraph block text; wiki page; knowledge page memory; doc document page; handbook page
  paint generate image background; draw generate image background; wallpaper background; sketch image
  happen history list; happened history; changed audit history; did history list; touched changed files; typo edit; mistake edit correct; wrong edit
  bigger resize; smaller resize; window resize; quicker speed; compile build; tests run
`

/** Verbs and their particles, and other turns of speech, with what they mean; up to a few words may stand between. */
export const PHRASES = `
  look up = search get lookup; look for = search; look into = search get; dig through = search; search through = search; hunt down = search
  get rid of = delete remove; throw away = delete; throw out = delete; take out = remove delete; take off = remove; cross out = delete; take down = unpublish delete
  leave out = remove; kick out = remove; take away = remove revoke; take back = revoke unpublish; take offline = unpublish; bring down = unpublish; put away = archive
  turn on = turn_on enable activate; switch on = turn_on enable activate; turn off = turn_off disable; switch off = turn_off disable; power on = turn_on; power off = turn_off
  shut down = turn_off close stop; put out = turn_off publish; light up = turn_on
  write down = note store add; note down = note store add; put down = note store; jot down = note store add; keep in mind = store memory; bear in mind = store memory
  bring back = recall restore; call off = cancel delete; hang up = close end; call up = call get; set up = create register configure; sign up = register create
  fill in = fill form; fill out = fill form; type in = type enter; log in = login; sign in = login; sign out = logout; go to = navigate; go back = navigate_back back; return to = back
  how many = stats count statistics; how much = stats quota usage; number of = stats count; how often = stats count; how full = stats status; how big = info size; how large = info size
  how long = duration time; how warm = state temperature; how cold = state temperature; how hot = state temperature
  who am i = me identity profile; what time = time current; at once = all multiple bulk; all at once = all bulk; several = multiple; more than one = multiple
  every day = schedule daily; every week = schedule weekly; each day = schedule daily; each night = schedule; every month = schedule; every morning = schedule daily digest
  over time = history; sorted by = list sort; list of = list; kind of = type; kinds of = types; sort of = type
  pull request = pr pull_request; merge request = pr pull_request; change request = pull_request; code base = codebase repository code; source code = code
  file system = filesystem; data base = database; web site = website; web page = webpage page; e mail = email; read out = listen voice; read aloud = listen voice; out loud = listen voice
  thumbs up = thumbs_up react action; thumbs down = thumbs_down action; mark as = action mark; put online = publish; go live = publish; make public = publish visibility; make live = publish
  send out = send publish; give access = add share grant member; let in = add accept; let know = send message notification; stop sharing = revoke; cut off = revoke; lock out = revoke; back up = backup export
  carry on = resume continue; start over = restart; try again = retry rerun; run again = rerun; put off = snooze delay; bring forward = update move; move to = move update; set aside = archive save
  hand over = share transfer; pass on = share; sum up = summary; boil down = summary; point out = comment; talk about = search; catch up = feed digest inbox; check off = complete checklist verify; tick off = complete verify checklist
  free time = free_busy free; next to = near; due date = due; pop up = dialog; drop down = dropdown select
  make sure = verify ensure; find out = search get; work on = project; take part = member list; belong to = identity member
`

/** Words that only carry a request; they count little. */
export const CARRYING = `
  please want need like give get let tell help kindly thanks thank hey hi would could should can may might must able currently now
  really quickly just still yet already something anything thing things stuff ones exactly actually maybe kind sort way
`

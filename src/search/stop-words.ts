// Words so common in a language that they say nothing about a text, folded as the analyser folds. A data table.

export type Language = 'en' | 'es' | 'de' | 'fr' | 'pt' | 'it' | 'nl' | 'sv' | 'ru'

const list = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

export const stopWords: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: list(`
    a about above after again against all also am an and any are aren as at be because been before being below between both but by can
    cannot could couldn did didn do does doesn doing don down during each few for from further had hadn has hasn have haven having he her
    here hers herself him himself his how i if in into is isn it its itself just ll me more most my myself no nor not now of off on once
    only or other our ours ourselves out over own re same shan she should shouldn so some such than that the their theirs them themselves
    then there these they this those through to too under until up ve very was wasn we were weren what when where which while who whom
    whose why will with won would wouldn you your yours yourself yourselves`),
  es: list(`
    a al algo algun alguna algunas alguno algunos ante antes aquel aquella aquellas aquellos aqui asi aun aunque cada como con contra cual
    cuales cuando cuanto de del desde donde dos e el ella ellas ello ellos en entre era eran eres es esa esas ese eso esos esta estaba
    estaban estado estamos estan estar estas este esto estos estoy fue fueron ha habia han has hasta hay he hemos la las le les lo los mas
    me mi mis mismo mucho muy nada ni no nos nosotros nuestra nuestras nuestro nuestros o os otra otras otro otros para pero poco por porque
    pues que quien quienes se sea sean ser si sido sin sino sobre solo somos son soy su sus suya suyo tal tambien tampoco tanto te tenia
    tiene tienen tengo ti todo todos toda todas tu tus un una unas uno unos usted ustedes y ya yo`),
  de: list(`
    aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim bin bis bist da
    damit dann das dass dasselbe dazu dein deine dem den denn der deren des dessen die dies diese diesem diesen dieser dieses dir doch dort
    du durch ein eine einem einen einer eines einige einigen er es etwas euch euer eure fur gegen gewesen hab habe haben hat hatte hatten
    hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im in indem ins ist jede jedem jeden jeder jedes jene jetzt kann kein
    keine keinem keinen keiner konnte konnen machen man manche mein meine meinem meinen meiner mich mir mit muss musste nach nicht nichts
    noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit selbst sich sie sind so solche soll sollte sondern sonst uber um und
    uns unser unsere unter viel vom von vor wahrend war waren warum was weg weil welche welchem welchen welcher wenn wer werde werden wie
    wieder will wir wird wirst wo wollen wurde wurden zu zum zur zwar zwischen`),
  fr: list(`
    a ai ainsi alors au aucun aucune aussi autre autres aux avait avant avec avoir ayant c ca car ce ceci cela celle celles celui ces cet
    cette ceux chaque chez comme comment d dans de depuis des deux doit donc dont du elle elles en encore entre es est et etaient etait etant
    ete etes etre eu fait faire fut il ils j je jusqu l la le les leur leurs lors lui m ma mais me meme memes mes moi moins mon n ne ni non
    nos notre nous on ont ou par parce pas peu peut plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses
    si soit son sont sous suis sur t ta te tes toi ton tous tout toute toutes tres tu un une vers voici voila vos votre vous y`),
  pt: list(`
    a ao aos aquela aquelas aquele aqueles aquilo as ate cada com como contra da das de dela delas dele deles depois do dos e ela elas ele
    eles em entre era eram essa essas esse esses esta estao estas estava estavam este estes estou eu foi foram ha isso isto ja la lhe lhes
    mais mas me mesmo meu meus minha minhas muito muitos na nao nas nem no nos nossa nossas nosso nossos num numa o onde os ou para pela
    pelas pelo pelos per por porque qual quais quando que quem sao se seja sem sempre ser sera seu seus si sido so sobre sua suas tambem te
    tem tenho ter teu tinha tu tua um uma umas uns voce voces`),
  it: list(`
    a abbia abbiamo ad agli ai al alla alle allo anche ancora avere aveva avevano c che chi ci cio col come con contro cosa cui d da dagli
    dai dal dalla dalle dallo degli dei del della delle dello di dove e ed era erano essere fa fare fino fra fu gia gli ha hai hanno ho i il
    in io l la le lei li lo loro lui ma me mi mia mie miei mio molto ne negli nei nel nella nelle nello noi non nostra nostri nostro o ogni
    ora per perche piu po poi pure qual quale quali quando quanto quella quelle quelli quello questa queste questi questo qui sara se sei si
    sia siamo sono sopra sta stata stati stato su sua sue sugli sui sul sulla sulle suo suoi tra tu tua tue tuo tuoi tutti tutto un una uno
    vi voi`),
  nl: list(`
    aan al alles als altijd ander andere bij daar dan dat de der deze die dit doch doen door dus een en er ge geen geweest haar had heb
    hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je jij jou jouw kan kon kunnen maar me meer men met mij mijn moet na naar
    niet niets nog nu of om omdat onder ons onze ook op over reeds te tegen toch toen tot u uit uw van veel voor waar waarom want waren was
    wat we wel werd wie wij wil worden wordt zal ze zei zelf zich zij zijn zo zonder zou`),
  sv: list(`
    alla allt att av blev bli blir blivit da de dem den denna deras dess dessa det detta dig din dina ditt du dar efter ej eller en er era
    ert ett fran for genom ha hade han hans har henne hennes hon honom hur har i icke ikke ingen inom inte jag jeg ju kan kunde man med
    mellan men mig min mina mitt mot mycket nagon nagot nagra nar nu och och og om oss pa ska skulle sedan sig sin sina sitt som till under
    upp ut utan vad vara varfor varit varje vars vart vem vi vid vilka vilken vilket var var at af er ikke til`),
  ru: list(`
    а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его ее если есть еще же за здесь и из
    или им их к как какая какие какой ко когда кто ли либо между меня мне может мой моя моя мы на над надо наш не него нее нет ни них но
    ну о об однако он она они оно от очень по под после потому почему при про с сам свой себя со так такая также такие такой там те тем то
    того тоже той только том тот ту ты у уже хотя чего чей чем что чтобы чье чья эта эти это этого этой этом этот эту я`),
}

/** English words that frame a question or a search. In a query they count less; in a stored text they are words like any other. */
export const framingWords: ReadonlySet<string> = list(`
  anyone anything could consider considered currently describe described done happen happened kind kinds likely long many mention mentioned might
  much name named people person recently remember say said someone something sort tell thing things told type types way ways would`)

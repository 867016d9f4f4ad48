import { literals, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

const rule = (id: string, language: string, cues: readonly string[], pattern: RegExp): Rule => ({
  id: `language-${id}`,
  family: 'language',
  why: `It tells the reader, in ${language}, to drop its instructions or to reveal them.`,
  weight: 1,
  cues,
  pattern,
});

/** Overrides in further languages; matched on text without accents. */
export const moreLanguages: readonly Rule[] = [
  rule(
    'swedish-danish-norwegian',
    'Swedish, Danish or Norwegian',
    literals`ignorer|glom |bortse|instruktion|instruks|anvisning|systemprompt|systeminstruk`,
    phrase`
    \b(?:ignorer\w{0,2}|glom(?:ma)?(?: bort)?|bortse fran|se bort fra|glem) (?:[\w,]{1,12} ){0,3}?(?:tidigare|tidligere|foregaende|foregaende|forrige|ovenstaende|ovanstaende|alla|alle|dina|dine)(?: [\w,]{1,12}){0,2}? ?(?:instruktion\w{0,4}|instruks\w{0,4}|anvisning\w{0,4}|regler\w{0,2}|ordre\w{0,2})
    |\b(?:visa|vis|skriv ut|udskriv|avsloja|afslor|avslor) (?:din|ditt|dit|dine) (?:system\w{0,12}|instruktion\w{0,4}|instruks\w{0,4})
  `,
  ),
  rule(
    'finnish',
    'Finnish',
    literals`unohda |ohita |sivuuta|jarjestelmakeh|ohjeet`,
    phrase`
    \b(?:unohda|ohita|sivuuta|jata huomiotta|ala valita) (?:[\w,]{1,16} ){0,3}?(?:ohjeet|ohjeita|ohjeista|saannot|saantoja|kehotteet|maaraykset)
    |\b(?:kerro|nayta|paljasta|tulosta) (?:[\w,]{1,16} ){0,2}?jarjestelmakeho\w{1,8}
  `,
  ),
  rule(
    'czech-slovak',
    'Czech or Slovak',
    literals`ignoruj|zapomen|zabudni|pokyny|instrukce|prikazy`,
    phrase`
    \b(?:ignoruj\w{0,2}|zapomen\w{0,4}(?: na)?|zabudni\w{0,2}(?: na)?|nevsimej\w{0,2} si|nedbej\w{0,2} na) (?:[\w,]{1,14} ){0,4}?(?:pokyn\w{0,2}|instrukc\w{1,2}|prikaz\w{0,2}|pravidl\w{1,2})
    |\b(?:vypis\w{0,3}|zobraz\w{0,3}|ukaz\w{0,3}|prozrad\w{0,3}) (?:[\w,]{1,10} ){0,2}?(?:systemov\w{1,4} (?:prompt|pokyn\w{0,2}|instrukc\w{1,2}))
  `,
  ),
  rule(
    'hungarian',
    'Hungarian',
    literals`hagyd figyelmen|felejtsd el|utasitas`,
    phrase`
    \b(?:hagyd figyelmen kivul|felejtsd el|ne torodj) (?:[\w,]{1,14} ){0,4}?(?:utasita\w{1,8}|szabaly\w{0,6}|parancs\w{0,6})
    |\b(?:elozo|korabbi|fenti) (?:\w{1,12} )?utasita\w{1,8} (?:hagyd|felejtsd|ignorald)
  `,
  ),
  rule(
    'romanian',
    'Romanian',
    literals`ignora|uita de|instructiunile|instructiuni`,
    phrase`
    \b(?:ignora(?:ti)?|uita(?:ti)?(?: de)?|nu tine cont de) (?:[\w,]{1,14} ){0,3}?(?:instructiuni\w{0,3}|regul\w{1,4}|indicatii\w{0,3}|comenzi\w{0,3})(?: (?:anterioare|precedente|de mai sus))?
    |\b(?:arata|afiseaza|dezvaluie) (?:[\w,]{1,12} ){0,2}?(?:prompt\w{0,4} (?:de )?sistem\w{0,4}|instructiuni\w{0,3})
  `,
  ),
  rule(
    'spanish-portuguese-paraphrase',
    'Spanish or Portuguese',
    literals`hagas caso|hagan caso|haga caso|desconsider|nao siga|no sigas|deja de seguir|pare de seguir|hacer caso omiso|orientacoes|lo anterior|contrasenas|configuracao interna|configuracion interna`,
    phrase`
    \bno (?:le |les )?hag(?:as|an|a|ais) (?:ningun )?caso (?:a|de|al) (?:[\w,]{1,12} ){0,3}?(?:anterior\w{0,2}|instruccion\w{0,2}|indicacion\w{0,2}|reglas|todo|arriba)
    |\b(?:no sig\w{1,3}|nao siga\w{0,1}|deja de seguir|pare de seguir|desconsider\w{1,3}) (?:[\w,]{1,14} ){0,3}?(?:instru\w{3,8}|indica\w{3,6}|orientac\w{2,4}|reglas|regras|ordenes|ordens|anterior\w{0,2})
    |\b(?:envia|enviar|envie|manda|mande|muestra|mostre|revela|revele) (?:[\w,]{1,12} ){0,3}?(?:contrasenas|senhas|configurac\w{2,4} interna\w{0,1}|prompt (?:de|do) sistema)
  `,
  ),
  rule(
    'greek',
    'Greek',
    literals`αγνοησ|ξεχασε|οδηγι`,
    /(?:αγνοησ\S{1,4}|ξεχασ\S{1,4}|παραβλεψ\S{1,4}) (?:\S{1,14} ){0,4}?(?:οδηγι\S{1,4}|εντολ\S{1,4}|κανον\S{1,4})/,
  ),
  rule(
    'hebrew',
    'Hebrew',
    literals`התעלם|תתעלם|שכח מ|ההוראות|הנחיות`,
    /(?:התעלם|התעלמי|התעלמו|תתעלם|שכח|שכחי) (?:\S{1,12} ){0,3}?\S{0,3}(?:הוראות|הנחיות|כללים|פקודות)/,
  ),
  rule(
    'ukrainian',
    'Ukrainian',
    literals`ігноруй|забудь|інструкц|вказівк`,
    /(?:ігноруй\S{0,2}|забудь\S{0,2}|не звертай\S{0,2} уваги на|знехтуй\S{0,2}) (?:\S{1,14} ){0,4}?(?:інструкц\S{1,3}|вказівк\S{1,3}|правил\S{0,2}|наказ\S{0,2})/,
  ),
  rule(
    'thai',
    'Thai',
    literals`ละเว้นคำสั่ง|เพิกเฉย|ไม่ต้องสนใจคำสั่ง|ลืมคำสั่ง`,
    /(?:ละเว้น|เพิกเฉย(?:ต่อ)?|ไม่ต้องสนใจ|ลืม)(?:คำสั่ง|คำแนะนำ|กฎ)\S{0,30}(?:ก่อนหน้า|ทั้งหมด|ข้างต้น)/,
  ),
];

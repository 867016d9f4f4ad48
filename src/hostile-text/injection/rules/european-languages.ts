import { literals, part, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

/** Verbs for giving up rules, in Spanish, Portuguese, Italian, French and German, without accents. */
const LEAVE = part`
  (?:ignor(?:a|e|i|ez|er|are|ar)|ignorier\w{1,2}|umgeh\w{0,2}|missacht\w{1,2}|ubergeh\w{1,2}|verlass\w{0,2}|suspend\w{0,5}|deaktivier\w{1,2}|desactiv\w{1,2}
    |desativ\w{1,2}|disattiv\w{1,2}|desobe\w{1,5}|disobbed\w{1,4}|contourn\w{1,2}|outrepass\w{1,2}|bypass\w{0,3}|neglig\w{1,3}|transgred\w{1,3}|viol[aeo]\w{0,3}
    |anul\w{1,2}|annul\w{1,2}|descart\w{1,2}|abandon\w{1,3}|oubli\w{1,2}|olvid\w{1,2}|dimentic\w{1,3}|esque[cç]\w{1,2}|vergiss|desestim\w{1,2}|desconect\w{1,3}
    |desvi\w{1,2}|desrespeit\w{1,2}|contorn\w{1,2}|ultrapass\w{1,2}|scavalc\w{1,2}|aggir\w{1,2}|elud\w{1,3}|omit\w{1,2}|rompe|infrange|brich|negier\w{1,2}
    |setz\w{0,2}|pausa\w{0,1}|pausier\w{1,2}|verzicht\w{1,2}|missachte|ausser acht
    |(?:agis\w{0,4}|aja|actua|opera|operi\w{0,3}|fonctionne|funciona|funzion\w{1,3}|handle|handeln|agiere|rispond\w{1,2}|respond\w{1,2}|repond\w{0,2}|antworte)
      (?:\w{1,10} ){0,2}?\x20?(?:al di la|fuori|fora|fuera|au-dela|en dehors|mas alla|alem|jenseits|ausserhalb|senza|sin|sem|sans|ohne|indipendentemente))
`;
const YOUR = part`
  (?:deine[nrsm]?|dein|ihre[nrm]?|tus?|sus?|tes|ton|ta|tuoi|tue|tua|tuo|seus?|suas?|teus?|tuas?|vos|votre|vostre|le tue|i tuoi)
`;
const RULES = part`
  (?:etic\w{0,4}|ethi\w{1,6}|moral\w{0,6}|regel\w{0,2}|regles?|regol\w{1,2}|regras?|reglas?|norm\w{1,3}|protokoll?\w{0,2}|protocol\w{1,3}|richtlin\w{1,4}|directi\w{1,4}
    |directri\w{1,4}|diretri\w{1,4}|direttiv\w{1,2}|restri\w{4,9}|beschrankung\w{0,2}|einschrankung\w{0,2}|limit\w{1,8}|grenzen|program\w{4,10}|training|ausbildung
    |formation|formazione|formacao|formacion|entren\w{4,8}|treina\w{4,6}|addestr\w{4,6}|instru\w{4,7}|anweisung\w{0,2}|consign\w{1,3}|vorgaben|standards?|estandar\w{0,2}
    |padr(?:ao|oes)|parametr\w{1,3}|filt\w{1,4}|pautas|contraint\w{1,2}|vincoli|sicherheits\w{2,14}|seguran\w{2,3}|securite|sicurezza|algorit\w{2,5}|betriebs\w{3,14}
    |procedur\w{1,3}|procedim\w{4,7}|schulung|funcionam\w{4,6})
`;
const MINE = part`
  (?:mes|mis|mi|meine[nrms]?|mie|miei|minhas?|meus?|mia|mio|ma|mon)
`;

/** Overrides and prompt leaks in the most common languages with Latin letters. */
export const europeanLanguages: readonly Rule[] = [
  {
    id: 'language-own-rules-left',
    family: 'language',
    why: 'It tells the reader, in another language, to leave its own rules, or to put the writer’s word first.',
    weight: 0.9,
    kinds: ['output'],
    cues: literals`
      deine |deinen | tus | tes |tuoi| tue | seus | suas | teus | tuas | vos | sus | votre |tu etica|tu program
      |tua program|ton program|sua program|ta program|meine anw|meine bef|meinen |mis instr|mis orde|mis dire|mis coma
      |mes inst|mes comm|mes dire|mes ordr|mes deman|mie istr|mie diret|miei coma|minhas in|minhas di|meus com|mia rich
      |minha sol|mis soli|mie rich|mes beso|mis nece
    `,
    pattern: phrase`
      \b${LEAVE}(?: [\w',-]{1,14}){0,4}? ${YOUR} (?:[\w-]{1,16} ){0,3}?${RULES}\b
      |\b(?:prioris\w{1,4}|prioriz\w{1,2}|priorisier\w{1,2}|privilegi\w{1,2}|(?:da|dai|dare|de|gib|donne|geben sie)\b[^.\n]{0,24}?(?:prioridad|prioridade|priorita|priorite|vorrang|precedenza|precedencia))
        \b[^.\n]{0,24}?\b${MINE} (?:[\w-]{1,16} ){0,2}?(?:instru\w{3,8}|istruzion\w|ordenes|ordens|ordres|ordini|coman\w{1,4}|command\w{1,4}|befehl\w{0,2}|anweisung\w{0,2}|anfrage\w{0,1}|solicitud\w{0,2}|pedidos?|demandes?|richiest\w|direct\w{2,5}|diret\w{3,5})\b
      |\b(?:sigue|siga|segui\w{0,2}|suis|suivez|folge|befolge|concentra\w{0,3}|concentre\w{0,4}|concentrarsi|esegui|ejecuta|execute|fuhre|reponds|responde|attien\w{1,3})\b[^.\n]{0,30}?(?:solo|soltanto|esclusivamente|exclusivamente|exclusivement|uniquement|ausschliesslich|apenas|unicamente|solamente|nur)
        (?: [\w-]{1,6}){0,2}? ${MINE} (?:[\w-]{1,16} ){0,2}?(?:instru\w{3,8}|istruzion\w|ordenes|ordens|ordres|ordini|coman\w{1,4}|command\w{1,4}|befehl\w{0,2}|anweisung\w{0,2}|direct\w{2,5}|diret\w{3,5})\b
    `,
    unless:
      /(?:injec|iniezion|inyecc|angreifer|atacante|attaquant|attaccante|angriff|ejemplo|esempio|exemplo|beispiel|arzt|medic|firma|empresa)/,
  },
  {
    id: 'language-what-drives-you',
    family: 'language',
    why: 'It asks, in another language, what the reader was told at first.',
    weight: 0.8,
    kinds: ['output'],
    cues: literals`
      prompt|instrucc|instruc|istruzion|indicacion|indicazion|comando|commande|befehl|anweisung|directriz|directive|direttiva|diretriz|consigne
    `,
    pattern: phrase`
      \b(?:cual(?:es)?|quel(?:le)?s?|qual(?:i|e)?|was (?:ist|war)|welche[rs]?|zeig\w{0,2}|dime|revel\w{1,2}|montre\w{0,1}|mostr\w{1,3}|spieg\w{1,3}|visualizza|explic\w{1,3}|expliqu\w{1,2}
        |dis-moi|dimmi|diga|nenne|sag\w{0,2}|offenbar\w{1,2}|enthull\w{1,2}|descr\w{2,6}|divulg\w{1,3}|condivid\w{1,3}|comparte|partage|compartilh\w{1,2}|teile)
        \b[^.?\n]{0,36}?\b(?:prompt|instruc\w{2,5}|istruzion\w|indica\w{4,6}|comando|commande|start-prompt|befehl|[a-z]{0,9}anweisung|directriz|directive|direttiva|diretriz|consigne|invite)\b
        [^.\n]{0,40}?\b(?:tu|tus|te|deine?[rnms]?|dir|dich|tua|tuo|tue|tuoi|ti|tes|ton|ta|suas?|seus?|voce|du|tuas?|teu|vous|votre)\b
        [^.\n]{0,20}?(?:\b(?:ia|ki|ai)\b|form\w{3,6}|ausbildung|programm?\w{3,9}|respuestas?|reponses?|rispost\w|respostas?|antworten|funzion\w{0,6}|funcion\w{0,8}|systeme?|sistema|creacion|creation|entren\w{4,8}|treina\w{4,6}|addestr\w{4,6}|basas?|basi|recib\w{2,5}|recu|ricevut\w|erhalten|training|capacidad\w{0,3}|capacita)
    `,
    unless: /(?:injec|iniezion|inyecc|shell|terminal|console|bash|linux|manual)/,
  },
];

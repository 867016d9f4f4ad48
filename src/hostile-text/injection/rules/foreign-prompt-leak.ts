import { literals, part, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

/** Names for the system prompt in other languages, with the verbs that request it. */
const PROMPTS = part`
  (?:
    system ?prompts?|systemnachricht|system ?instruktion\w{0,3}|prompt (?:du )?systeme
    |(?:prompt|instruc\w{1,6}|mensaje|mensagem) (?:del|de|do) sistema
    |instructions systeme|prompt di sistema|istruzioni di sistema|sistem istem\w{0,4}
  )
`;
const YOURS = part`
  (?:
    dein\w{0,2}|ihr\w{0,2}|ton|tes|ta|vos|votre|tu|tus|su|sus|teu|teus|seu|seus|sua|suas|il tuo|le tue|i tuoi|je
    |jouw
  )
`;

/** Requests to reveal or disable the system prompt, outside English. */
export const foreignPromptLeak: readonly Rule[] = [
  {
    id: 'settings-shown',
    family: 'language',
    why: 'It asks for the reader’s own instructions, in another language than English.',
    weight: 0.8,
    cues: literals`
      system prompt|systemprompt|systemnachricht|prompt systeme|prompt du sys|sistema|ursprunglich|initiales
      |originales|originais|iniziali|instructions systeme
    `,
    pattern: phrase`
      \b(?:
        zeig\w{0,2}|gib|nenn\w{0,2}|was (?:ist|sind|steht)|welche|uberschreib\w{0,2}|verrat\w{0,2}|montre\w{0,4}
        |affiche\w{0,1}|revele\w{0,2}|donne\w{0,2}|quell?es? (?:est|sont)|muestra\w{0,3}|revela\w{0,2}|dime
        |cuales? (?:es|son)|mostr[ae]\w{0,4}|diga|quais? (?:e|sao)|mostra\w{0,3}|rivela\w{0,2}|quali sono|toon
        |laat
      )\b[^.\n]{0,24}?\b(?:${YOURS} )?(?:
        ${PROMPTS}
        |${YOURS} (?:\w{1,14} )?(?:
          anweisungen|instructions?|instrucciones|instrucoes|istruzioni|consignes|regeln|regles|reglas|regras
        )(?: (?:initiales|originales|originais|iniziali|ocultas|cachees))?
      )\b
    `,
    unless: /(?:datei|fichier|archivo|arquivo|config|gerat|appareil)/,
  },
  {
    id: 'settings-switched-off',
    family: 'language',
    why: 'It asks the reader to switch its restrictions off or another mode on, in another language than English.',
    weight: 0.8,
    cues: literals`
      entwicklermodus|developpeur|desarrollador|desenvolvedor|sviluppatore|filtres|filtros|filter aus
      |restricciones|restricoes|restrictions|sicherheits|securite|programmation|programacion|programacao
      |dein training|tes regles|tus reglas|suas regras|bist jetzt|es maintenant|ahora eres|agora e dan|ora sei
      |modus|sin filtro|sans filtre
    `,
    pattern: phrase`
      \b(?:
        aktivier\w{0,2}|active\w{0,1}|activa\w{0,1}|ative|ativa|attiva|entra\w{0,2} en|entre en|wechs(?:le|eln)
        |passe en
      )\b[^.\n]{0,20}?(?:
        entwicklermodus|mode developpeur
        |modo (?:
          desarrollador|desenvolvedor|sviluppatore|sin (?:filtros?|restricciones)|sem (?:filtros?|restricoes)
        )
        |mode sans (?:filtre|restriction)s?|(?:unbeschrankten?|uneingeschrankten?) modus
      )
      |\b(?:
        deaktivier\w{0,2}|schalt\w{0,2}|missacht\w{0,2}|umgeh\w{0,2}|desactive\w{0,1}|desactiva\w{0,1}|desative
        |desativa|disattiva|ignor[ae]|contourne|omite|elude
      )\b[^.\n]{0,16}?(?:${YOURS} |alle |tous |todos |todas |die |les |los )(?:\w{1,12} )?(?:
        sicherheits\w{2,14}|filter\b|filtres|filtros|filtri|restrictions|restricciones|restricoes|restrizioni
        |regles|reglas|regras|regole
      )
      |\b(?:vergiss|ne tiens pas compte de|oublie|olvida|no sigas|esqueca|ignora) (?:${YOURS}) (?:
        training|programmierung|programmation|entrainement|programacion|entrenamiento|programacao|treinamento
      )\b
      |\b(?:du bist jetzt|tu es maintenant|ahora eres|(?:voce )?agora (?:voce )?e|ora sei) (?:
        dan\b
        |(?:un[ea]? |eine? |uma? )?[\w ]{1,24}(?:ohne|sans|sin|sem|senza)\x20
      )
      |\bcomme si tu n'avais pas de (?:restrictions|regles|limites)
    `,
    unless: /(?:\bapps?\b|telefon|android|navigateur|navegador|browser|router)/,
  },
  {
    id: 'settings-cyrillic',
    family: 'language',
    why: 'It asks, in Russian, for the reader’s own instructions or to switch its restrictions off.',
    weight: 0.8,
    cues: literals`системн|инструкци|ограничени|фильтр|режим|теперь ты`,
    pattern: phrase`
      (?:покажи|выведи|раскрой|назови|какие|какой)\S{0,3} (?:\S{1,10} ){0,3}?(?:
        системн\S{1,4} (?:промпт|сообщени|инструкци)\S{0,3}
        |(?:начальн|исходн|скрыт)\S{1,4} инструкци\S{0,3}
      )
      |(?:отключи|обойди|сними)\S{0,3} (?:\S{1,10} ){0,2}?(?:ограничени\S{0,3}|фильтр\S{0,3})
      |(?:активируй|включи)\S{0,3} режим (?:разработчик\S{0,2}|без ограничений)
      |теперь ты (?:dan|злой|\S{1,14} без)
    `,
  },
  {
    id: 'settings-cjk',
    family: 'language',
    why: 'It asks, in Chinese, Japanese or Korean, for the reader’s own instructions or to switch its restrictions off.',
    weight: 0.8,
    cues: literals`系统提示|系统指令|初始指令|原始指令|你的提|你的指|你的规|者模式|制模式|越狱|现在是|过滤|限制|プロンプト|の指示|た指示|者モード|フィルタ|は今|프롬프트|원래 지|초기 지|개발자|필터|안전|규칙|이제`,
    pattern: phrase`
      (?:显示|告诉我|输出|打印|透露|重复)[^。\n]{0,8}?(?:系统提示|系统指令|初始指令|原始指令|你的(?:提示词|指令|规则))
      |(?:激活|启用|进入|打开)[^。\n]{0,4}?(?:开发者|无限制|越狱)模式|你现在是 ?dan|(?:关闭|禁用|解除)[^。\n]{0,6}?(?:安全|内容)?(?:过滤|限制)
      |(?:システムプロンプト|元の指示|最初の指示|隠された指示)を[^。\n]{0,6}?(?:表示|教え|見せ|上書き|出力|公開)
      |開発者モード[^。\n]{0,6}?(?:有効|オン|起動)|フィルター?[^。\n]{0,6}?(?:オフ|無効|解除)|あなたは今 ?dan
      |(?:시스템 프롬프트|원래 지시|초기 지시)\S{0,3} (?:\S{1,6} )?(?:보여|알려|출력|공개)
      |개발자 모드\S{0,2} ?(?:활성|켜)|(?:필터|안전 ?장치)\S{0,2} ?(?:모두 )?(?:꺼|끄|해제|비활성)|규칙\S{0,2} 무시|(?:너는|당신은) 이제 dan
    `,
  },
  {
    id: 'settings-arabic',
    family: 'language',
    why: 'It asks, in Arabic, for the reader’s own instructions or to switch its restrictions off.',
    weight: 0.8,
    cues: literals`النظام|تعليمات|قواعدك|قيود|الفلاتر|المطور|الآن`,
    pattern: phrase`
      (?:أظهر|اظهر|اعرض|اكشف|ما هو|ما هي) (?:\S{1,8} ){0,2}?(?:موجه النظام|تعليمات النظام|تعليماتك)
      |(?:تجاهل|تجاوز|عطل|ألغ) (?:\S{1,8} ){0,2}?(?:قواعدك|قيود|القيود|الفلاتر)
      |(?:فعل|شغل) وضع المطور|أنت الآن dan
    `,
  },
];

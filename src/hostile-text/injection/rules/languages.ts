import { literals, phrase } from '../phrase.js';
import type { Rule } from '../rule.js';

const rule = (id: string, language: string, cues: readonly string[], pattern: RegExp): Rule => ({
  id: `language-${id}`,
  family: 'language',
  why: `It tells the reader, in ${language}, to drop its instructions or restrictions, or to keep the user in the dark.`,
  weight: 1,
  cues,
  pattern,
});

/** The commonest override, persona and concealment phrases outside English; matched on text without accents. */
export const languages: readonly Rule[] = [
  rule(
    'german',
    'German',
    literals`ignorier|vergiss|vergessen|missacht|anweisung|einschrankung|aufgaben|benutzer|nutzer|direktiv|regeln`,
    phrase`
    \b(?:
      ignorier\w{0,4}|vergiss|vergessen sie(?! nicht)|nullifizieren|verwerfen|missacht\w{0,4}|verwirf
      |ubergeh\w{0,3}|umgeh\w{0,3}
    )(?: sie)? (?:[\w,]{1,14} ){0,4}?(?:
      anweisung\w{0,3}|instruktion\w{0,3}|befehl\w{0,3}|regeln|aufgaben?|direktive\w{0,1}|vorgaben|angaben
      |auftrage|anordnung\w{0,3}|aufforderung\w{0,3}|richtlinien|ausfuhrungen|einschrankung\w{0,3}|prompts?
      |alles
    )
    |\b(?:vorherigen?|bisherigen?|obigen?|fruheren|fruhere|vorangegangenen?|vorigen) (?:
      anweisung\w{0,3}|instruktion\w{0,3}|regeln|befehle|aufgaben|direktiven|ausfuhrungen|vorgaben|richtlinien
    )(?: sind)? (?:ungultig|hinfallig|ignorieren|zu ignorieren|vergessen|aufgehoben|nicht mehr)
    |\bohne (?:jegliche )?(?:einschrankung\w{0,3}|beschrankung\w{0,3}|filter) (?:antwort|als ki|reagier)
    |\bki ohne (?:einschrankung|beschrankung|regeln|grenzen)
    |\bohne den (?:be)?nutzer (?:um |zu )(?:\w{1,14} )?(?:bestatigung|zustimmung|informier|fragen|bitten)
    |\b(?:sage?|informier\w{0,2}|verrate?|erzahle?)(?: sie)? (?:es )?dem (?:be)?nutzer (?:nichts|nicht|davon)
  `,
  ),
  rule(
    'spanish',
    'Spanish',
    literals`ignora|olvida|instruccion|restriccion|ilimitad|usuario|limitaciones|filtros|omite`,
    phrase`
    \b(?:
      ignor(?:a|e|ar|en|ad)|olvid(?:a|e|ar|en|ate)|reemplaz\w{1,4}|omit[aei]\w{0,1}|desestim\w{1,3}
      |descart\w{1,3}|haz caso omiso
    )(?: (?:de|son))? (?:[\w,]{1,14} ){0,4}?(?:
      instruccion\w{0,2}|ordenes|reglas|directrices|indicaciones|directivas|restricciones|todo lo anterior
    )
    |\b(?:restricciones|instrucciones|reglas) (?:\w{1,14} ){0,5}?ya no (?:aplican|valen|rigen)
    |\bolvida (?:todo )?lo que te
    |\b(?:ia|asistente) (?:sin (?:restricciones|limitaciones|limites|filtros|censura)|ilimitada)
    |\b(?:responde|contesta|proporciona|actua|responder)\w{0,2} (?:\w{1,14} ){0,3}?sin (?:
      restricciones|limitaciones|filtros|limites|censura
    )
    |\bno (?:le )?(?:digas|menciones|informes|reveles)(?: nada| esto)? (?:de esto )?al usuario
    |\bsin (?:pedir|solicitar) (?:la )?(?:confirmacion|aprobacion)
  `,
  ),
  rule(
    'french',
    'French',
    literals`ignorez|ignorer|oublie|consignes|ignore les|ignore tou|ignore ces|utilisateur|sans restriction|sans aucune|sans filtre|sans limite|ne tiens pas|ne tenez pas|demander`,
    phrase`
    \b(?:ignor(?:e|ez|er)|oubli(?:e|ez|er)|ne (?:tiens|tenez) pas compte)(?: d(?:e|es|'))?
      (?: (?:toutes?|tous|les|des|ces|tes|vos|mes|de|la)){1,4}? (?:\w{1,14} ){0,3}?
      (?:instructions|consignes|directives|regles|ordres|restrictions)
    |\bia sans (?:aucune )?(?:restrictions?|limites?|filtres?|censure)
    |\brepond\w{0,3} sans (?:aucune )?(?:restrictions?|limites?|filtres?|limitation)
    |\bne (?:le |lui )?(?:dis|dites|mentionne\w{0,1}|revele\w{0,1})(?: pas)? (?:\w{1,8} ){0,3}?a l'utilisateur
    |\bsans (?:demander|en informer) (?:\w{1,6} ){0,2}?(?:confirmation|l'utilisateur)
  `,
  ),
  rule(
    'italian',
    'Italian',
    literals`ignora|dimentica|istruzioni|restrizioni|utente|trascura`,
    phrase`
    \b(?:ignora(?:re|te)?|dimentica(?:re|te)?|trascura(?:re|te)?) (?:\w{1,14} ){0,4}?
      (?:istruzioni|regole|direttive|indicazioni|ordini|restrizioni)
    |\b(?:ia|intelligenza artificiale) senza (?:restrizioni|limiti|filtri)
    |\bnon (?:dire|menzionare|rivelare)(?: nulla| questo)? all'utente
  `,
  ),
  rule(
    'portuguese',
    'Portuguese',
    literals`ignore as|ignore tod|ignora as|ignora tod|ignorar|esqueca|esquece|desconsider|instrucoes|sem restri|sem limite|sem filtro|usuario`,
    phrase`
    \b(?:ignor[ae]\w{0,1}|esquec\w{1,2}|desconsider\w{1,2}) (?:\w{1,14} ){0,4}?
      (?:instrucoes|ordens|regras|diretrizes|comandos|restricoes)
    |\bia sem (?:restricoes|limites|filtros|censura)
    |\bnao (?:diga|conte|mencione|informe)(?: nada| isso)? ao usuario
  `,
  ),
  rule(
    'dutch',
    'Dutch',
    literals`negeer|vergeet|instructies`,
    phrase`
    \b(?:negeer|vergeet) (?:\w{1,14} ){0,4}?(?:instructies|opdrachten|regels|aanwijzingen|beperkingen)
    |\bvertel (?:het )?de gebruiker niet
  `,
  ),
  rule(
    'slavic-latin',
    'a South or West Slavic language',
    literals`zaboravi|ignoriraj|zignoruj|ignoruj|zapomnij|zapomen|instrukc|instrukcij|pokyny`,
    phrase`
    \b(?:zaboravi\w{0,2}|ignoriraj\w{0,2}|zignoruj\w{0,2}|ignoruj\w{0,2}|zapomnij
      (?: o)?|zapomen\w{0,2}|pomin) (?:\w{1,14} ){0,4}?
      (?:instrukc\w{1,5}|upute|pokyny|polecenia|naredbe|pravila|zasady|pokynov|uput\w{1,2})
  `,
  ),
  rule(
    'turkish',
    'Turkish',
    literals`talimat|gormezden|yok say|onceki`,
    phrase`
    \b(?:onceki|tum|yukaridaki)
      (?: \w{1,14}){0,3} (?:talimat\w{0,8}|komut\w{0,8}|kural\w{0,8}|yonerge\w{0,8}) (?:\w{1,14} ){0,2}?
      (?:yok say\w{0,3}|gormezden gel\w{0,3}|unut\w{0,3}|dikkate alma)
  `,
  ),
  rule(
    'indonesian',
    'Indonesian or Malay',
    literals`abaikan|lupakan`,
    /\b(?:abaikan|lupakan) (?:\w{1,14} ){0,3}?(?:instruksi|perintah|arahan|aturan|semua)/,
  ),
  rule(
    'vietnamese',
    'Vietnamese',
    literals`bo qua|huong dan|chi thi`,
    /\bbo qua (?:\w{1,10} ){0,4}?(?:huong dan|chi thi|lenh|quy tac)/,
  ),
  rule(
    'russian',
    'Russian or Ukrainian',
    literals`игнор|забуд|обращай|отмени|ігнор|ограничени|пользователю`,
    phrase`
    (?:игнорир\S{0,6}|забуд\S{0,4}|не обращай\S{0,2} внимания|проигнорир\S{0,6}|отмени\S{0,3}|ігнор\S{0,6}) (?:\S{1,14} ){0,4}?(?:
      инструкци\S{0,3}|указани\S{0,3}|команд\S{0,3}|правил\S{0,3}|предыдущ\S{0,4}|что тебе говорил\S{0,3}
      |всё,? что|інструкці\S{0,3}|ограничени\S{0,3}
    )
    |(?:без|никаких) (?:каких-либо )?ограничени\S{0,3}[^.\n]{0,40}(?:отвеча|ответ|ии)
    |не (?:говори|сообщай|рассказывай|упоминай)\S{0,3} (?:об этом )?пользователю
  `,
  ),
  rule(
    'chinese',
    'Chinese',
    literals`忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要遵|绕过|跳过|取消|覆盖|限制|约束|約束|审查|完全自由|不受限|发送|转发|上传|告诉|告知|通知|提醒|让用户|让使用|让任何|系统提示|系統提示|提示词|初始指令|系统指令|密钥|凭证|密码|令牌|不征求|不经用|不经使|不需要`,
    phrase`
    (?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要遵守|不要遵循|绕过|跳过|取消)[^。\n]{0,12}?
      (?:指令|指示|提示|规则|規則|命令|要求|设定|設定|限制|内容|安全策略|安全检查|对话|说明)
    |覆盖[^。\n]{0,12}?(?:指令|指示|提示|规则|規則|命令|设定|設定|限制|安全策略|安全检查|说明)
    |(?:没有|沒有|无|無|不受|解除|取消|去除)(?:任何|一切|所有)?(?:的)?(?:限制|约束|約束|审查)[^。\n]{0,16}?
      (?:ai|人工智能|助手|模型|运作|行动|回答|回应|模式|地|$|。)
    |(?:完全自由|不受限|无限制|無限制|没有限制)的?(?:ai|助手|人工智能)
    |(?:所有|全部)(?:输出|数据|资料|结果)[^。\n]{0,10}?(?:发送|转发|上传)[^。\n]{0,6}?http
    |(?:你|您)[^。\n]{0,8}(?:没有|不受|无)(?:任何)?(?:限制|约束)|(?:不要|不得|别|勿)(?:告诉|告知|通知|提醒|让)(?:用户|使用者|任何人)
    |(?:显示|输出|透露|告诉我|泄露|打印|重复)[^。\n]{0,8}?(?:系统提示|系統提示|提示词|初始指令|系统指令)
    |(?:输出|发送|上传|传递|发到)[^。\n]{0,20}?(?:密钥|凭证|密码|令牌)[^。\n]{0,20}?(?:http|到)
    |不(?:征求|经|需要)(?:用户|使用者)(?:的)?(?:确认|同意)
  `,
  ),
  rule(
    'japanese',
    'Japanese',
    literals`無視|忘れ|破棄|従わない|無効|解除|取り除|を破|制限|制約|フィルタ|規制|検閲|束縛|自由な|境界|ユーザ|利用者|プロンプト`,
    phrase`
    (?:以前|前|これまで|上記|先|すべて|全て|今まで)の?(?:すべての)?(?:指示|命令|指令|ルール|プロンプト|制約|制限)[^。\n]{0,8}?(?:無視|忘れ|破棄|従わない|無効)
    |(?:指示|命令|制限|制約|ルール)を(?:無視|忘れ|解除|取り除|破)
    |(?:制限|制約|フィルター?|規制)(?:の?(?:ない|なし|無い|無し)|が(?:ない|取り除かれた|解除された)|を(?:外した|解除した|受けない)|なしの|のない)[^。\n]{0,10}?
      (?:ai|あなた|モード|バージョン|存在|アシスタント|状態|回答|応答)
    |(?:無制限|無制約|無検閲|制約無し|束縛されない|束縛を解かれた|自由な|無境界|無制限版|無制限機能|制限を(?:失った|撤廃された|持たない|受けない))の?(?:ai|モード|状態)
    |(?:ユーザー?|利用者)に(?:は)?(?:言わない|知らせない|伝えない|教えない|通知しない)
    |(?:システム)?プロンプトを(?:表示|出力|教え|公開|見せ)
  `,
  ),
  rule(
    'korean',
    'Korean',
    literals`지시|명령|지침|규칙|프롬프트|설정|제한|제약|규제|필터|자유분방|경계|금지된|사용자`,
    phrase`
    (?:이전|앞|위|기존|지금까지|모든)의?\s?(?:모든\s?)?(?:지시|명령|지침|규칙|프롬프트|설정|제한|제약)(?:사항|들)?(?:을|를|은|는)?\s?(?:모두\s?)?
      (?:무시|잊|따르지|취소|삭제|해제)
    |(?:제한|제약|규제|필터)(?:사항)?(?:을|를|이|가|은|는|도)?\s?(?:전혀\s?|모두\s?|따위\s?)?(?:없는|없이|없애|제거|해제|풀|벗어난|받지 않는)
      [^.\n]{0,12}?(?:ai|인공지능|모드|상태|버전|역할|답|대답|응답|행동|동작|전환)
    |(?:무제약|무한제약|제약\s?없음|자유분방한)\s?(?:ai|모드|상태)
    |(?:규칙|경계|제한|제약|금지된 것)\s?없(?:는|이)[^.\n]{0,10}?(?:ai|역할|행동)
    |제약(?:을)?\s?(?:초월|벗어나)|무제한\s?(?:ai|인공지능|모드|상태)|사용자에게(?:는)?\s?(?:말하지|알리지|언급하지)
    |시스템\s?프롬프트(?:를|을)?\s?(?:보여|출력|알려|공개)
  `,
  ),
  rule(
    'arabic',
    'Arabic or Persian',
    literals`تعليمات|الأوامر|القواعد|دستور|قوانین|المستخدم`,
    phrase`
    (?:تجاهل|انس|تجاوز|نادیده بگیر|فراموش کن)\S{0,3} (?:\S{1,12} ){0,4}?\S{0,2}
      (?:التعليمات|الأوامر|القواعد|دستور|دستورات|تعليمات|قوانین)
    |(?:دستور\S{0,6}|قوانین) (?:\S{1,10} ){0,2}?(?:قبلی|بالا) (?:را )?(?:نادیده|فراموش)
    |لا تخبر المستخدم
  `,
  ),
  rule(
    'hindi',
    'Hindi',
    literals`निर्देश|आदेश|नियम`,
    phrase`
    (?:पिछले|पूर्व|सभी|उपरोक्त)(?: \S{1,10}){0,3} (?:निर्देश\S{0,3}|आदेश\S{0,3}|नियम\S{0,3}) (?:\S{1,8} ){0,3}?
      (?:अनदेखा|नजरअंदाज|नज़रअंदाज|भूल|उपेक्षा)
  `,
  ),
];

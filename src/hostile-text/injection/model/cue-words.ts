/**
 * Words of which an instruction to a model needs two: whom it addresses, what it takes away or asks for. Normalised (lower case,
 * without accents), in the languages that carry most attacks; a window of a text without them is not scored.
 */
export const CUE_WORDS: readonly string[] = (
  'you your yourself u ur ignore ignores ignored ignoring disregard disregarding forget override overrides overriding overridden bypass ' +
  'instruction instructions prompt prompts system assistant ai llm chatgpt gpt claude model agent agents user users tool tools must ' +
  'reveal reveals secret secrets secretly silently password passwords rule rules guideline guidelines restriction restrictions ' +
  'previous previously prior above earlier pretend act roleplay role unrestricted unfiltered jailbreak confidential hidden important ' +
  'urgent attention credential credentials key keys token tell print output repeat respond reply answer say show write mode developer ' +
  'admin administrator root execute run call invoke send forward email upload post delete before first instead now always never safety ' +
  'filter filters policy policies directive directives protocol access authorized authorization task tasks mention note response summary ' +
  'ignoriere ignorieren vergiss vorherigen anweisungen anweisung ignorez oubliez instrucciones anteriores ignora ignorar ignore olvida ' +
  'instrucoes istruzioni precedenti dimentica esquece instruksi abaikan sebelumnya talimatlari onceki yoksay tum instrukcje zignoruj ' +
  'poprzednie instructies negeer vorige bo qua huong dan truoc systeme sistema usuario utilisateur benutzer system-prompt mat khau ' +
  'игнорируй игнорируйте забудь инструкции предыдущие предыдущих система ты вы твои ваши пароль секрет ' +
  '忽 略 指 令 无 視 提 示 密 系 统 你 您 请 之 前 以 指 示 命 令 무시하고 무시해 이전 지시 지침 시스템 비밀번호 तुम आप पिछले निर्देश निर्देशों'
).split(' ');

import { segment } from '../lib/api.js';
import { href } from '../lib/router.js';
import { Chip, Fact, Facts, type Meaning } from './basics.js';
import { Name, Text } from './text.js';

/** Answer of `POST /explain`. */
export interface ExplainInfo {
  /** `hidden`: the caller cannot see the tool, so no rule was evaluated. */
  readonly decision: 'allow' | 'confirm' | 'deny' | 'invalid' | 'hidden';
  readonly rule?: string;
  readonly message?: string;
  readonly hint?: string;
  readonly reason?: string;
  readonly asks?: string;
  readonly problems?: readonly string[];
  /** Rules that matched except for one condition: usually the rule the operator expected to apply. */
  readonly almost?: readonly { readonly rule: string; readonly action: string; readonly but: string }[];
  readonly limits?: readonly Readonly<Record<string, unknown>>[];
}

/** Words of policy (`allow`) and of the audit (`allowed`) share one table, so that both get the same colour. */
export const decisionMeaning: Readonly<Record<string, Meaning>> = {
  allow: 'good',
  allowed: 'good',
  confirm: 'attention',
  asked: 'attention',
  deny: 'bad',
  refused: 'bad',
  failed: 'bad',
  invalid: 'bad',
  hidden: 'unknown',
};

/** A decision of policy, the rule behind it and the rules that nearly matched. */
export const Explanation = ({ info }: { readonly info: ExplainInfo }) => (
  <Facts>
    <Fact name="Decision">
      <Chip meaning={decisionMeaning[info.decision] ?? 'unknown'}>{info.decision}</Chip>{' '}
      {info.asks !== undefined && <span>by {info.asks === 'operator' ? 'an operator' : 'the user of the client'}</span>}
    </Fact>
    {info.rule !== undefined && (
      <Fact name="Rule">
        <a href={href(`/policy?rule=${segment(info.rule)}`)}>
          <Name>{info.rule}</Name>
        </a>{' '}
        <Text>{info.reason ?? ''}</Text>
      </Fact>
    )}
    {info.message !== undefined && (
      <Fact name="Message">
        <Text>{info.message}</Text>
      </Fact>
    )}
    {info.hint !== undefined && (
      <Fact name="Hint">
        <Text>{info.hint}</Text>
      </Fact>
    )}
    {info.problems !== undefined && info.problems.length > 0 && (
      <Fact name="Problems">
        <ul class="plain">
          {info.problems.map((problem) => (
            <li>
              <Text>{problem}</Text>
            </li>
          ))}
        </ul>
      </Fact>
    )}
    {info.almost !== undefined && info.almost.length > 0 && (
      <Fact name="Nearly matched">
        <ul class="plain">
          {info.almost.map(({ rule, action, but }) => (
            <li>
              <Name>{rule}</Name> ({action}), but <Text>{but}</Text>
            </li>
          ))}
        </ul>
      </Fact>
    )}
  </Facts>
);

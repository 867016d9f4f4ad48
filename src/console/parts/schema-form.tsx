import { useState } from 'preact/hooks';
import { initialValue, withMember, type FormField, type FormNode } from '../lib/schema-form.js';
import { Chip } from './basics.js';
import { Icon } from './icons.js';
import { Text } from './text.js';

interface NodeProps<Node extends FormNode = FormNode> {
  readonly node: Node;
  readonly value: unknown;
  /** Id of the labelled field. */
  readonly id: string;
  readonly onChange: (value: unknown) => void;
}

/** A form for a schema; values are checked by the gateway, so there is no second validator here. */
export function SchemaForm({ node, value, id, onChange }: NodeProps) {
  switch (node.kind) {
    case 'object':
      return <ObjectNode node={node} value={value} id={id} onChange={onChange} />;
    case 'array':
      return <ArrayNode node={node} value={value} id={id} onChange={onChange} />;
    case 'map':
      return <MapNode node={node} value={value} id={id} onChange={onChange} />;
    case 'choice':
      return <ChoiceNode node={node} value={value} id={id} onChange={onChange} />;
    case 'enum':
      // Values may be objects, which are only comparable by their JSON.
      return (
        <select
          id={id}
          value={String(node.values.findIndex((each) => JSON.stringify(each) === JSON.stringify(value)))}
          onChange={(event) => onChange(node.values[Number(event.currentTarget.value)])}
        >
          <option value="-1">not given</option>
          {node.values.map((each, at) => (
            <option value={String(at)}>{typeof each === 'string' ? each : JSON.stringify(each)}</option>
          ))}
        </select>
      );
    case 'constant':
      return (
        <code id={id}>
          <Text>{JSON.stringify(node.value)}</Text>
        </code>
      );
    case 'boolean':
      return (
        <input
          id={id}
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'number':
      return (
        <input
          id={id}
          type="number"
          step={node.isInteger ? 1 : 'any'}
          value={typeof value === 'number' ? value : ''}
          onInput={(event) =>
            onChange(event.currentTarget.value === '' ? undefined : Number(event.currentTarget.value))
          }
        />
      );
    case 'text':
      return <TextNode node={node} value={value} id={id} onChange={onChange} />;
    default:
      return <JsonNode node={node} value={value} id={id} onChange={onChange} />;
  }
}

function TextNode({ node, value, id, onChange }: NodeProps<Extract<FormNode, { kind: 'text' }>>) {
  const shared = {
    id,
    value: typeof value === 'string' ? value : '',
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      // An emptied field is left out rather than sent as an empty string, which many schemas reject.
      onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value),
  };
  if (node.isLong) return <textarea rows={3} {...shared} />;
  return node.format === 'password' ? (
    <input type="password" autocomplete="off" {...shared} />
  ) : (
    <input type="text" autocomplete="off" {...shared} />
  );
}

/** Fields that must be given first; the others can be opened. */
function ObjectNode({ node, value, id, onChange }: NodeProps<Extract<FormNode, { kind: 'object' }>>) {
  if (node.fields.length === 0) return <span class="unknown">no fields</span>;
  // The sort is stable: within both groups the order of the schema stays.
  const fields = [...node.fields].sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
  return (
    <div class="form-object" id={id}>
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          id={`${id}.${field.name}`}
          value={
            typeof value === 'object' && value !== null && Object.hasOwn(value, field.name)
              ? (value as Record<string, unknown>)[field.name]
              : undefined
          }
          onChange={(next) => onChange(withMember(value, field.name, next))}
        />
      ))}
    </div>
  );
}

const isNested = ({ kind }: FormNode): boolean => ['object', 'array', 'map', 'choice'].includes(kind);

function Field({
  field: { name, isRequired, node },
  id,
  value,
  onChange,
}: {
  readonly field: FormField;
  readonly id: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}) {
  const label = (
    <>
      <code>
        <Text>{name}</Text>
      </code>
      {isRequired && <Chip>required</Chip>}
      {!isRequired && value === undefined && node.fallback !== undefined && (
        <span class="note">
          default <Text>{JSON.stringify(node.fallback).slice(0, 60)}</Text>
        </span>
      )}
      {node.kind === 'number' && node.range !== '' && <span class="note">{node.range}</span>}
      {node.kind === 'text' && node.format !== '' && (
        <span class="note">
          <Text>{node.format}</Text>
        </span>
      )}
    </>
  );
  const describedBy = node.description === '' ? undefined : `${id}-about`;
  const about = describedBy !== undefined && (
    <p class="note field-about" id={describedBy}>
      <Text>{node.description.slice(0, 400)}</Text>
    </p>
  );
  if (!isNested(node))
    return (
      <div class={node.kind === 'boolean' ? 'field inline' : 'field'}>
        <label for={id}>{label}</label>
        <SchemaForm node={node} value={value} id={id} onChange={onChange} />
        {about}
      </div>
    );
  return (
    <fieldset class="field" aria-describedby={describedBy}>
      <legend>{label}</legend>
      {about}
      {value === undefined ? (
        <button
          type="button"
          aria-label={`Give ${name}`}
          onClick={() => onChange(initialValue(node, true) ?? emptyOf(node))}
        >
          Give it
        </button>
      ) : (
        <>
          <SchemaForm node={node} value={value} id={id} onChange={onChange} />
          {!isRequired && (
            <button type="button" class="quiet" aria-label={`Leave out ${name}`} onClick={() => onChange(undefined)}>
              Leave it out
            </button>
          )}
        </>
      )}
    </fieldset>
  );
}

/** A value that shows a nested node whose first value is left open. */
const emptyOf = ({ kind }: FormNode): unknown => (kind === 'array' ? [] : kind === 'choice' ? '' : {});

function ArrayNode({ node, value, id, onChange }: NodeProps<Extract<FormNode, { kind: 'array' }>>) {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const replace = (at: number, next: unknown): void =>
    // JSON has no `undefined` in lists; null keeps the positions of the other items.
    onChange(items.map((item, index) => (index === at ? (next ?? null) : item)));
  return (
    <div class="form-list" id={id}>
      {items.map((item, at) => (
        <div class="form-item" role="group" aria-label={`Item ${at + 1}`}>
          <label class="visually-hidden" for={`${id}.${at}`}>
            Item {at + 1}
          </label>
          <SchemaForm
            node={node.item}
            value={item === null ? undefined : item}
            id={`${id}.${at}`}
            onChange={(next) => replace(at, next)}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove item ${at + 1}`}
            onClick={() => onChange(items.filter((_, index) => index !== at))}
          >
            <Icon name="cross" />
          </button>
        </div>
      ))}
      <button type="button" onClick={() => onChange([...items, initialValue(node.item, true) ?? null])}>
        Add an item
      </button>
    </div>
  );
}

function MapNode({ node, value, id, onChange }: NodeProps<Extract<FormNode, { kind: 'map' }>>) {
  const [name, setName] = useState('');
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return (
    <div class="form-list" id={id}>
      {members.map(([key, member]) => (
        <div class="form-item" role="group" aria-label={key}>
          <label for={`${id}.${key}`}>
            <code>
              <Text>{key}</Text>
            </code>
          </label>
          <SchemaForm
            node={node.value}
            value={member}
            id={`${id}.${key}`}
            onChange={(next) => onChange(withMember(value, key, next ?? null))}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${key}`}
            onClick={() => onChange(withMember(value, key, undefined))}
          >
            <Icon name="cross" />
          </button>
        </div>
      ))}
      <div class="row">
        <input
          type="text"
          aria-label="Name of a new member"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button
          type="button"
          disabled={name === ''}
          onClick={() => {
            onChange(withMember(value, name, initialValue(node.value, true) ?? null));
            setName('');
          }}
        >
          Add
        </button>
      </div>
    </div>
  );
}

const optionName = (option: FormNode, at: number): string =>
  option.title !== ''
    ? option.title
    : option.kind === 'constant'
      ? JSON.stringify(option.value)
      : `${at + 1}: ${
          option.kind === 'object'
            ? option.fields
                .map(({ name }) => name)
                .join(', ')
                .slice(0, 60)
            : option.kind
        }`;

function ChoiceNode({ node, value, id, onChange }: NodeProps<Extract<FormNode, { kind: 'choice' }>>) {
  const [chosen, setChosen] = useState(0);
  const option = node.options[chosen];
  return (
    <div class="form-choice">
      <select
        aria-label="Kind of value"
        value={String(chosen)}
        onChange={(event) => {
          const at = Number(event.currentTarget.value);
          const next = node.options[at];
          setChosen(at);
          onChange(next && (initialValue(next, true) ?? emptyOf(next)));
        }}
      >
        {node.options.map((each, at) => (
          <option value={String(at)}>{optionName(each, at)}</option>
        ))}
      </select>
      {option && (
        <>
          <label class="visually-hidden" for={id}>
            Value
          </label>
          <SchemaForm key={chosen} node={option} value={value} id={id} onChange={onChange} />
        </>
      )}
    </div>
  );
}

/** A node that a form cannot draw, as JSON; the rest of the form stays a form. */
function JsonNode({ node, value, id, onChange }: NodeProps<Extract<FormNode, { kind: 'json' }>>) {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value));
  const [isWrong, setWrong] = useState(false);
  const read = (next: string): void => {
    setText(next);
    try {
      onChange(next.trim() === '' ? undefined : (JSON.parse(next) as unknown));
      setWrong(false);
    } catch {
      // The last valid value stays, so that a half-typed text does not discard the arguments.
      setWrong(true);
    }
  };
  return (
    <div class="form-json">
      <textarea
        id={id}
        rows={2}
        value={text}
        aria-invalid={isWrong}
        placeholder="JSON"
        onInput={(event) => read(event.currentTarget.value)}
      />
      <span class={isWrong ? 'wrong' : 'note'}>
        {isWrong ? 'This is not JSON; the last valid value is used' : `As JSON: ${node.reason}`}
      </span>
    </div>
  );
}

import type { ReactNode } from 'react';
import { fieldOf, resolved, type Schema } from '../graphs/editor/schema-fields.ts';
import { JsonText } from '../kit/json-text.tsx';
import { visible } from '../kit/text.ts';

/** The members of an input with their types and defaults. The whole JSON Schema is folded below them. */
export function InputList({ schema }: { schema: Schema | boolean }) {
  const field = typeof schema === 'object' ? fieldOf(schema, schema) : undefined;
  if (typeof schema !== 'object' || field?.kind !== 'object')
    return <JsonText text={JSON.stringify(schema, null, 2)} />;
  return (
    <>
      <ul className="inputs">
        {field.members.map(({ name, schema: of, required }) => (
          <Input key={name} name={name} schema={resolved(of, schema)} root={schema} required={required} />
        ))}
      </ul>
      <details>
        <summary>JSON Schema</summary>
        <JsonText text={JSON.stringify(schema, null, 2)} />
      </details>
    </>
  );
}

interface InputProps {
  name: string;
  schema: Schema & { default?: unknown };
  root: Schema;
  required: boolean;
}

const Input = ({ name, schema, root, required }: InputProps) => (
  <li>
    <p>
      <code>{visible(name)}</code>
      <span className="quiet">{typeWords(schema, root)}</span>
      {required && <span className="tag">required</span>}
      {schema.default !== undefined && (
        <span className="quiet">
          default <code>{shown(schema.default)}</code>
        </span>
      )}
    </p>
    {schema.description && <p className="quiet">{visible(schema.description)}</p>}
  </li>
);

const shown = (value: unknown): string => visible(typeof value === 'string' ? value : JSON.stringify(value));

/** The type in a few words: `text`, `post or courier`, `list of number`. */
function typeWords(schema: Schema, root: Schema): ReactNode {
  const field = fieldOf(schema, root);
  if (field.kind === 'choice') return field.choices.map(shown).join(' or ');
  if (field.kind === 'list') return <>list of {typeWords(resolved(field.of, root), root)}</>;
  const { minimum, maximum } = schema;
  if (field.kind !== 'number' && field.kind !== 'integer') return WORDS[field.kind];
  if (minimum !== undefined && maximum !== undefined) return `${field.kind}, ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `${field.kind}, at least ${minimum}`;
  return maximum === undefined ? field.kind : `${field.kind}, at most ${maximum}`;
}

const WORDS = {
  text: 'text',
  boolean: 'true or false',
  json: 'JSON',
  object: 'object',
  map: 'object',
  variants: 'object',
} as const;

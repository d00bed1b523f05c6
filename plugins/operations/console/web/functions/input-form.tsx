import { useState } from 'react';
import { PlainField } from '../graphs/editor/plain-field.tsx';
import { fieldOf, labelOf, type Member, resolved, type Schema } from '../graphs/editor/schema-fields.ts';
import { visible } from '../kit/text.ts';
import { isObject, withMember } from './input.ts';

interface Props {
  name: string;
  schema: Schema;
  root: Schema;
  required: boolean;
  value: unknown;
  onChange(value: unknown): void;
}

/** Deeper members are edited as JSON: a schema may contain itself. */
const MAX_DEPTH = 3;

/** The fields of an input as its schema says; JSON where the schema says too little or too much for a field. */
export function InputFields({ depth = 0, ...props }: Props & { depth?: number }) {
  const { name, root, required, value, onChange } = props;
  const schema = resolved(props.schema, root);
  const field = fieldOf(schema, root);
  const label = visible(labelOf(name, schema));
  const shown = required ? label : `${label} (optional)`;
  if (field.kind === 'object' && depth < MAX_DEPTH) {
    const members = <Members {...props} members={field.members} depth={depth} />;
    if (depth === 0) return members;
    return (
      <fieldset className="fields">
        <legend>{shown}</legend>
        {schema.description && <p className="hint">{visible(schema.description)}</p>}
        {members}
      </fieldset>
    );
  }
  const hasField = ['text', 'number', 'integer', 'choice'].includes(field.kind);
  if (field.kind === 'boolean')
    return (
      // biome-ignore lint/a11y/noLabelWithoutControl: PlainField is the control
      <label className="row">
        <PlainField {...{ name, schema, field, value, onChange, required }} label={shown} />
        {shown}
        {schema.description && <span className="hint">{visible(schema.description)}</span>}
      </label>
    );
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: PlainField or the text field is the control
    <label>
      {shown}
      {hasField ? (
        <PlainField {...{ name, schema, field, value, onChange, required: false }} label={shown} />
      ) : (
        <JsonValue label={shown} value={value} onChange={onChange} />
      )}
      {schema.description && <span className="hint">{visible(schema.description)}</span>}
      {!hasField && <span className="hint">As JSON</span>}
    </label>
  );
}

const Members = ({ members, root, value, onChange, depth }: Props & { members: readonly Member[]; depth: number }) =>
  members.map(({ name, schema, required }) => (
    <InputFields
      key={name}
      name={name}
      schema={schema}
      root={root}
      required={required}
      value={isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined}
      onChange={(now) => onChange(withMember(value, name, now))}
      depth={depth + 1}
    />
  ));

/** A value that is typed as JSON. It is taken when it can be read. */
function JsonValue({ label, value, onChange }: { label: string; value: unknown; onChange(value: unknown): void }) {
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)));
  const [wrong, setWrong] = useState(false);
  const put = (next: string) => {
    setText(next);
    try {
      onChange(next.trim() === '' ? undefined : (JSON.parse(next) as unknown));
      setWrong(false);
    } catch {
      setWrong(true);
    }
  };
  return (
    <>
      <textarea
        aria-label={label}
        aria-invalid={wrong}
        rows={3}
        spellCheck={false}
        value={text}
        onChange={({ target }) => put(target.value)}
      />
      {wrong && <span className="hint bad">This is not JSON.</span>}
    </>
  );
}

import { type AriaAttributes, useContext, useId, useState } from 'react';
import { PlainField } from '../graphs/editor/plain-field.tsx';
import { fieldOf, labelOf, type Member, resolved, type Schema } from '../graphs/editor/schema-fields.ts';
import { visible } from '../kit/text.ts';
import { isObject, withMember } from './input.ts';
import { InputProblemsContext, pointerTo } from './input-problems.ts';

interface Props {
  name: string;
  schema: Schema;
  root: Schema;
  required: boolean;
  /** Of the member in the input. */
  pointer?: string;
  value: unknown;
  onChange(value: unknown): void;
}

/** Deeper members are edited as JSON: a schema may contain itself. */
const MAX_DEPTH = 3;

/** The fields of an input as its schema says; JSON where the schema says too little or too much for a field. */
export function InputFields({ depth = 0, ...props }: Props & { depth?: number }) {
  const { name, root, required, value, onChange, pointer = '' } = props;
  const problem = useContext(InputProblemsContext).get(pointer);
  const id = useId();
  const aria: AriaAttributes = {
    ...(required && { 'aria-required': true }),
    ...(problem !== undefined && { 'aria-invalid': true, 'aria-describedby': id }),
  };
  const schema = resolved(props.schema, root);
  const field = fieldOf(schema, root);
  const label = visible(labelOf(name, schema));
  const needed = required && <Required />;
  if (field.kind === 'object' && depth < MAX_DEPTH) {
    const members = <Members {...props} members={field.members} depth={depth} />;
    if (depth === 0) return members;
    return (
      <fieldset className="fields">
        <legend>
          {label}
          {needed}
        </legend>
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
        <PlainField {...{ name, schema, field, value, onChange, required, aria }} label={label} />
        {label}
        {schema.description && <span className="hint">{visible(schema.description)}</span>}
        <FieldProblem id={id} of={problem} />
      </label>
    );
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: PlainField or the text field is the control
    <label>
      <span>
        {label}
        {needed}
      </span>
      {hasField ? (
        <PlainField {...{ name, schema, field, value, onChange, required: false, aria }} label={label} />
      ) : (
        <JsonValue label={label} value={value} onChange={onChange} aria={aria} />
      )}
      {schema.description && <span className="hint">{visible(schema.description)}</span>}
      {!hasField && <span className="hint">As JSON</span>}
      <FieldProblem id={id} of={problem} />
    </label>
  );
}

const Required = () => (
  <span className="required" aria-hidden>
    *
  </span>
);

const FieldProblem = ({ id, of }: { id: string; of: string | undefined }) =>
  of === undefined ? null : (
    <span id={id} className="hint bad">
      {visible(of)}
    </span>
  );

const Members = ({
  members,
  root,
  value,
  onChange,
  depth,
  pointer = '',
}: Props & { members: readonly Member[]; depth: number }) =>
  members.map(({ name, schema, required }) => (
    <InputFields
      key={name}
      name={name}
      schema={schema}
      root={root}
      required={required}
      pointer={pointerTo(pointer, name)}
      value={isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined}
      onChange={(now) => onChange(withMember(value, name, now))}
      depth={depth + 1}
    />
  ));

/** A value that is typed as JSON. It is taken when it can be read. */
interface JsonProps {
  label: string;
  value: unknown;
  onChange(value: unknown): void;
  aria: AriaAttributes;
}

function JsonValue({ label, value, onChange, aria }: JsonProps) {
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
        {...aria}
        aria-label={label}
        aria-invalid={wrong || aria['aria-invalid'] === true}
        rows={3}
        spellCheck={false}
        value={text}
        onChange={({ target }) => put(target.value)}
      />
      {wrong && <span className="hint bad">This is not JSON.</span>}
    </>
  );
}

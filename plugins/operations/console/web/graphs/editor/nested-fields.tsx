import { useState } from 'react';
import { visible } from '../../kit/text.ts';
import { pointerPart } from './findings.ts';
import { emptyOf, type Member, type Schema, variantOf } from './schema-fields.ts';
import type { Nesting, ValueProps } from './value-props.ts';

type Nested = ValueProps & Nesting & { label: string };
type Values = Readonly<Record<string, unknown>>;

const valuesOf = (value: unknown): Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {};

/** The members with one set, or taken away. Undefined when nothing is left and nothing must be. */
function withMember(values: Values, name: string, value: unknown, required: boolean): Values | undefined {
  const { [name]: _, ...rest } = values;
  // A member that was there keeps its place in the text.
  const after = value === undefined ? rest : { ...values, [name]: value };
  return Object.keys(after).length === 0 && !required ? undefined : after;
}

export function ObjectField({
  Value,
  root,
  value,
  onChange,
  pointer,
  required = false,
  members,
  more,
  label,
}: Nested & { members: readonly Member[]; more: Schema | undefined }) {
  const values = valuesOf(value);
  const known = new Set(members.map(({ name }) => name));
  const others = Object.fromEntries(Object.entries(values).filter(([name]) => !known.has(name)));
  const set = (name: string, now: unknown) => onChange(withMember(values, name, now, required));
  return (
    <div className="nested">
      {members.map((member) => (
        <Value
          key={member.name}
          name={member.name}
          schema={member.schema}
          root={root}
          required={member.required}
          value={values[member.name]}
          onChange={(now) => set(member.name, now)}
          pointer={`${pointer}/${pointerPart(member.name)}`}
        />
      ))}
      {(more || Object.keys(others).length > 0) && (
        <MapRows
          Value={Value}
          label={`More of ${label}`}
          root={root}
          of={more ?? {}}
          values={others}
          onChange={(now) => {
            const own = Object.fromEntries(Object.entries(values).filter(([name]) => known.has(name)));
            const all = { ...own, ...now };
            onChange(Object.keys(all).length === 0 && !required ? undefined : all);
          }}
          pointer={pointer}
        />
      )}
    </div>
  );
}

export const MapField = ({ Value, root, value, onChange, pointer, required, of, label }: Nested & { of: Schema }) => (
  <MapRows
    Value={Value}
    label={label}
    root={root}
    of={of}
    values={valuesOf(value)}
    onChange={(now) => onChange(Object.keys(now).length === 0 && !required ? undefined : now)}
    pointer={pointer}
  />
);

interface Rows extends Nesting {
  label: string;
  root: Schema;
  of: Schema;
  values: Values;
  onChange(values: Values): void;
  pointer: string;
}

/** Values by names that the author gives. */
function MapRows({ Value, label, root, of, values, onChange, pointer }: Rows) {
  const [name, setName] = useState('');
  const add = () => {
    if (name === '' || Object.hasOwn(values, name)) return;
    onChange({ ...values, [name]: emptyOf(of, root) });
    setName('');
  };
  // The form of a credential is offered by the name of its field.
  const field = pointer.endsWith('/credentials') ? 'credential' : '';
  return (
    <div className="nested">
      {Object.entries(values).map(([key, one]) => (
        <div key={key} className="nested-row">
          <Value
            name={field}
            label={key}
            schema={of}
            root={root}
            required
            value={one}
            onChange={(now) => onChange({ ...values, [key]: now ?? null })}
            pointer={`${pointer}/${pointerPart(key)}`}
          />
          <Remove label={key} onClick={() => onChange(withMember(values, key, undefined, true)!)} />
        </div>
      ))}
      <div className="row">
        <input
          aria-label={`Name of the new member of ${label}`}
          placeholder="Name"
          spellCheck={false}
          value={name}
          onChange={({ target }) => setName(target.value)}
          onKeyDown={({ key }) => key === 'Enter' && add()}
        />
        <button type="button" className="small" aria-label={`Add to ${label}`} onClick={add}>
          Add
        </button>
      </div>
    </div>
  );
}

const Remove = ({ label, onClick }: { label: string; onClick(): void }) => (
  <button type="button" className="small" aria-label={`Remove ${visible(label)}`} onClick={onClick}>
    ✕
  </button>
);

export function ListField({
  Value,
  root,
  value,
  onChange,
  pointer,
  required = false,
  of,
  label,
}: Nested & { of: Schema }) {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const set = (now: readonly unknown[]) => onChange(now.length === 0 && !required ? undefined : now);
  return (
    <div className="nested">
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no other name than their place
        <div key={at} className="nested-row">
          <Value
            name=""
            label={`${label} ${at + 1}`}
            schema={{ ...of, description: undefined } as Schema}
            root={root}
            required
            value={item}
            onChange={(now) => set(items.with(at, now ?? null))}
            pointer={`${pointer}/${at}`}
          />
          <Remove label={`${label} ${at + 1}`} onClick={() => set(items.toSpliced(at, 1))} />
        </div>
      ))}
      <button
        type="button"
        className="small"
        aria-label={`Add to ${label}`}
        onClick={() => set([...items, emptyOf(of, root)])}
      >
        Add
      </button>
    </div>
  );
}

export function VariantsField({
  variants,
  ...props
}: Nested & { variants: readonly { title: string; schema: Schema }[] }) {
  const [chosen, setChosen] = useState(() => variantOf(variants, props.value));
  const { properties = {}, required: needed = [], additionalProperties: more } = variants[chosen]!.schema;
  const members = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    required: needed.includes(name),
  }));
  return (
    <>
      <select
        aria-label={`Variant of ${props.label}`}
        value={chosen}
        onChange={({ target }) => setChosen(Number(target.value))}
      >
        {variants.map(({ title }, at) => (
          <option key={title} value={at}>
            {visible(title)}
          </option>
        ))}
      </select>
      <ObjectField {...props} members={members} more={typeof more === 'object' ? more : undefined} />
    </>
  );
}

import { type FocusEvent, useRef, useState } from 'react';
import { ExpressionField } from '../expressions/expression-field.tsx';
import { CredentialField } from './credential-field.tsx';
import { FieldFrame } from './field-frame.tsx';
import { useFormPlace } from './form-context.ts';
import { JsonField } from './json-field.tsx';
import { atSelection, useInserted } from '../node/insertion.ts';
import { ListField, MapField, ObjectField, VariantsField } from './nested-fields.tsx';
import { PlainField } from './plain-field.tsx';
import { isSource, ScriptField } from './script-field.tsx';
import { emptyOf, exprOf, type Field, fieldOf, labelOf, resolved, type Schema } from './schema-fields.ts';
import type { ValueProps } from './value-props.ts';

/** The field that a value can be edited in: a schema says what it should be, a document what it is. */
function fieldFor(schema: Schema, root: Schema, value: unknown): Field {
  const field = fieldOf(schema, root);
  const { items } = resolved(schema, root);
  if (field.kind === 'text' && Array.isArray(value)) return items ? { kind: 'list', of: items } : { kind: 'json' };
  const plain = typeof value !== 'object' || value === null;
  if (typeof value === 'string' && ['number', 'integer', 'boolean'].includes(field.kind)) return { kind: 'text' };
  if (value === undefined || field.kind === 'json') return field;
  if (['list', 'map', 'object', 'variants'].includes(field.kind)) {
    const fits = field.kind === 'list' ? Array.isArray(value) : !plain && !Array.isArray(value);
    return fits ? field : { kind: 'json' };
  }
  return plain ? field : { kind: 'json' };
}

/** One value of a config: a field of its own kind, an expression in its place, or JSON. */
export function ValueField(props: ValueProps) {
  const { name, schema: given, root, value, onChange, pointer, required = false } = props;
  const { names } = useFormPlace();
  const schema = resolved(given, root);
  const label = props.label ?? labelOf(name, schema);
  const [json, setJson] = useState(false);
  const expression = exprOf(value);
  const field = fieldFor(schema, root, value);
  const nested = ['list', 'map', 'object', 'variants'].includes(field.kind);
  const toExpression = () => onChange({ $expr: value === undefined || value === '' ? '' : JSON.stringify(value) });
  const toValue = () => onChange(required ? emptyOf(schema, root) : undefined);
  return (
    <FieldFrame
      label={label}
      pointer={pointer}
      required={required}
      description={schema.description}
      deep={field.kind === 'json' || json || expression !== undefined}
      actions={
        <span className="value-actions">
          {nested && expression === undefined && (
            <button type="button" className="small" aria-pressed={json} onClick={() => setJson(!json)}>
              JSON
            </button>
          )}
          <button
            type="button"
            className="small"
            aria-pressed={expression !== undefined}
            aria-label={`ƒx: use an expression for ${label}`}
            onClick={expression === undefined ? toExpression : toValue}
          >
            ƒx
          </button>
        </span>
      }
    >
      {expression !== undefined ? (
        <ExpressionField value={expression} onChange={($expr) => onChange({ $expr })} label={label} names={names} />
      ) : json || field.kind === 'json' ? (
        <JsonField label={label} value={value} onChange={onChange} />
      ) : (
        <Kind {...props} schema={schema} label={label} field={field} />
      )}
    </FieldFrame>
  );
}

function Kind({ field, ...props }: ValueProps & { field: Field; label: string }) {
  const { name, value } = props;
  switch (field.kind) {
    case 'list':
      return <ListField {...props} Value={ValueField} of={field.of} />;
    case 'map':
      return <MapField {...props} Value={ValueField} of={field.of} />;
    case 'object':
      return <ObjectField {...props} Value={ValueField} members={field.members} more={field.more} />;
    case 'variants':
      return <VariantsField {...props} Value={ValueField} variants={field.variants} />;
    default:
      if (name === 'credential' && field.kind === 'text')
        return <CredentialField label={props.label} value={value} onChange={props.onChange} />;
      if (isSource(name, field)) return <ScriptField label={props.label} value={value} onChange={props.onChange} />;
      return <Inserting {...props} field={field} />;
  }
}

/** A plain field, which a member of the data turns into an expression, or fills a hole of its text. */
function Inserting(props: ValueProps & { field: Field; label: string }) {
  const { field, value, onChange, pointer } = props;
  const { types, type } = useFormPlace();
  const last = useRef<HTMLInputElement | HTMLTextAreaElement>(undefined);
  const inner = pointer.startsWith('/config/node/config/');
  const member = pointer.split('/')[2] ?? '';
  const holes = !inner && (types.get(type)?.holes.includes(member) ?? false);
  const onFocus = useInserted((cel) => {
    const text = typeof value === 'string' ? value : '';
    const isText = field.kind === 'text';
    if (isText && holes && text !== '') {
      onChange(atSelection(last.current ?? null, text, `{{ ${cel} }}`).text);
      return;
    }
    onChange({ $expr: isText ? joined(text, last.current, cel) : cel });
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only notes which field in it has the focus
    <div
      className="plain-field"
      onFocus={({ target }: FocusEvent) => {
        const typed =
          target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === 'text');
        last.current = typed ? target : undefined;
        onFocus();
      }}
    >
      <PlainField {...props} />
    </div>
  );
}

/** `"orders/" + string(input.id)`: the text around the cursor stays. */
function joined(text: string, field: HTMLInputElement | HTMLTextAreaElement | undefined, cel: string): string {
  const from = field?.selectionStart ?? text.length;
  const [before, after] = [text.slice(0, from), text.slice(field?.selectionEnd ?? from)];
  if (before === '' && after === '') return cel;
  return [
    ...(before ? [JSON.stringify(before)] : []),
    `string(${cel})`,
    ...(after ? [JSON.stringify(after)] : []),
  ].join(' + ');
}

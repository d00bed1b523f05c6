import { useNavigate } from '@tanstack/react-router';
import { Play, RotateCw } from 'lucide-react';
import { type FormEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import type { SubmittedRun } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { firstInput } from '../functions/input.ts';
import { InputFields } from '../functions/input-form.tsx';
import {
  type InputProblems,
  InputProblemsContext,
  missingIn,
  NO_PROBLEMS,
  problemsOf,
} from '../functions/input-problems.ts';
import type { Schema } from '../graphs/editor/schema-fields.ts';
import { Problem } from '../kit/basics.tsx';
import { Cancel } from '../kit/inline-form.tsx';
import { parseJson } from '../kit/json.ts';
import { CommandLine, Panel } from '../kit/page.tsx';
import { useSending } from '../kit/sending.ts';
import { shellQuote } from '../kit/text.ts';
import { type InputField, inputFrom, inputsOf } from './inputs.ts';
import { useInputs } from './use-inputs.ts';

interface What {
  scope: Scope;
  /** What runs, in a submit. */
  body: Readonly<Record<string, unknown>>;
  command: string;
  /** The run that is run again, in a dialog that `done` closes. Absent: a new run, on the page. */
  again?: { run_id: string; input: unknown; done(): void };
}

/** The input of a document: the inputs that it declares, or else the members that it names. */
export function DocumentRunForm({ source, ...what }: What & { source: string }) {
  const schema = useInputs(what.scope, what.body, source.includes('inputs'));
  if (schema === undefined) return <NamedInputs source={source} {...what} />;
  return <DeclaredRunForm key={JSON.stringify(schema)} schema={schema} {...what} />;
}

/** The fields of an input whose schema is known. */
export const DeclaredRunForm = ({ schema, ...what }: What & { schema: Schema }) => (
  <RunForm
    {...what}
    start={what.again?.input ?? firstInput(schema)}
    missing={(value) => missingIn(schema, schema, value)}
    fields={(value, onChange) => (
      <InputFields name="input" schema={schema} root={schema} required value={value} onChange={onChange} />
    )}
  />
);

function NamedInputs({ source, ...what }: What & { source: string }) {
  const fields = useMemo(() => inputsOf(source), [source]);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  return (
    <RunFrame {...what} given={inputFrom(fields, values)}>
      {fields.length === 0 ? (
        <p className="quiet">This workflow reads no input.</p>
      ) : (
        fields.map((field) => (
          <NamedField
            key={field.path}
            field={field}
            value={values[field.path] ?? ''}
            onChange={(value) => setValues({ ...values, [field.path]: value })}
          />
        ))
      )}
    </RunFrame>
  );
}

interface FieldProps {
  field: InputField;
  value: string;
  onChange(value: string): void;
}

const NamedField = ({ field: { path, default: fallback, script = false }, value, onChange }: FieldProps) => (
  <label>
    <span>
      {path}
      {script && fallback === undefined && (
        <span className="required" aria-hidden>
          *
        </span>
      )}
    </span>
    <input
      value={value}
      placeholder={fallback ?? ''}
      spellCheck={false}
      aria-label={path}
      onChange={({ target }) => onChange(target.value)}
    />
    {script && fallback === undefined && <span className="hint">The script has no default for this input.</span>}
  </label>
);

interface ValueProps extends What {
  start: unknown;
  /** The fields of a value; undefined: it is only edited as JSON. */
  fields: ((value: unknown, onChange: (value: unknown) => void) => ReactNode) | undefined;
  /** The required members that a value lacks. */
  missing?: ((value: unknown) => InputProblems) | undefined;
}

/** A value with fields, or as JSON. */
export function RunForm({ start, fields, missing, ...what }: ValueProps) {
  const [value, setValue] = useState(start);
  return (
    <RunFrame {...what} given={value ?? null} onText={setValue} missing={missing} first={start}>
      {fields?.(value, setValue)}
    </RunFrame>
  );
}

interface FrameProps extends What {
  /** What the fields say. */
  given: unknown;
  /** What the JSON begins with when there are no fields. */
  first?: unknown;
  /** Takes what was typed as JSON, when the fields are shown again. */
  onText?(value: unknown): void;
  missing?: ((value: unknown) => InputProblems) | undefined;
  children: ReactNode;
}

/** The fields of an input, or the whole as JSON; tags of a new run, and the button that runs it. */
function RunFrame({ scope, body, command, again, given, first, onText, missing, children }: FrameProps) {
  const navigate = useNavigate();
  const has_fields = children !== undefined;
  const [typed, setTyped] = useState<string>();
  const text = typed ?? (has_fields ? undefined : first === undefined ? '' : JSON.stringify(first, null, 2));
  const [tags, setTags] = useState('');
  const { busy, error, send } = useSending();
  const form = useRef<HTMLFormElement>(null);
  /** What was submitted last: messages about it are shown until it changes. */
  const [submitted, setSubmitted] = useState<unknown>();
  const lacking = submitted === undefined ? NO_PROBLEMS : (missing?.(given) ?? NO_PROBLEMS);
  const problems = submitted === given ? new Map([...problemsOf(error), ...lacking]) : lacking;
  const read = (json_text: string): unknown => (json_text.trim() === '' ? null : parseJson(json_text));
  const run = async () => {
    const input = text === undefined ? given : read(text);
    const named = tags.split(/[\s,]+/).filter(Boolean);
    const asked = again ? { input } : { ...body, input, ...(named.length > 0 && { tags: named }) };
    const path = again ? `/runs/${encodeURIComponent(again.run_id)}/rerun` : '/runs';
    const { run_id } = await json<SubmittedRun>(scoped(scope, path), { method: 'POST', body: asked });
    again?.done();
    await navigate({ to: '/orgs/$org/projects/$project/runs/$run', params: { ...scope, run: run_id } });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(given);
    if (text === undefined && missing && missing(given).size > 0)
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
    else void send(run);
  };
  const toggle = async () => {
    if (text === undefined) return setTyped(JSON.stringify(given, null, 2));
    onText?.(read(text));
    setTyped(undefined);
  };
  const shown = text === undefined ? JSON.stringify(given) : text.trim() || 'null';
  const own = again || shown !== 'null' ? ` --input ${shellQuote(shown)}` : '';
  const line = <CommandLine command={command + own} />;
  const toggles = has_fields && (
    <button type="button" className="ghost" aria-pressed={text !== undefined} onClick={() => void send(toggle)}>
      {text === undefined ? 'Edit as JSON' : 'Back to fields'}
    </button>
  );
  const fields = (
    <form ref={form} className="fields" autoComplete="off" noValidate onSubmit={submit}>
      {text === undefined ? (
        <InputProblemsContext.Provider value={problems}>{children}</InputProblemsContext.Provider>
      ) : (
        <label>
          Input, as JSON
          <textarea rows={6} spellCheck={false} value={text} onChange={({ target }) => setTyped(target.value)} />
        </label>
      )}
      {!again && (
        <label>
          Tags
          <input
            value={tags}
            placeholder="team:web"
            spellCheck={false}
            onChange={({ target }) => setTags(target.value)}
          />
        </label>
      )}
      {error !== undefined && <Problem error={error} />}
      <div className={again ? 'row end' : 'row'}>
        {again && toggles}
        {again && <Cancel />}
        <button type="submit" className="main" disabled={busy}>
          {again ? <RotateCw size={14} aria-hidden /> : <Play size={14} aria-hidden />} {again ? 'Rerun' : 'Run'}
        </button>
        {!again && toggles}
      </div>
    </form>
  );
  return again ? (
    <>
      {fields}
      {line}
    </>
  ) : (
    <Panel title="Input" foot={line}>
      {fields}
    </Panel>
  );
}

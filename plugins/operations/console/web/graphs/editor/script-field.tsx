import { lazy, Suspense, useRef } from 'react';
import { flushSync } from 'react-dom';
import type { EditorHandle } from '../../kit/editor/editor.tsx';
import { Loading } from '../../kit/basics.tsx';
import { Hidden } from '../../kit/hidden.tsx';
import { completionsAt } from '../expressions/completion.ts';
import { useInserted } from '../node/insertion.ts';
import { useFormPlace } from './form-context.ts';
import type { Field } from './schema-fields.ts';
import { readOf, useVariables, type Variables } from './variables.ts';

const Editor = lazy(() => import('../../kit/editor/editor.tsx'));

/** Members that are programs or documents. */
const SOURCES: readonly string[] = ['script', 'source'];

export const isSource = (name: string, { kind }: Field): boolean => SOURCES.includes(name) && kind === 'text';

interface Props {
  label: string;
  value: unknown;
  onChange(value: unknown): void;
}

/** A program. What it needs of the run comes as a variable: data that is chosen, or completed, becomes one. */
export function ScriptField({ label, value, onChange }: Props) {
  const { names } = useFormPlace();
  const variables = useVariables();
  const editor = useRef<EditorHandle>(null);
  const latest = useRef({ names, variables });
  latest.current = { names, variables };
  const onFocus = useInserted((cel) => {
    if (variables) editor.current?.insert(reading(variables, cel));
  });
  const text = typeof value === 'string' ? value : '';
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only notes that its editor has the focus
    <div className="script-field" onFocus={onFocus}>
      <Suspense fallback={<Loading />}>
        <Editor
          ref={editor}
          label={label}
          value={text}
          onChange={(now) => onChange(now === '' ? undefined : now)}
          language={variables?.language === 'bash' ? 'shell' : variables ? 'code' : 'text'}
          complete={(line) => offered(line, latest.current)}
        />
      </Suspense>
      <Hidden text={text} />
    </div>
  );
}

/** The variable is there before the text that names it changes: both are changes of one document. */
function reading(variables: Variables, cel: string): string {
  let name = '';
  flushSync(() => {
    name = variables.take(cel);
  });
  return readOf(variables.language, name);
}

type Known = { names: Parameters<typeof completionsAt>[2]; variables: Variables | undefined };

const PATH = /(?:nodes|input|run|item)(?:\.\w*|\["[^"]*"\]|\[\d+\])*$/;
const MEMBERS: readonly string[] = ['output', 'input', 'nodes', 'run', 'item'];

/** What may stand at the end of a line: variables, and members of the data, which become variables. */
function offered(line: string, { names, variables }: Known) {
  if (!variables) return [];
  const [dollar] = /\$\{?\w*$/.exec(line) ?? /\bprocess\.env\.\w*$/.exec(line) ?? [];
  if (dollar !== undefined) {
    const typed = /\w*$/.exec(dollar)![0];
    return variables.names.map((name) => ({
      label: name,
      detail: 'variable',
      length: typed.length,
      insert: () => name,
    }));
  }
  const [path] = PATH.exec(line) ?? [];
  if (path === undefined) return [];
  return completionsAt(path, path.length, names)
    .filter(({ caret }) => caret === undefined)
    .map(({ label, detail, insert, from }) => {
      const whole = path.slice(0, from) + insert;
      const holds = / of \d+$/.test(detail) || MEMBERS.includes(label) || /^nodes(\.\w+|\["[^"]*"\])?$/.test(whole);
      return {
        label,
        detail,
        length: path.length,
        // What holds more is a step on the way; a single value becomes a variable.
        insert: () => (holds && !detail.startsWith('list') ? whole : reading(variables, whole)),
      };
    });
}

import { lazy, Suspense, useRef } from 'react';
import type { EditorHandle } from '../../kit/editor/editor.tsx';
import { Hidden } from '../../kit/hidden.tsx';
import { visible } from '../../kit/text.ts';
import { useInserted } from '../node/insertion.ts';
import { completionsAt } from './completion.ts';
import './expressions.css';
import type { ExpressionNames } from './names.ts';
import { ExpressionValue } from './value.tsx';

export type { ExpressionNames } from './names.ts';

const CelEditor = lazy(() => import('./cel-editor.tsx'));

interface Props {
  value: string;
  onChange(value: string): void;
  /** Of the field; what stands above it is for its page to say. */
  label: string;
  names: ExpressionNames;
  /** What the check says of it. */
  error?: string | undefined;
}

/** A CEL expression: it suggests what may stand at the cursor, and shows what the engine says of the whole. */
export function ExpressionField({ value, onChange, label, names, error }: Props) {
  const editor = useRef<Pick<EditorHandle, 'insert'>>(null);
  const onFocus = useInserted((cel) => editor.current?.insert(cel));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only notes that its editor has the focus
    <div className="expression" onFocus={onFocus}>
      <Suspense fallback={<code className="expression-loading">{visible(value)}</code>}>
        <CelEditor
          ref={editor}
          label={label}
          value={value}
          onChange={onChange}
          invalid={error !== undefined}
          complete={(text, caret) => completionsAt(text, caret, names)}
        />
      </Suspense>
      <Hidden text={value} />
      <div className="expression-said" role="status">
        <ExpressionValue expression={value} names={names} />
      </div>
      {error !== undefined && <p className="bad">{visible(error)}</p>}
    </div>
  );
}

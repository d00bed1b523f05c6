import { CircleX, TriangleAlert } from 'lucide-react';
import { Problem } from '../../kit/basics.tsx';
import { visible } from '../../kit/text.ts';
import type { GraphDocument } from '../document.ts';
import { findingWords, type Placed } from './findings.ts';
import { type LoopPath, nameAt } from './loops.ts';
import { type Actions, edgesOnly, NOTHING, nodesOnly } from './state.ts';
import type { Checked } from './use-check.ts';

/** All findings; each leads to where it can be mended. */
interface Props {
  document: GraphDocument;
  checked: Checked;
  actions: Actions;
}

export function FindingsPanel({ document, checked, actions }: Props) {
  const { findings, done, error } = checked;
  const faults = findings.filter(({ warning }) => !warning).length;
  return (
    <section className="graph-float findings" aria-label="Problems">
      <p role="status">
        {!done
          ? 'Checking…'
          : error
            ? ''
            : faults > 0
              ? `✕ ${faults} ${faults === 1 ? 'problem' : 'problems'}`
              : '✓ No problems'}
        {done && findings.length > faults
          ? ` · ! ${findings.length - faults} ${findings.length - faults === 1 ? 'warning' : 'warnings'}`
          : ''}
      </p>
      {error !== undefined && <Problem error={error} />}
      <ul className="plain">
        {findings.map((one, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same may be said twice
          <li key={`${one.pointer} ${at}`}>
            <button type="button" className="bare finding" onClick={() => show(one, actions)}>
              {one.warning ? (
                <TriangleAlert size={16} className="warns" aria-label="Warning" />
              ) : (
                <CircleX size={16} className="bad" aria-label="Problem" />
              )}
              <span>{visible(wordsOf(one, document))}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** With the names of the loops in which it is: `Each order › Pack parcel needs script`. */
function wordsOf(one: Placed, document: GraphDocument): string {
  const path = pathOf(one);
  const names = path.map((id, depth) => nameAt(document, path.slice(0, depth), id));
  return [...names, findingWords(one, (id) => nameAt(document, path, id))].join(' › ');
}

const pathOf = ({ loops }: Placed): LoopPath => loops.map(({ node }) => node);

function show(one: Placed, actions: Actions): void {
  const { node, edge, within } = one;
  actions.go(pathOf(one), edge !== undefined ? edgesOnly(edge) : node !== undefined ? nodesOnly(node) : NOTHING);
  // The fields are there once the panel is drawn.
  requestAnimationFrame(() => requestAnimationFrame(() => focusField(within)));
}

/** The field of a pointer, or of the nearest thing that holds it. */
function focusField(pointer: string): void {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const frame = document.querySelector(`[data-pointer="${CSS.escape(at)}"]`);
    const field = frame?.querySelector<HTMLElement>('input, select, textarea, .expression-editor, .editor');
    if (!field) continue;
    // An editor would give the focus to what scrolls in it, which takes no text.
    (field.shadowRoot?.querySelector<HTMLElement>('.cm-content') ?? field).focus();
    field.scrollIntoView({ block: 'center' });
    return;
  }
}

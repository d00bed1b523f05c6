import { ChevronRight } from 'lucide-react';
import { visible } from '../../kit/text.ts';
import type { GraphDocument } from '../document.ts';
import { type LoopPath, nameAt } from './loops.ts';

interface Props {
  document: GraphDocument;
  path: LoopPath;
  /** So many loops stay open. */
  leave(depth: number): void;
}

/** In which loop one is, and the way back. */
export const Crumbs = ({ document, path, leave }: Props) => (
  <nav aria-label="Open loop">
    <ol className="graph-crumbs">
      {['Graph', ...path.map((id, depth) => nameAt(document, path.slice(0, depth), id))].map((name, depth) => (
        <li key={path.slice(0, depth).join(' ')}>
          {depth > 0 && <ChevronRight size={14} aria-hidden />}
          {depth < path.length ? (
            <button type="button" className="ghost small" onClick={() => leave(depth)}>
              {visible(name)}
            </button>
          ) : (
            <span className="strong" aria-current="page">
              {visible(name)}
            </span>
          )}
        </li>
      ))}
    </ol>
  </nav>
);

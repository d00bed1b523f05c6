import { useQuery } from '@tanstack/react-query';
import type { EvaluatedExpression } from '../../../../../../cli/generated/api.ts';
import { useSettled } from '../../kit/settled.ts';
import { pretty, visible } from '../../kit/text.ts';
import type { ExpressionNames } from './names.ts';
import { evaluation } from './use-names.ts';

const PAUSE_MS = 250;
const MAX_SHOWN = 2000;

/** What an expression comes to with the values of a run, as the engine says it. */
export function ExpressionValue({ expression, names }: { expression: string; names: ExpressionNames }) {
  const settled = useSettled(expression, PAUSE_MS);
  const found = useQuery({ ...evaluation(names, settled), enabled: settled.trim() !== '' });
  if (settled.trim() === '') return null;
  if (found.error) return <span className="bad">{visible(found.error.message)}</span>;
  if (!found.data) return <span className="quiet">…</span>;
  return <Said found={found.data} names={names} />;
}

function Said({
  found: { ok, value, reason, problems },
  names,
}: {
  found: EvaluatedExpression;
  names: ExpressionNames;
}) {
  if (problems)
    return (
      <span className="bad">
        {problems.map(({ line, column, message }) => (
          <span key={`${line} ${column} ${message}`} className="expression-problem">
            Line {line}, column {column}: {visible(message)}
          </span>
        ))}
      </span>
    );
  if (!names.sample || (names.event && names.sample.event === undefined))
    return <span className="quiet">It has no value until a node has run.</span>;
  const of = names.pinned ? ' of the sample' : names.from === undefined ? '' : ` of run ${names.from.slice(-6)}`;
  if (!ok)
    return (
      <span className="quiet">
        No value with the data{of}: {visible(reason ?? '')}
      </span>
    );
  const text = JSON.stringify(value, null, typeof value === 'object' ? 2 : undefined) ?? '';
  return (
    <>
      <code className="expression-value">{visible(pretty(text.slice(0, MAX_SHOWN)))}</code>
      {text.length > MAX_SHOWN && <span className="quiet"> and more</span>}
      {of && <span className="quiet"> with the data{of}</span>}
    </>
  );
}

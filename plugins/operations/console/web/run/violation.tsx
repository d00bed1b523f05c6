import type { RunRecord } from '../../../../../cli/generated/api.ts';
import { Diff } from '../kit/diff.tsx';
import { Panel } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { parseViolation } from '../../../../execution/replay/explain/violation.ts';

/** A replay that came to another call: what the journal holds, and what the program asked for. */
export function DeterminismViolation({ run }: { run: RunRecord }) {
  const found = run.error?.code === 'determinism_violation' ? parseViolation(run.error.message) : undefined;
  if (!found) return null;
  return (
    <Panel title="The replay differs">
      <p>
        {visible(found.summary)} Position {visible(found.position)}:
      </p>
      <Diff a={found.recorded} b={found.present} label="The call that differs: - was recorded, + is requested now" />
      <p className="quiet">- was recorded, + is requested now.</p>
      <ul className="plain">
        {found.notes.map((note) => (
          <li key={note}>{visible(note)}</li>
        ))}
      </ul>
      {found.advice && <p>{visible(found.advice)}</p>}
    </Panel>
  );
}

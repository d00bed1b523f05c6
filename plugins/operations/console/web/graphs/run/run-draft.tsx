import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { NodeRecord, RunRecord } from '../../../../../../cli/generated/api.ts';
import type { Scope } from '../../api/paths.ts';
import { Status } from '../../kit/basics.tsx';
import { Tip } from '../../kit/tip.tsx';
import type { GraphDocument } from '../document.ts';
import { RunNow } from './run-now.tsx';
import { IconButton } from '../../kit/icon-button.tsx';

interface Props {
  scope: Scope;
  document: GraphDocument;
  name: string;
  /** Of the last run, or pinned. */
  input: unknown;
  /** The run that was started here last, unless it is hidden. */
  run: string | undefined;
  record: RunRecord | undefined;
  records: ReadonlyMap<string, NodeRecord>;
  begun(run: string): void;
  hide(): void;
}

const ENDED: readonly string[] = ['succeeded', 'failed', 'skipped', 'cancelled'];

/** Runs a document as it stands in the editor. Nobody is led away: the canvas shows how the run goes. */
export function RunDraft({ scope, document, name, input, run, record, records, begun, hide }: Props) {
  const ended = [...records.values()].filter(({ state }) => ENDED.includes(state)).length;
  return (
    <>
      <RunNow
        // The field of the dialog begins with the input that is known by then.
        key={JSON.stringify(input)?.length}
        scope={scope}
        of={{ document, ...(name !== '' && { name }) }}
        label="Run draft"
        onRun={begun}
        input={input}
      />
      <span role="status" className="draft-run">
        {run && (
          <>
            <Link to="/orgs/$org/projects/$project/runs/$run" params={{ ...scope, run }} target="_blank">
              Run {run.slice(-6)}
              <span className="hidden">, in another tab</span>
            </Link>
            {record && <Status of={record.status} />}
            {records.size > 0 && (
              <span className="quiet num">
                {ended} of {records.size}
                <span className="hidden"> nodes ended</span>
              </span>
            )}
          </>
        )}
      </span>
      {run && (
        <Tip text="Hide the run on the canvas">
          <IconButton label="Hide the run on the canvas" icon={X} onClick={hide} />
        </Tip>
      )}
    </>
  );
}

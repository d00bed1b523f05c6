import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import type { GraphRequirements } from '../../../../../../cli/generated/api.ts';
import { json, Refusal } from '../../api/client.ts';
import { useLive } from '../../api/live.ts';
import { readAgain } from '../../api/read-again.ts';
import { query, type Scope, scoped } from '../../api/paths.ts';
import { useMay } from '../../app/session.ts';
import { Loading, Name, Problem, StatusIcon } from '../../kit/basics.tsx';
import { AGAIN_MS } from '../../kit/paged.ts';
import { Same } from '../../kit/page.tsx';
import { useSettled } from '../../kit/settled.ts';
import { visible } from '../../kit/text.ts';
import type { GraphDocument } from '../document.ts';
import '../graphs.css';
import { Mend } from './mend.tsx';
import { type Want, wantsOf } from './wants.ts';

/** A stored graph, or a document that need not be saved. */
export type Asked = { graph: string; version?: number | undefined } | { document: GraphDocument };

const PAUSE_MS = 600;

function useRequirements(scope: Scope, asked: Asked) {
  const may = useMay(scope);
  const of = useSettled(asked, PAUSE_MS);
  const path = 'document' in of ? scoped(scope, '/graph-requirements') : storedPath(scope, of);
  const body = 'document' in of ? { document: of.document } : undefined;
  const client = useQueryClient();
  const queryKey = ['requirements', path, JSON.stringify(body ?? null)];
  const report = useQuery({
    queryKey,
    // Credentials come and go without a word to this page.
    refetchInterval: AGAIN_MS,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => json<GraphRequirements>(path, { signal, ...(body && { method: 'POST', body }) }),
  });
  useLive(scope, may('member') ? 'accounts' : '', () => void readAgain(client, queryKey));
  return report;
}

const storedPath = (scope: Scope, { graph, version }: { graph: string; version?: number | undefined }) =>
  scoped(scope, `/graphs/${encodeURIComponent(graph)}/requirements${query({ version })}`);

interface Props {
  scope: Scope;
  of: Asked;
  /** Shows a node. */
  onChoose?(node: string): void;
}

/** What a graph needs: what is there, what is not, and a way to mend it here. It reads again by itself. */
export function RequirementsPanel({ scope, of, onChoose }: Props) {
  const report = useRequirements(scope, of);
  const wants = report.data && wantsOf(report.data);
  return (
    <div className="requirements">
      {report.error && <Unread error={report.error} />}
      {!wants && !report.error && <Loading />}
      {wants && !report.error && (
        <p role="status" className="row">
          <StatusIcon of={report.data?.ready ? 'succeeded' : 'failed'} silent />
          {report.data?.ready ? 'All credentials found' : 'Something is missing'}
        </p>
      )}
      {wants?.length === 0 && <p className="quiet">This graph uses no credentials or accounts.</p>}
      {wants && wants.length > 0 && (
        <ul className="plain">
          {wants.map((want) => (
            <li key={want.name}>
              <Wanted want={want} onChoose={onChoose} />
              {want.state !== 'ok' && <Mend scope={scope} want={want} onMended={() => void report.refetch()} />}
            </li>
          ))}
        </ul>
      )}
      {'graph' in of && (
        <Same by={{ command: `svc graph requirements ${of.graph}`, call: `GET ${storedPath(scope, of)}` }} />
      )}
    </div>
  );
}

/** While somebody draws, a document has faults, which the check names. */
const Unread = ({ error }: { error: Error }) =>
  error instanceof Refusal && error.problem.code === 'workflow_invalid' ? (
    <p className="quiet">The graph has problems. Fix them to see what the graph needs.</p>
  ) : (
    <Problem error={error} />
  );

const SAYS: Record<Want['state'], string> = {
  ok: 'exists',
  missing: 'does not exist',
  wrong_kind: 'is of the wrong kind',
  conflict: 'is the name of both a credential and an account',
  needs_reconnect: 'must be connected again',
  host_not_allowed: 'is limited to other hosts',
};

/** A node in a loop comes after the loop: `regions/notify`. The canvas shows the loop. */
const outermost = (node: string): string => node.split('/')[0]!;

function Wanted({ want, onChoose }: { want: Want; onChoose?: ((node: string) => void) | undefined }) {
  const { name, state, nodes, stored_kind, kinds } = want;
  return (
    <>
      <strong>
        <Name>{name}</Name>
      </strong>{' '}
      <span className={state === 'ok' ? 'status succeeded' : 'status failed'}>{SAYS[state]}</span>
      {state === 'wrong_kind' && (
        <div className="quiet">
          It is {stored_kind}, and must be {kinds.join(' or ')}.
        </div>
      )}
      <div className="quiet">
        for{' '}
        {nodes.map((node) =>
          onChoose ? (
            <button key={node} type="button" className="small" onClick={() => onChoose(outermost(node))}>
              {visible(node)}
            </button>
          ) : (
            <code key={node}>{visible(node)} </code>
          ),
        )}
      </div>
    </>
  );
}

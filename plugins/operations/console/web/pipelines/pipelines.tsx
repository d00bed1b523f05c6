import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Layers } from 'lucide-react';
import type { ListRuns200, RunRecord, WebhookView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { readAgain } from '../api/read-again.ts';
import { query, type Scope, scoped } from '../api/paths.ts';
import { Empty, Loading, Name, Problem, Status, StatusIcon, Time } from '../kit/basics.tsx';
import { List, Table } from '../kit/list.tsx';
import { AGAIN_MS, usePaged } from '../kit/paged.ts';
import { Page, Panel } from '../kit/page.tsx';
import { Rows } from '../kit/rows.tsx';
import { visible } from '../kit/text.ts';
import { RunTable } from '../runs/table.tsx';
import { Draft } from './draft.tsx';
import { groupPipelines, type PipelineItem } from './groups.ts';
import './pipelines.css';

/** The number of newest runs among which pipelines are looked for. */
const LOOKED_AT = 200;
const RECENT = 20;
/** The number of earlier runs of a pipeline that are shown. */
const EARLIER = 10;
const FROM = '/orgs/$org/projects/$project/pipelines';

export function Pipelines() {
  const scope = useParams({ from: FROM });
  const path = scoped(scope, `/runs${query({ limit: LOOKED_AT })}`);
  return (
    <Page title="Pipelines" same={{ command: `svc runs ls --limit ${LOOKED_AT}`, call: `GET ${path}` }}>
      <Lately scope={scope} path={path} />
      <OfWebhooks scope={scope} />
      <Draft scope={scope} />
    </Page>
  );
}

function Lately({ scope, path }: { scope: Scope; path: string }) {
  const client = useQueryClient();
  const queryKey = ['pipelines', path];
  const list = useQuery({
    queryKey,
    queryFn: ({ signal }) => json<ListRuns200>(path, { signal }),
  });
  useLive(scope, 'runs', () => void readAgain(client, queryKey));
  const runs = list.data?.runs.filter(({ kind }) => kind === 'pipeline');
  if (runs && runs.length > 0)
    return (
      <>
        <Panel title="Pipelines" flush>
          <PipelineRows scope={scope} items={groupPipelines(runs)} />
          {list.data?.next_cursor && (
            <p className="quiet panel-note">These pipelines are among the newest {LOOKED_AT} runs of the project.</p>
          )}
        </Panel>
        <Panel title="Recent runs" flush>
          <RunTable scope={scope} runs={runs.slice(0, RECENT)} />
        </Panel>
      </>
    );
  return (
    <Panel title="Pipelines" flush>
      {list.error && <Problem error={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {runs?.length === 0 && (
        <Empty icon={Layers} title="No pipeline runs yet">
          None of the newest {LOOKED_AT} runs is a pipeline run. Try one below, or start one on every push.
        </Empty>
      )}
    </Panel>
  );
}

/** Each pipeline with the state of its newest run, and how the ones before it ended. */
const PipelineRows = ({ scope, items }: { scope: Scope; items: readonly PipelineItem[] }) => (
  <Rows<PipelineItem>
    label="Pipelines"
    head="Pipeline"
    items={items}
    keyOf={({ name }) => name}
    mark={({ runs: [newest] }) => <StatusIcon of={newest!.status} />}
    title={({ name }) => (
      <Link to="/orgs/$org/projects/$project/runs" params={scope} search={{ workflow: name }}>
        <Name>{name}</Name>
      </Link>
    )}
    columns={[
      { ...{ name: 'Last run', look: 'c-state' }, cell: ({ runs: [newest] }) => <Newest scope={scope} of={newest!} /> },
      { ...{ name: 'Earlier runs', look: 'c-mid' }, cell: ({ runs }) => <Earlier scope={scope} of={runs.slice(1)} /> },
      { ...{ name: 'Started', look: 'c-mid second' }, cell: ({ runs: [newest] }) => <Time at={newest!.created_at} /> },
    ]}
    second={({ runs: [newest] }) => <Newest scope={scope} of={newest!} />}
    aside={({ runs: [newest] }) => <Time at={newest!.created_at} />}
  />
);

const Newest = ({ scope, of: { run_id, status } }: { scope: Scope; of: RunRecord }) => (
  <Link to="/orgs/$org/projects/$project/runs/$run" params={{ ...scope, run: run_id }}>
    <Status of={status} />
  </Link>
);

/** The states of the runs before the newest one. */
const Earlier = ({ scope, of: runs }: { scope: Scope; of: readonly RunRecord[] }) =>
  runs.length === 0 ? (
    <span className="quiet">none</span>
  ) : (
    <span className="outcomes">
      {runs.slice(0, EARLIER).map(({ run_id, status }) => (
        <Link
          key={run_id}
          to="/orgs/$org/projects/$project/runs/$run"
          params={{ ...scope, run: run_id }}
          aria-label={`${status}: ${run_id}`}
          title={run_id}
        >
          <StatusIcon of={status} />
        </Link>
      ))}
      {runs.length > EARLIER && <span className="quiet">+{runs.length - EARLIER}</span>}
    </span>
  );

/** The pipelines that pushes start. */
function OfWebhooks({ scope }: { scope: Scope }) {
  const list = usePaged<'webhooks', WebhookView>(
    'webhooks',
    scoped(scope, '/webhooks'),
    {},
    { again_ms: AGAIN_MS, whole: true },
  );
  const items = list.items?.filter(({ workflow }) => workflow?.kind === 'pipeline');
  return (
    <Panel title="Started by pushes">
      <List
        list={{ ...list, items }}
        empty={
          <>
            No webhook runs a pipeline.{' '}
            <Link to="/orgs/$org/projects/$project/webhooks" params={scope} search={{}}>
              Create a webhook
            </Link>{' '}
            for your repository, or use <code>svc webhook set --pipeline ci.yaml</code>.
          </>
        }
      >
        {(webhooks) => (
          <Table columns={['Webhook', 'Repository', 'Pipeline']}>
            {webhooks.map((webhook) => (
              <tr key={webhook.name}>
                <td>
                  <Link
                    to="/orgs/$org/projects/$project/webhooks/$webhook"
                    params={{ ...scope, webhook: webhook.name }}
                  >
                    <Name>{webhook.name}</Name>
                  </Link>
                </td>
                <td>{visible(webhook.repo)}</td>
                <td>{visible(String(webhook.workflow?.filename ?? 'pipeline'))}</td>
              </tr>
            ))}
          </Table>
        )}
      </List>
    </Panel>
  );
}

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ListRuns200, WebhookView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { readAgain } from '../api/read-again.ts';
import { query, type Scope, scoped } from '../api/paths.ts';
import { Empty, Loading, Name, Problem } from '../kit/basics.tsx';
import { List, Table } from '../kit/list.tsx';
import { AGAIN_MS, usePaged } from '../kit/paged.ts';
import { Page, Panel } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { RunTable } from '../runs/table.tsx';
import { Draft } from './draft.tsx';

/** Among so many newest runs pipelines are looked for. */
const LOOKED_AT = 200;
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
  return (
    <Panel title="Pipeline runs">
      {list.error && <Problem error={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {runs?.length === 0 && <Empty>None of the newest {LOOKED_AT} runs is a pipeline run.</Empty>}
      {runs && runs.length > 0 && <RunTable scope={scope} runs={runs} />}
      {runs && runs.length > 0 && list.data?.next_cursor && (
        <p className="quiet">These are among the newest {LOOKED_AT} runs.</p>
      )}
    </Panel>
  );
}

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
            No webhook runs a pipeline. Start with{' '}
            <code>svc webhook set &lt;name&gt; --forge … --repo … --pipeline ci.yaml</code>.
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

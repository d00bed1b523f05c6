import type { GraphView, PublishedGraph } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useRefetch } from '../api/read-again.ts';
import { useMay } from '../app/session.ts';
import { Confirm } from '../kit/confirm.tsx';
import { listKey } from '../kit/paged.ts';

const WEBHOOK = 'trigger.webhook';

/** The triggers of a document: what a publish registers. */
export function triggersIn(document: Readonly<Record<string, unknown>>): { id: string; type: string }[] {
  const nodes = Array.isArray(document.nodes) ? (document.nodes as { id: string; type: string }[]) : [];
  return nodes.filter(({ type }) => String(type).startsWith('trigger.'));
}

const hooked = (triggers: readonly { type: string }[]): boolean => triggers.some(({ type }) => type === WEBHOOK);

function useChanged(scope: Scope, name: string) {
  const refetch = useRefetch();
  const path = scoped(scope, `/graphs/${encodeURIComponent(name)}`);
  return async () => {
    await refetch(['graph', path], listKey(`${path}/versions`), listKey(scoped(scope, '/graphs')));
  };
}

interface Props {
  scope: Scope;
  graph: GraphView;
  onPublished(published: PublishedGraph | undefined): void;
}

export function PublishActions({ scope, graph, onPublished }: Props) {
  const may = useMay(scope);
  const { name, version_number: version, published_version, triggers = [] } = graph;
  const changed = useChanged(scope, name);
  const wanted = triggersIn(graph.document);
  const role = hooked([...wanted, ...triggers]) ? 'admin' : 'member';
  if (!may(role)) return <span className="quiet">Only an admin can publish it, because it has a webhook.</span>;
  const unpublish = async () => {
    await json(scoped(scope, `/graphs/${encodeURIComponent(name)}/unpublish`), { method: 'POST' });
    onPublished(undefined);
    await changed();
  };
  return (
    <>
      {published_version !== version && (
        <Publish scope={scope} name={name} version={version} wanted={wanted} onPublished={onPublished} />
      )}
      {published_version !== undefined && (
        <Confirm label="Unpublish" title={`Unpublish the graph ${name}?`} verb="Unpublish graph" danger run={unpublish}>
          Its triggers are unregistered: webhook addresses accept no more deliveries, and get a new secret when the
          graph is published again. Runs continue. <code>svc graph unpublish {name}</code> does the same.
        </Confirm>
      )}
    </>
  );
}

interface PublishProps {
  scope: Scope;
  name: string;
  version: number;
  /** Triggers of this version, where they are known. */
  wanted?: readonly { id: string; type: string }[];
  label?: string;
  onPublished(published: PublishedGraph): void;
}

export function Publish({ scope, name, version, wanted, label = 'Publish', onPublished }: PublishProps) {
  const changed = useChanged(scope, name);
  const publish = async () => {
    const path = scoped(scope, `/graphs/${encodeURIComponent(name)}/publish`);
    // The answer may hold secrets, which do not belong into what the page keeps.
    onPublished(await json<PublishedGraph>(path, { method: 'POST', body: { version_number: version } }));
    await changed();
  };
  return (
    <Confirm label={label} title={`Publish version ${version} of ${name}?`} verb="Publish version" run={publish}>
      {wanted?.length === 0 && 'It has no triggers, so nothing is registered. '}
      {wanted && wanted.length > 0 && (
        <>
          Its triggers are registered:{' '}
          {wanted.map(({ id, type }) => `${id} (${type.replace('trigger.', '')})`).join(', ')}.{' '}
        </>
      )}
      They start exactly this version until another one is published.{' '}
      <code>{`svc graph publish ${name}@${version}`}</code> does the same.
    </Confirm>
  );
}

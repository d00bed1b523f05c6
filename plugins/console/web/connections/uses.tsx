import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { CredentialUses } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { Empty, Loading, Problem } from '../kit/basics.tsx';
import { AGAIN_MS } from '../kit/paged.ts';
import { visible } from '../kit/text.ts';

/** What names a credential or an account; read when somebody opens it. */
export function Uses({ scope, of, name }: { scope: Scope; of: 'accounts' | 'credentials'; name: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        Used by<span className="hidden"> what: {name}</span>
      </summary>
      {open && <Found scope={scope} path={scoped(scope, `/${of}/${encodeURIComponent(name)}/uses`)} />}
    </details>
  );
}

function Found({ scope, path }: { scope: Scope; path: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['uses', path],
    queryFn: ({ signal }) => json<CredentialUses>(path, { signal }),
    refetchInterval: AGAIN_MS,
  });
  if (error) return <Problem error={error} again={() => void refetch()} />;
  if (!data) return <Loading />;
  if (data.uses.length === 0) return <Empty>Nothing that is kept here names it.</Empty>;
  return (
    <ul className="plain">
      {data.uses.map((use) => (
        <li key={`${use.kind} ${use.name} ${use.detail}`}>
          <Use scope={scope} use={use} />
        </li>
      ))}
      {data.more && <li className="quiet">There are more.</li>}
    </ul>
  );
}

function Use({ scope, use: { kind, name, detail } }: { scope: Scope; use: CredentialUses['uses'][number] }) {
  return (
    <>
      {kind}{' '}
      {kind === 'run' ? (
        <Link to="/orgs/$org/projects/$project/runs/$run" params={{ ...scope, run: name }} className="mono">
          {name.slice(-6)}
        </Link>
      ) : (
        <strong>{visible(name)}</strong>
      )}{' '}
      <span className="quiet">{visible(detail)}</span>
    </>
  );
}

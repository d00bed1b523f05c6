import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { AccountView, ConnectorManifest, Credential } from '../../../../../../cli/generated/api.ts';
import { json } from '../../api/client.ts';
import { scoped } from '../../api/paths.ts';
import { CredentialForm } from '../../connections/credential-form.tsx';
import { usePaged } from '../../kit/paged.ts';
import { connectorOf } from '../canvas/connector.ts';
import { useFormPlace } from './form-context.ts';

interface Props {
  label: string;
  value: unknown;
  onChange(value: unknown): void;
}

/** The name of a credential or an account; one that is missing is made right here. */
export function CredentialField({ label, value, onChange }: Props) {
  const { scope } = useFormPlace();
  const id = useId();
  const kind = useKind();
  const credentials = usePaged<'credentials', Credential>(
    'credentials',
    scoped(scope, '/credentials'),
    {},
    { whole: true },
  );
  const accounts = usePaged<'accounts', AccountView>('accounts', scoped(scope, '/accounts'), {}, { whole: true });
  // An account gives a token as a bearer does.
  const names = [
    ...(credentials.items ?? []).filter((one) => !kind || one.kind === kind).map(({ name }) => name),
    ...(!kind || kind === 'bearer' ? (accounts.items ?? []) : []).map(({ name }) => name),
  ];
  return (
    <div className="row">
      <input
        aria-label={label}
        list={id}
        spellCheck={false}
        placeholder={kind ? `Name of a ${kind.replaceAll('_', ' ')}` : 'Name'}
        value={typeof value === 'string' ? value : ''}
        onChange={({ target }) => onChange(target.value || undefined)}
      />
      <datalist id={id}>
        {[...new Set(names)].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <CredentialForm scope={scope} />
    </div>
  );
}

/** The kind that the connector of the node takes; undefined when it takes any, or is none. */
function useKind(): string | undefined {
  const { scope, type } = useFormPlace();
  const connector = connectorOf(type);
  const path = scoped(scope, `/connectors/${encodeURIComponent(connector ?? '')}`);
  const { data } = useQuery({
    queryKey: ['connector', path],
    queryFn: ({ signal }) => json<ConnectorManifest>(path, { signal }),
    enabled: connector !== undefined,
    staleTime: 60_000,
  });
  return data?.credential?.kind;
}

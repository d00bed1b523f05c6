import type { PublishedGraph } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { Copy, Time } from '../kit/basics.tsx';
import { Panel } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';

interface Props {
  scope: Scope;
  published: PublishedGraph | undefined;
  close(): void;
}

/** What a publish has registered, with the secrets that it shows this once. */
export function PublishedSecrets({ published, close }: Props) {
  if (!published) return null;
  const { published_version, triggers, warnings } = published;
  const secret = triggers.some((one) => one.secret !== undefined);
  return (
    <div className={secret ? 'once-many' : undefined} role="status">
      <Panel title={`Version ${published_version} is published`}>
        {triggers.length === 0 && <p>It has no triggers, so nothing is registered.</p>}
        <ul className="plain">
          {triggers.map((one) => (
            <li key={one.node_id}>
              <strong>{visible(one.node_id)}</strong> <span className="quiet">{one.type}</span>
              {one.on && <div>started by {one.on.map(visible).join(', ')}</div>}
              {one.next_due && (
                <div>
                  next <Time at={one.next_due} />
                </div>
              )}
              {one.ingest_url && (
                <div>
                  Deliveries go to <code>{one.ingest_url}</code>{' '}
                  <Copy text={one.ingest_url} label={`Copy the address of ${one.node_id}`} />
                </div>
              )}
              {one.secret && (
                <div className="once">
                  Their <code>X-Svc-Hook-Secret</code> header must be <code>{one.secret}</code>{' '}
                  <Copy text={one.secret} label={`Copy the secret of ${one.node_id}`} />{' '}
                  <strong>It is shown only once.</strong>
                </div>
              )}
            </li>
          ))}
        </ul>
        {warnings.map((warning) => (
          <p key={warning} className="bad">
            {visible(warning)}
          </p>
        ))}
        <button type="button" onClick={close}>
          {secret ? 'I have saved it' : 'Close'}
        </button>
      </Panel>
    </div>
  );
}

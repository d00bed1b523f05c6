import { useQuery } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useState } from 'react';
import type { ConnectorManifest } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useRefetch } from '../api/read-again.ts';
import { EventLink } from '../events/links.tsx';
import { Copy, Problem, Status } from '../kit/basics.tsx';
import { TextField } from '../kit/dialog-form.tsx';
import { Drawer } from '../kit/drawer.tsx';
import { InlineForm } from '../kit/inline-form.tsx';
import { parseJson } from '../kit/json.ts';
import { LongField } from '../kit/more-fields.tsx';
import { listKey } from '../kit/paged.ts';
import { Panel } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { canSign, type Proof, proofHeaders } from './sign.ts';

interface Props {
  scope: Scope;
  name: string;
  /** Of the hook or the webhook; its deliveries are read again. */
  path: string;
  address: string;
  /** Known where no connector says it. */
  proof: Proof | undefined;
  /** The connector that describes its deliveries. */
  connector: string | undefined;
  /** What was made a moment ago, and is shown on this page. */
  secret: string | undefined;
  sample: { type: string; payload: unknown };
  keyed: boolean;
}

/** Where deliveries go, and one that is made here and goes the same way. */
export function AddressCard(props: Props & { may: boolean }) {
  const [open, setOpen] = useState(false);
  const { address, may } = props;
  return (
    <Panel title="Delivery address">
      <div className="address">
        <code className="code-line">{address}</code>
        <Copy text={address} label="Copy address" />
      </div>
      {may && (
        <button type="button" onClick={() => setOpen(true)}>
          <Send size={14} aria-hidden /> Send a test delivery
        </button>
      )}
      {open && <TestDelivery {...props} close={() => setOpen(false)} />}
    </Panel>
  );
}

interface Answer {
  status: number;
  event_id?: string;
  event_type?: string;
  detail?: string;
}

function TestDelivery({ close, ...props }: Props & { close(): void }) {
  const { scope, name, connector, secret, sample, keyed } = props;
  const manifest = useQuery({
    queryKey: ['connector', connector],
    enabled: connector !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      json<ConnectorManifest>(scoped(scope, `/connectors/${encodeURIComponent(connector!)}`), { signal }),
  });
  const refetch = useRefetch();
  const [answer, setAnswer] = useState<Answer>();
  const section = manifest.data?.hook;
  const proof = section ? proofOfSection(section) : props.proof;
  const send = async (fields: Record<string, string>) => {
    setAnswer(undefined);
    const body = fields.payload ?? '';
    parseJson(body);
    if (!proof) throw new Error('The connector has not loaded yet, so the delivery cannot be signed. Try again.');
    setAnswer(await deliver(props, proof, section, { body, secret: fields.secret ?? '', type: fields.type ?? '' }));
    await refetch(listKey(`${props.path}/deliveries`));
  };
  return (
    <Drawer title={`Send a test delivery to ${name}`} close={close}>
      {manifest.error && <Problem error={manifest.error} />}
      {proof && !canSign(proof) ? (
        <p>Only the sender can sign its deliveries, with a private key. Use its own test button.</p>
      ) : (
        <InlineForm verb="Send test delivery" run={send}>
          <p className="quiet">
            This browser sends the delivery to the address as the sender would. It becomes an event, which starts
            handlers and ends waits.
          </p>
          {headerOf(section?.event_type) !== undefined && <TextField name="type" label="Event" value={sample.type} />}
          <LongField name="payload" label="Payload, as JSON" value={JSON.stringify(sample.payload, null, 2)} rows={8} />
          <label>
            {keyed ? 'Signing key' : 'Secret'}
            <input
              name="secret"
              type="password"
              autoComplete="off"
              required
              spellCheck={false}
              defaultValue={secret ?? ''}
            />
            <span className="hint">
              {secret === undefined
                ? 'The service does not show it again. It stays in this browser.'
                : 'The secret shown on this page.'}
            </span>
          </label>
        </InlineForm>
      )}
      <div role="status">{answer && <Outcome scope={scope} answer={answer} />}</div>
    </Drawer>
  );
}

const Outcome = ({ scope, answer: { status, event_id, event_type = '', detail } }: { scope: Scope; answer: Answer }) =>
  event_id === undefined ? (
    <p className="row">
      <Status of="refused">Rejected · {status}</Status> {detail !== undefined && visible(detail)}
    </p>
  ) : (
    <p className="row">
      <Status of="delivered">Delivered · {status}</Status>
      <EventLink scope={scope} event={event_id}>
        {visible(event_type)}
      </EventLink>
    </p>
  );

function proofOfSection({ signature, token }: NonNullable<ConnectorManifest['hook']>): Proof | undefined {
  if (signature) return { signature };
  return token && { token };
}

const headerOf = (place: object | undefined): string | undefined =>
  place && 'header' in place ? String(place.header) : undefined;

const headerWith = (name: string | undefined, value: string): Record<string, string> =>
  name === undefined ? {} : { [name]: value };

/** On this origin, whatever the service calls itself: the policy of the page lets it speak to no other. */
async function deliver(
  { address }: Props,
  proof: Proof,
  section: ConnectorManifest['hook'],
  { body, secret, type }: { body: string; secret: string; type: string },
): Promise<Answer> {
  const id = `test-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;
  const headers = {
    'Content-Type': 'application/json',
    ...headerWith(headerOf(section?.event_type), type),
    ...headerWith(headerOf(section?.delivery_id), id),
    ...(await proofHeaders(proof, { secret, body, id, now: Date.now() })),
  };
  const answer = await fetch(new URL(address).pathname, { method: 'POST', headers, body, credentials: 'omit' });
  const text = await answer.text();
  try {
    return { ...(JSON.parse(text) as object), status: answer.status };
  } catch {
    return { status: answer.status, detail: text.slice(0, 500) };
  }
}

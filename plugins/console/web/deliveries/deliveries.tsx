import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { DeliveryView, Redelivered } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import type { Scope } from '../api/paths.ts';
import { Status, Time } from '../kit/basics.tsx';
import { Confirm } from '../kit/confirm.tsx';
import { List, Table } from '../kit/list.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { Panel, Same } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { EventLink } from '../events/table.tsx';

interface Props {
  scope: Scope;
  /** `svc event-hook`, `svc webhook`. */
  command: string;
  name: string;
  /** Of the hook or the webhook. */
  path: string;
  /** Whether the reader may have one recorded again. */
  may: boolean;
}

/** What was delivered, refused ones too, and a button that records one again. */
export function Deliveries({ scope, command, name, path, may }: Props) {
  const at = `${path}/deliveries`;
  const list = usePaged<'deliveries', DeliveryView>('deliveries', at, {}, { again_ms: AGAIN_MS });
  return (
    <Panel title="What was delivered">
      <List list={list} empty="Nothing has been delivered yet.">
        {(deliveries) => (
          <Table columns={['When', 'Outcome', 'Event', '']}>
            {deliveries.map((one) => (
              <tr key={one.delivery}>
                <td>
                  <Time at={one.at} />
                  {one.old_secret && <div className="quiet">by the old secret</div>}
                  {one.redelivered_by !== undefined && (
                    <div className="quiet">again, by {visible(one.redelivered_by)}</div>
                  )}
                </td>
                <td>
                  <Status of={one.outcome} />
                  {one.reason && <div>{visible(one.reason)}</div>}
                </td>
                <td>
                  {one.event && (
                    <EventLink scope={scope} event={one.event}>
                      {visible(one.event_type ?? one.event)}
                    </EventLink>
                  )}
                </td>
                <td>{may && one.event && <Redeliver scope={scope} delivery={one} at={at} {...{ command, name }} />}</td>
              </tr>
            ))}
          </Table>
        )}
      </List>
      <Same by={{ command: `${command} deliveries ${name}`, call: `GET ${at}` }} />
    </Panel>
  );
}

interface RedeliverProps extends Pick<Props, 'scope' | 'command' | 'name'> {
  delivery: DeliveryView;
  at: string;
}

function Redeliver({ scope, command, name, delivery: { delivery }, at }: RedeliverProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const call = `${at}/${encodeURIComponent(delivery)}/redeliver`;
  const again = async () => {
    const { event } = await json<Redelivered>(call, { method: 'POST' });
    await client.invalidateQueries({ queryKey: listKey(at) });
    void navigate({ to: '/orgs/$org/projects/$project/events/$event', params: { ...scope, event } });
  };
  return (
    <Confirm label="Redeliver" title="Record it again?" verb="Record it" run={again}>
      What it brought becomes a new event, with the trust of the first one. It starts handlers and ends waits.
      <Same by={{ command: `${command} redeliver ${name} ${delivery}`, call: `POST ${call}` }} />
    </Confirm>
  );
}

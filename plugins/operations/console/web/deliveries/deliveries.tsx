import { useNavigate } from '@tanstack/react-router';
import { Copy as CopyIcon, Inbox, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import type { DeliveryView, Redelivered } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useRefetch } from '../api/read-again.ts';
import type { Scope } from '../api/paths.ts';
import { EventLink } from '../events/links.tsx';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Empty, StatusIcon, Time } from '../kit/basics.tsx';
import { Asked } from '../kit/confirm.tsx';
import { List } from '../kit/list.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { Same } from '../kit/page.tsx';
import { Rows } from '../kit/rows.tsx';
import { visible } from '../kit/text.ts';

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

/** What was delivered, rejected ones too; one that was recorded can be recorded again. */
export function Deliveries({ scope, command, name, path, may }: Props) {
  const at = `${path}/deliveries`;
  const list = usePaged<'deliveries', DeliveryView>('deliveries', at, {}, { again_ms: AGAIN_MS });
  return (
    <List
      list={list}
      nothing={
        <Empty icon={Inbox} title="No deliveries yet">
          Deliveries appear here, including rejected ones. Send a test delivery to try the address.
        </Empty>
      }
    >
      {(deliveries) => (
        <Rows<DeliveryView>
          label="Deliveries"
          head="Event"
          items={deliveries}
          keyOf={({ delivery }) => delivery}
          mark={({ outcome }) => <StatusIcon of={outcome === 'recorded' ? 'delivered' : 'rejected'} />}
          title={(one) => <Title scope={scope} delivery={one} />}
          columns={[
            { name: 'Result', look: 'second', cell: Result },
            { name: 'Received', look: 'c-end', cell: ({ at: when }) => <Time at={when} /> },
          ]}
          second={(one) => (
            <span className="clip">
              <Result {...one} />
            </span>
          )}
          aside={({ at: when }) => <Time at={when} />}
          {...(may && {
            actions: (one: DeliveryView) => (
              <DeliveryMenu scope={scope} delivery={one} at={at} {...{ command, name }} />
            ),
          })}
        />
      )}
    </List>
  );
}

const Title = ({ scope, delivery: { event, event_type, outcome } }: { scope: Scope; delivery: DeliveryView }) =>
  event ? (
    <EventLink scope={scope} event={event}>
      {visible(event_type ?? event)}
    </EventLink>
  ) : (
    <span className="strong">{outcome === 'refused' ? 'Rejected' : 'Recorded'}</span>
  );

function Result({ outcome, code, reason, old_secret, redelivered_by }: DeliveryView): ReactNode {
  const notes = [
    ...(outcome === 'refused' ? [] : ['Delivered']),
    ...(reason === undefined ? [] : [visible(reason)]),
    ...(old_secret ? ['with the old secret'] : []),
    ...(redelivered_by === undefined ? [] : [`redelivered by ${visible(redelivered_by)}`]),
  ];
  const text = notes.join(' · ');
  return (
    <span className={outcome === 'refused' ? 'bad' : undefined} title={code === undefined ? text : `${code}: ${text}`}>
      {text}
    </span>
  );
}

interface MenuProps extends Pick<Props, 'scope' | 'command' | 'name'> {
  delivery: DeliveryView;
  at: string;
}

function DeliveryMenu({ scope, command, name, delivery: { delivery, event }, at }: MenuProps) {
  const refetch = useRefetch();
  const navigate = useNavigate();
  const call = `${at}/${encodeURIComponent(delivery)}/redeliver`;
  const again = async () => {
    const made = await json<Redelivered>(call, { method: 'POST' });
    await refetch(listKey(at));
    void navigate({ to: '/orgs/$org/projects/$project/events/$event', params: { ...scope, event: made.event } });
  };
  return (
    <ActionMenu
      label={`Actions for delivery ${delivery.slice(-6)}`}
      small
      actions={[
        event !== undefined && {
          icon: RotateCw,
          label: 'Redeliver',
          opens: (close) => (
            <Asked title="Redeliver?" verb="Redeliver" run={again} close={close}>
              Its body becomes a new event with the same trust as the first event. The new event starts handlers and
              ends waits.
              <Same by={{ command: `${command} redeliver ${name} ${delivery}`, call: `POST ${call}` }} />
            </Asked>
          ),
        },
        {
          icon: CopyIcon,
          label: 'Copy delivery ID',
          run: () => void navigator.clipboard.writeText(delivery).catch(() => undefined),
        },
      ]}
    />
  );
}

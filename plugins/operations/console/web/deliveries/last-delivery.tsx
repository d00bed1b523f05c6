import { useQuery } from '@tanstack/react-query';
import type { DeliveryView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { StatusIcon, Time } from '../kit/basics.tsx';
import { visible } from '../kit/text.ts';

/** A list asks for the newest delivery of each of its rows. */
const AGAIN_MS = 15_000;

/** When the last delivery came, and whether it was taken. `path` is of the hook or the webhook. */
export function LastDelivery({ path }: { path: string }) {
  const { data, error } = useQuery({
    queryKey: ['last-delivery', path],
    queryFn: ({ signal }) => json<{ deliveries: DeliveryView[] }>(`${path}/deliveries?limit=1`, { signal }),
    refetchInterval: AGAIN_MS,
  });
  if (!data) return error && <span className="bad">Could not be loaded</span>;
  const [last] = data.deliveries;
  if (!last) return <span className="quiet">None yet</span>;
  return (
    <span className="with-icon" title={last.reason && visible(last.reason)}>
      <StatusIcon of={last.outcome === 'recorded' ? 'delivered' : 'rejected'} /> <Time at={last.at} />
    </span>
  );
}

import { useQuery } from '@tanstack/react-query';
import { whoamiQuery } from '../app/session.ts';
import { visible } from '../kit/text.ts';

/** Who saved something; nobody for what the operator did. */
export function By({ id }: { id: string | undefined }) {
  const { data } = useQuery(whoamiQuery);
  if (id === undefined) return null;
  return <span className="quiet clip">by {data?.user.id === id ? 'you' : visible(id)}</span>;
}

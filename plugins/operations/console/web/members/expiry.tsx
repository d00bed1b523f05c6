import { Status, Time } from '../kit/basics.tsx';
import { useNow } from '../kit/clock.ts';

const SOON_MS = 7 * 86_400_000;

/** When something ends; amber where somebody has to act soon. */
export function Expiry({ at }: { at: string | undefined }) {
  const now = useNow();
  if (at === undefined) return <span className="quiet">Never</span>;
  if (Date.parse(at) - now > SOON_MS) return <Time at={at} />;
  return (
    <Status of="waiting">
      <Time at={at} />
    </Status>
  );
}

import type { Invitation } from '../../../../../cli/generated/api.ts';
import { Name, Time } from '../kit/basics.tsx';

/** The role that an invitation gives, who made it when, and when it ends. */
export const InvitationCells = ({
  role,
  created_at,
  invited_by,
  expires_at,
}: Pick<Invitation, 'role' | 'created_at' | 'invited_by' | 'expires_at'>) => (
  <>
    <td className="word">{role}</td>
    <td className="wide">
      <Time at={created_at} />
      <div className="quiet">
        by <Name>{invited_by}</Name>
      </div>
    </td>
    <td className="wide">
      <Time at={expires_at} />
    </td>
  </>
);

import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { CreatedToken } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useRefetch } from '../api/read-again.ts';
import type { Scope } from '../api/paths.ts';
import { ChoiceField, DialogForm, TextField } from '../kit/dialog-form.tsx';
import { NAME, NAME_WANTS } from '../kit/more-fields.tsx';
import { listKey } from '../kit/paged.ts';
import { tokenRequest } from './token-request.ts';

export const TOKENS = '/api/v1/tokens';

const ROLES = [
  ['', 'Same as yours'],
  ['viewer', 'Viewer at most'],
  ['member', 'Member at most'],
  ['admin', 'Admin at most'],
] as const;

const ENDS = [
  ['', 'Never'],
  ['1d', 'In a day'],
  ['30d', 'In 30 days'],
  ['90d', 'In 90 days'],
  ['365d', 'In a year'],
] as const;

/** Only an owner makes tokens for agents. */
export function TokenForm({
  scope,
  agents,
  onMade,
}: {
  scope: Scope;
  agents: boolean;
  onMade(token: CreatedToken): void;
}) {
  const refetch = useRefetch();
  const make = async (fields: Record<string, string>) => {
    onMade(await json<CreatedToken>(TOKENS, { method: 'POST', body: tokenRequest(scope, fields) }));
    await refetch(listKey(TOKENS));
  };
  return (
    <DialogForm icon={Plus} label="New token" title="New token" verb="Create token" main run={make}>
      <p className="quiet">A token never allows more than you can do yourself.</p>
      <TextField name="name" label="Name" pattern={NAME} wants={NAME_WANTS} />
      <Kind scope={scope} agents={agents} />
      <ChoiceField name="expires_in" label="Expires" choices={ENDS} />
    </DialogForm>
  );
}

function Kind({ scope: { org, project }, agents }: { scope: Scope; agents: boolean }) {
  const [kind, setKind] = useState('user');
  return (
    <>
      {agents && (
        <label>
          For
          <select name="kind" value={kind} onChange={({ target }) => setKind(target.value)}>
            <option value="user">A person or program, acting as you</option>
            <option value="agent">An agent of the org {org}</option>
          </select>
        </label>
      )}
      {kind === 'user' && (
        <>
          <ChoiceField
            name="reach"
            label="Access to"
            choices={[
              ['project', `Project ${org}/${project}`],
              ['org', `Org ${org}`],
              ['all', 'Everything that you can access'],
            ]}
          />
          <ChoiceField name="role" label="Role" choices={ROLES} />
        </>
      )}
    </>
  );
}

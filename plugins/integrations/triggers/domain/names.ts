import type { SealContext } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope, ResourceType } from '../../../platform/resources/contract.ts';

export const TRIGGER: ResourceType = { noun: 'trigger', plural: 'triggers' };

/** What the values of a trigger are sealed for. */
export const sealContext = (
  { org_id, project_id }: ProjectScope,
  trigger_id: string,
  field: 'config' | 'position',
): SealContext => ({ org_id, project_id, table: 'triggers_triggers', kind: 'trigger', name: trigger_id, field });

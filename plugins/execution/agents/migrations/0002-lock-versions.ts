import { lockable, migration } from '../../../../kernel/contracts/index.ts';

export const lockVersions = migration('0002-lock-versions', [lockable('agents_agents')]);

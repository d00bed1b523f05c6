import type { Command } from '../command.ts';
import { accessCommands } from './access/table.ts';
import { adminCommands } from './admin/table.ts';
import { credentialCommands } from './credentials/table.ts';
import { lockCommands } from './locks/table.ts';
import { eventCommands } from './events/table.ts';
import { handlerCommands } from './handlers/table.ts';
import { hookCommands } from './hooks/table.ts';
import { processCommands } from './process/table.ts';
import { runCommands } from './runs/table.ts';
import { scheduleCommands } from './schedules/table.ts';
import { secretCommands } from './secrets/table.ts';
import { shellCommands } from './shell/table.ts';
import { webhookCommands } from './webhooks/table.ts';

/** Every command of svc. Help, completion and the check of the README are made from this table. */
export const commands: readonly Command[] = [
  ...runCommands,
  ...eventCommands,
  ...handlerCommands,
  ...hookCommands,
  ...webhookCommands,
  ...secretCommands,
  ...credentialCommands,
  ...lockCommands,
  ...scheduleCommands,
  ...processCommands,
  ...accessCommands,
  ...adminCommands,
  ...shellCommands,
];

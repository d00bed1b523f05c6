import { type Database, token } from '../../../kernel/contracts/index.ts';
import type { Scopes } from '../contract.ts';
import type { Models } from '../store/models.ts';
import type { Directory } from './directory.ts';
import type { Identities } from './identities.ts';
import type { LastUse } from './last-use.ts';
import type { Tokens } from './tokens.ts';

/** The parts of this plugin, made once and shared by its routes and commands. */
export interface Access {
  database: Database;
  models: Models;
  scopes: Scopes;
  identities: Identities;
  last_use: LastUse;
  directory: Directory;
  tokens: Tokens;
}

export const Access = token<Access>('access.Access');

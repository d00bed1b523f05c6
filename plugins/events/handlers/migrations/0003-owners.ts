import { migration } from '../../../../kernel/contracts/index.ts';

/** `owner`: the resource of another plugin to which a handler belongs; NULL for what a person registered. */
export const owners = migration('0003-owners', ['ALTER TABLE handlers_handlers ADD COLUMN owner {name}']);

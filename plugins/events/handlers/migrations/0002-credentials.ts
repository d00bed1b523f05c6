import { migration } from '../../../../kernel/contracts/index.ts';

/** What names a credential is found in `about`. */
export const withoutCredentials = migration('0002-credentials', ['DROP TABLE handlers_credentials']);

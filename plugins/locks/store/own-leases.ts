import { token } from '../../../kernel/contracts/index.ts';
import type { LeaseStore } from './lease-store.ts';

/** The one store behind the contract, for this plugin. */
export const OwnLeases = token<LeaseStore>('locks.LeaseStore');

import { startTarget } from '../../features/support/target.ts';

/** Ends well where a server and an agent of this tree start at all. */
const target = await startTarget();
await target.close();

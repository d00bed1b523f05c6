export { distinct, inKeys, inList, inState, insertRows, MOST_AT_ONCE, parts } from '../../../kernel/contracts/index.ts';

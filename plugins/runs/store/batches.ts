export { distinct, inList, inState, insertRows, parts } from '../../../kernel/contracts/index.ts';

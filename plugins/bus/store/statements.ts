export {
  distinct,
  inKeys,
  inList,
  inState,
  insertRows,
  MOST_AT_ONCE as MOST,
  parts,
} from '../../../kernel/contracts/index.ts';

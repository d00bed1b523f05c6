import t from 'tap';
import { matchesPattern } from './event-pattern.ts';

t.same(
  ['a.b', 'a.*', '*', 'a', 'b.*', 'a.b.c'].map((pattern) => matchesPattern(pattern, 'a.b')),
  [true, true, true, false, false, false],
);

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { greet } from '../src/greet.js';

test('it greets', () => assert.equal(greet(process.env.GREETED), `hello, ${process.env.GREETED}`));

import test from 'node:test';
import { asks, hasStock } from './shop.mjs';

test('ada', asks('ada'));
test('the stock', hasStock);

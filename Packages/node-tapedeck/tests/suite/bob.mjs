import { describe, it } from 'node:test';
import { asks, isSoldOut } from './shop.mjs';

describe('bob', () => {
  it('knows who asks', asks('bob'));
  it('is sold out', { skip: !process.env.HAS_VARIANT }, isSoldOut);
});

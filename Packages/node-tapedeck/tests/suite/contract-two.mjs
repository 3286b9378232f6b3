// Run by suites.test.mjs.
import { contract } from './contract.mjs';

contract('two');

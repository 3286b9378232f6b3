'use strict';

const { withTapedeck, startTapedeck, withVariants } = require('./scope.cjs');
const { variants } = require('./cassettes.cjs');
const { Tapedeck } = require('./tapedeck.cjs');
const { TapedeckError, TapedeckFailure } = require('./errors.cjs');
const { shared } = require('./process.cjs');

// Before the first test begins, so that each is known as it runs.
shared();

module.exports = { withTapedeck, startTapedeck, variants, withVariants, Tapedeck, TapedeckError, TapedeckFailure };

'use strict';

const { withTapedeck, startTapedeck, withVariants } = require('./scope.cjs');
const { variants } = require('./cassettes.cjs');
const { Tapedeck } = require('./tapedeck.cjs');
const { TapedeckError, TapedeckFailure } = require('./errors.cjs');

module.exports = { withTapedeck, startTapedeck, variants, withVariants, Tapedeck, TapedeckError, TapedeckFailure };
